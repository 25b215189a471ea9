"""Change files of sessions a little: their bytes, lines and rows, and the JSON within these."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from random import Random
from typing import Any

Slot = tuple[Any, Any]  # a dictionary or a list, and the key or the number of a value in it
Spared = Callable[[Any, Any], bool]  # tells of a slot that it must stay as it is
Bytewise = Callable[[bytes], bytes]

DATABASE = b"SQLite format 3\0"

_ODD = (
    *(None, True, False, 0, -1, 2**63, 1e308, "", " ", [], {}, [None], {"": None}, [[]]),
    *("\ud83d", "\0", "\ufeff", "\r\n", "2026-03-04T10:00:00Z", "0000-00-00", "x" * 300),
)


def nothing(_: Any, __: Any) -> bool:
    """Spare nothing."""
    return False


def mutate(data: bytes, random: Random, bytewise: Bytewise) -> bytes:
    """Return a changed file: JSON stays JSON most of the time, so that readers look into it."""
    dice = random.random()
    if dice < 0.15:
        return bytewise(data)
    if dice < 0.3 and not data.startswith(DATABASE):
        return change_lines(data, random)
    for _ in range(random.randrange(1, 4)):
        data = changed(data, random) or bytewise(data)
    return data


def changed(data: bytes, random: Random, spared: Spared = nothing) -> bytes:
    """Change one thing in what is a database, a JSON document or records; none for other files."""
    if data.startswith(DATABASE):
        return _change_database(data, random, spared)
    try:
        document = [json.loads(data)]
    except (ValueError, RecursionError):
        return _change_rows(data, random, spared)
    change(document, random, lambda holder, key: holder is document or spared(holder, key))
    return dump(document[0], indent=2 if data.startswith((b"{\n", b"[\n")) else None)


def slots(value: Any) -> Iterator[Slot]:
    """Yield every place in a JSON value where another value stands."""
    waiting = [value] if isinstance(value, dict | list) else []
    while waiting:
        holder = waiting.pop()
        items = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, inner in items:
            yield holder, key
            if isinstance(inner, dict | list):
                waiting.append(inner)


def change(value: Any, random: Random, spared: Spared = nothing) -> None:
    """Change one thing in a JSON value: drop, replace, nest, cut short, double or shuffle it."""
    found = [slot for slot in slots(value) if not spared(*slot)]
    if not found:
        return
    holder, key = random.choice(found)
    inner = holder[key]
    match random.randrange(7):
        case 0:
            del holder[key]
        case 1:
            holder[key] = random.choice(_ODD)
        case 2:
            holder[key] = random.choice(([inner], {"content": inner}, [inner, inner]))
        case 6 if isinstance(inner, str) and _loaded(inner.encode(errors="replace")):
            document = _loaded(inner.encode(errors="replace"))
            change(document, random, spared)
            holder[key] = dump(document).decode(errors="replace")
        case 3 if isinstance(inner, str):
            holder[key] = inner[: random.randrange(len(inner) + 1)]
        case 4 if isinstance(inner, list):
            random.shuffle(inner)
        case 5 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), _copy(inner))
        case _:
            for _ in range(random.randrange(1, 40)):
                inner = [inner] if random.random() < 0.5 else {"content": inner}
            holder[key] = inner


def change_lines(data: bytes, random: Random) -> bytes:
    """Drop, double, cut or move whole lines."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    place = random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[place]
        case 1:
            lines.insert(random.randrange(len(lines) + 1), lines[place])
        case 2:
            lines[place] = lines[place][: random.randrange(len(lines[place]) + 1)]
        case 3:
            del lines[place:]
        case _:
            lines.append(lines.pop(place))
    return b"".join(lines)


def change_records(records: list[Any], random: Random, spared: Spared = nothing) -> None:
    """Change one thing in a list of records: one of them, or their order and number."""
    place = random.randrange(len(records))
    match random.randrange(8):
        case 0:
            random.shuffle(records)
        case 1:
            records.insert(random.randrange(len(records) + 1), _copy(records[place]))
        case 2 if len(records) > 1:
            del records[place]
        case 3:
            records.append(records.pop(place))
        case _:
            change(records[place], random, spared)


def dump(value: Any, *, indent: int | None = None) -> bytes:
    """Write a JSON value; one that nests too deeply to be written is none."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent)
    except RecursionError:
        return b"null"
    return text.encode("utf-8", errors="surrogatepass")


def lines(records: Sequence[Any]) -> bytes:
    """Write records one a line."""
    return b"".join(dump(record) + b"\n" for record in records)


def _change_rows(data: bytes, random: Random, spared: Spared) -> bytes:
    """Change records that stand one a line; lines that hold none stay as they are."""
    records = [record for line in data.split(b"\n") if (record := _loaded(line)) is not None]
    if not records:
        return b""
    change_records(records, random, spared)
    return lines(records)


def _change_database(data: bytes, random: Random, spared: Spared) -> bytes:
    """Change one thing in a database: a value, a row, or seldom a whole table."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(data)
            names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            table = random.choice([name for (name,) in names if not name.startswith("sqlite_")])
            rows = database.execute(f'SELECT rowid, * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            _change_row(database, table, columns, random.choice(rows.fetchall()), random, spared)
            database.commit()
            return database.serialize()
    except (sqlite3.Error, IndexError, UnicodeDecodeError):
        return b""


def _change_row(
    database: sqlite3.Connection,
    table: str,
    columns: list[str],
    row: tuple[Any, ...],
    random: Random,
    spared: Spared,
) -> None:
    dice = random.randrange(40)
    if dice == 0:
        database.execute(f'DROP TABLE "{table}"')
    elif dice == 1:
        database.execute(f'ALTER TABLE "{table}" DROP COLUMN "{random.choice(columns[1:])}"')
    elif dice < 6:
        database.execute(f'DELETE FROM "{table}" WHERE rowid = ?', row[:1])
    else:
        place = random.randrange(1, len(columns))
        if not spared({columns[place]: row[place]}, columns[place]):
            value = _change_cell(row[place], random, spared)
            statement = f'UPDATE "{table}" SET "{columns[place]}" = ? WHERE rowid = ?'
            database.execute(statement, (value, row[0]))


def _change_cell(value: Any, random: Random, spared: Spared) -> Any:
    """Return another value for a cell; JSON in it, plain or in digits, stays JSON."""
    if not isinstance(value, str | bytes) or random.random() < 0.15:
        return random.choice((None, 0, -1, 2**62, 0.5, "", "x", b"\xff\0", '{"a":', "[]"))
    data = value.encode("utf-8", errors="replace") if isinstance(value, str) else value
    digits = _digits(data)
    document = _loaded(digits or data)
    if document is None:
        return value[: random.randrange(len(value) + 1)]
    change([document], random, lambda holder, key: holder == [document] or spared(holder, key))
    written = dump(document)
    written = written.hex().encode() if digits else written
    return written.decode(errors="replace") if isinstance(value, str) else written


def _digits(data: bytes) -> bytes:
    try:
        return bytes.fromhex(data.decode())
    except ValueError:
        return b""


def _loaded(data: bytes) -> Any:
    """Return a JSON value that holds others, or None."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def _copy(value: Any) -> Any:
    return json.loads(dump(value).decode("utf-8", errors="replace"))
