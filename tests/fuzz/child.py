"""The process in which a source is fuzzed, guided by which lines of its reader a file reaches."""

import sys
from importlib import import_module
from pathlib import Path
from random import Random

import atheris


def main(name: str, module: str, folder: Path, options: list[str]) -> None:
    """Fuzz a source with files that are written into a folder; ends with the process.

    Only the reader is watched, and what it alone imports: to watch all takes long to set up.
    """
    import_module("twice.ports")
    with atheris.instrument_imports(include=["twice.sources"], enable_loader_override=False):
        import_module(module)

    from tests.fuzz.examining import examine
    from tests.fuzz.mutating import mutate
    from tests.fuzz.targets import TARGETS

    target = TARGETS[name]

    def one(data: bytes) -> None:
        examine(target.source, target.write(folder, data))

    def mutated(data: bytes, size: int, seed: int) -> bytes:
        return mutate(data, Random(seed), lambda x: bytes(atheris.Mutate(x, size)))[:size]

    atheris.Setup([sys.argv[0], *options], one, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
