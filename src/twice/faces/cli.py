"""The command line: which commands there are, and how what goes wrong is said."""

import gc
import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import click

from twice import __version__
from twice.core.errors import Fault
from twice.core.proposals import Refusal
from twice.faces.columns import plain

COMMANDS = {
    "init": "Find agents and sessions, choose a mode, install the hook.",
    "sources": "List the sessions on this machine, and what was said in them.",
    "dream": "Read what is new, learn from it, and file proposals.",
    "record": "Take in the events that an agent reports itself.",
    "review": "Walk through what waits: approve, edit, reject or skip.",
    "propose": "Hand in a candidate; it passes the same gates.",
    "approve": "Approve one proposal.",
    "reject": "Reject one proposal, with a reason.",
    "rollback": "Undo one approval exactly.",
    "context": "Show what a new session of this project is told.",
    "status": "Show the mode, what waits, the last dream.",
    "explain-text": "Show what is heard in a text, and why.",
    "why": "Trace an item back to the words that taught it.",
    "project": "List the known projects; join what is one, part it again.",
    "forget": "Erase a session or an item for good.",
    "verify": "Check the ledger, the texts and every file against each other.",
    "settings": "Show or change what Twice may do.",
    "hook": "Answer an agent's hook (installed by init).",
}


class Lazy(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"twice.faces.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="twice")
def twice() -> None:
    """Tell your coding agent twice. Never a third time.

    Twice reads the sessions that your coding agents left on this machine, finds what you keep
    telling them, and proposes lessons with evidence. Nothing acts before you approved it.

    \b
    Start with:  twice dream --mode suggest
    Then:        twice review
    """


_GARBAGE = (100_000, 20, 50)  # what was read is no garbage: looking through it again took 1/5 of it


def main(arguments: list[str] | None = None) -> None:
    """Run one command; exit 0 when it is done, 1 when refused or failed, 2 on wrong usage."""
    if arguments is None and sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        _start_again_in_utf8()
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller; no file of ours may take its place
            how = os.O_RDONLY if name == "stdin" else os.O_WRONLY
            setattr(sys, name, os.fdopen(os.open(os.devnull, how), "r" if name == "stdin" else "w"))
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    gc.set_threshold(*_GARBAGE)
    sys.exit(_run(arguments))


def _start_again_in_utf8() -> None:
    """Replace this process by one that takes paths and words for UTF-8, whatever the locale says.

    ``-P``: the current folder may hold files that are named as our modules are.
    """
    command = [sys.executable, "-P", "-X", "utf8", "-m", "twice", *sys.argv[1:]]
    os.execv(sys.executable, command)


def _run(arguments: list[str] | None) -> int:
    try:
        outcome = twice.main(arguments, prog_name="twice", standalone_mode=False)
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.UsageError as error:
        complain(error.format_message(), f"{error.ctx.command_path} --help" if error.ctx else "")
        return 2
    except (click.Abort, KeyboardInterrupt):
        if sys.stderr.isatty():
            click.echo(err=True)  # below what was typed
        complain("Stopped. Nothing is half-done; run it again to go on.")
        return 1
    except click.ClickException as error:
        complain(error.format_message())
        return 1
    except Fault as fault:
        complain(fault.message, fault.hint)
        return 1
    except BrokenPipeError:
        _write_no_more()
        return 1
    except OSError as error:
        _write_no_more()
        return _failed(error)
    except RecursionError:
        complain("The input is nested too deeply to be read.")
        return 1
    except Exception as error:  # noqa: BLE001 - the last line of defence: no trace reaches a person
        return _unexpected(error)


def _write_no_more() -> None:
    """Let what is still to be printed go nowhere, so that leaving does not fail as well."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: OSError) -> int:
    """Say in one line what the system would not do."""
    if os.environ.get("TWICE_DEBUG"):
        traceback.print_exc()
    about = f" ({error.filename})" if error.filename else ""
    complain(f"The system refused: {error.strerror or error}{about}.", "Mend it, then try again.")
    return 1


def _unexpected(error: Exception) -> int:
    """Say in one line what broke in Twice itself; the whole trace only where it was asked for."""
    if os.environ.get("TWICE_DEBUG"):
        traceback.print_exc()
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    complain(
        f"Twice itself failed: {type(error).__name__} at {where}. Nothing is half-done.",
        "TWICE_DEBUG=1 shows the details; please report them.",
    )
    return 1


def complain(message: str, hint: str = "") -> None:
    """Say on stderr, in one line, what happened and how to mend it."""
    line = f"{message} Hint: {hint}" if hint else message
    click.echo(plain(" ".join(line.split())), err=True)


def refuse(refusal: Refusal) -> NoReturn:
    """Say why not, and leave with exit code 1."""
    reason = refusal.reason[:1].upper() + refusal.reason[1:]
    end = "" if reason.endswith((".", "!", "?")) else "."
    complain(reason + end, refusal.hint)
    raise click.exceptions.Exit(1)
