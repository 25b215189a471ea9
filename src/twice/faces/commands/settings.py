"""``twice settings``: show or change what Twice may do."""

from pathlib import Path
from typing import Any

import click
import tomlkit

from twice.actions.kit import shorten
from twice.core.errors import BadInput
from twice.core.policy import Allowance, Category, Mode, Policy
from twice.faces.options import as_json, emit, opened
from twice.settings import Change, read_user_file

_SWITCH = {"on": True, "off": False, "true": True, "false": False}


@click.command("settings")
@click.argument("name", required=False)
@click.argument("value", required=False)
@click.option("--project", help="Consent for one project, by its folder or name (evolution only).")
@as_json
def command(name: str | None, value: str | None, project: str | None, machine: bool) -> None:
    """Show or change what Twice may do.

    \b
    evolution           off, observe, suggest or auto-safe
    workflows           on or off
    category.NAME       auto, review or never (mode auto-safe)

    \b
    Examples:
      twice settings
      twice settings evolution suggest
      twice settings evolution observe --project ~/code/client
      twice settings category.project.commands auto
    """
    from twice.wiring import change_setting

    with opened() as app:
        if name is not None and value is None:
            raise BadInput(f"To what shall {name} be set?", hint="twice settings --help")
        if name is not None and value is not None:
            changed = change_setting(app, _change(name, value, project))
            note = "under a new policy revision" if changed else "it was so already"
            click.echo(f"{name} = {value} ({note}).", err=machine)
        standing = read_user_file(app.kit.data)
        shown = {
            **_standing(app.kit.policy()),
            "projects": {
                key: str(consent.evolution) for key, consent in standing.file.projects.items()
            },
            "policy_revision": app.kit.revision(),
            "fault": standing.fault or None,
            "file": str(app.kit.data / "config.toml"),
        }
    if machine:
        emit(shown)
    elif name is None:
        for line in _lines(shown):
            click.echo(line)


def _standing(policy: Policy) -> dict[str, Any]:
    """Return what is set under the names that change it."""
    plain = policy.plain()
    return {"evolution": plain.pop("mode"), **plain}


def _lines(shown: dict[str, Any]) -> list[str]:
    """Write each setting as it would be typed, then where it is kept."""
    lines = [f"evolution  {shown['evolution']}"]
    lines += [f"evolution --project {key}  {mode}" for key, mode in shown["projects"].items()]
    lines += [f"workflows  {'on' if shown['workflows'] else 'off'}"]
    lines += [f"category.{name}  {value}" for name, value in shown["categories"].items()]
    lines += [f"File: {shown['file']}"]
    return lines + ([f"Not in force: {shown['fault']}."] if shown["fault"] else [])


def _change(name: str, value: str, project: str | None) -> Change:
    """Return what a setting does to the user's file; raise ``BadInput`` for one unknown."""
    if project is not None and name == "evolution":
        if project.startswith((".", "~", "/")):
            project = shorten(Path(project).expanduser().absolute(), Path.home())
        return lambda document: _put(document, ("projects", project, "evolution"), _mode(value))
    if project is not None:
        raise BadInput("Only evolution can be set for one project.", hint="twice settings --help")
    if name == "evolution":
        mode = _mode(value)
        return lambda document: _put(document, ("evolution",), mode)
    if name == "workflows" and value in _SWITCH:
        return lambda document: _put(document, ("workflows",), _SWITCH[value])
    if name.startswith("category."):
        category = name.removeprefix("category.")
        if category in set(Category) and value in set(Allowance):
            return lambda document: _put(document, ("categories", category), value)
    raise BadInput(f"There is no setting {name} = {value}.", hint="twice settings --help")


def _mode(value: str) -> str:
    if value not in set(Mode):
        raise BadInput(f"{value!r} is no mode.", hint="Modes: off, observe, suggest, auto-safe.")
    return value


def _put(document: tomlkit.TOMLDocument, path: tuple[str, ...], value: object) -> None:
    """Set a value in nested tables, making those that are missing."""
    table = document
    for key in path[:-1]:
        if key not in table:
            table[key] = tomlkit.table()
        table = table[key]
    table[path[-1]] = value
