"""Count which stems people use for which pole of which matter.

    python -m training.matters [--check]

Reads the wishes of ``training/wishes`` and writes the tables of ``learners/matters``: for each
language a list of pole numbers for each signed stem, and one such table of the stems that several
languages share. ``--check`` writes nothing and tells whether the tables are current.
"""

import argparse
import json
import sys
import tomllib
from collections import defaultdict

from training.rows import VALUES, WISHES
from twice.learners.corrections import fingerprint
from twice.learners.matters import HERE, SHARED, features

Signed = dict[str, list[int]]


def tables() -> dict[str, object]:
    """Return the content of each table by the name of its file."""
    kinds = tomllib.loads((WISHES / "matters.toml").read_text("utf-8"))
    texts = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in WISHES.glob("??.toml")}
    poles = list(
        dict.fromkeys(f"{m}/{p}" for language in sorted(texts) for m in texts[language]
                      for p in texts[language][m])
    )  # fmt: skip
    number = {pole: i for i, pole in enumerate(poles)}
    found: dict[str, object] = {}
    loans: dict[str, dict[str, list[int]]] = defaultdict(dict)
    count = 0
    for language in sorted(texts):
        signed: Signed = defaultdict(list)
        for matter, wishes in texts[language].items():
            for pole, wordings in wishes.items():
                for wording in wordings:
                    count += 1
                    for sign, stem in _stems(wording, matter, language):
                        signed[sign + stem].append(number[f"{matter}/{pole}"])
        found[language] = {key: signed[key] for key in sorted(signed)}
        for key in signed:
            if key.isascii():
                loans[key][language] = signed[key]
    found[SHARED] = {
        key: sorted(pole for signed in by.values() for pole in signed)
        for key, by in sorted(loans.items())
        if len(by) > 1
    }
    found["poles"] = {
        "poles": poles,
        "opposed": sorted(kinds["opposed"]),
        "wordings": round(count / len(texts)),
    }
    return found


def _stems(wording: str, matter: str, language: str) -> list[tuple[str, str]]:
    """Return the signed stems of a wording; of a value, only its kind."""
    value = VALUES.get(matter, "")
    print_ = fingerprint(wording.replace("{X}", value), language)
    stems = [(sign, stem) for sign, stem, _ in features(print_)]
    if "{X}" in wording:
        stems = [(sign, stem) for sign, stem in stems if value not in stem.split(":")]
    return stems


def main() -> None:
    """Write the tables, or check them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only tell whether they are current")
    check = parser.parse_args().check
    stale = []
    for name, table in tables().items():
        text = json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n"
        path = HERE / f"{name}.json"
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    print("changed: " + ", ".join(stale) if stale else "all tables are current")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
