"""Migrations: every step from an empty database to today's schema."""

import sqlite3
from pathlib import Path

from twice.core.errors import Broken

HEAD = "0001"


def upgrade(driver: sqlite3.Connection, path: Path) -> None:
    """Bring a database up to ``HEAD`` in one transaction; do nothing where it is there already.

    Raises ``Broken`` for a database of a newer Twice. The toolkit is loaded only when needed.
    """
    if version(driver) == HEAD:
        return
    import sqlalchemy as sa
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    engine = sa.create_engine("sqlite://", creator=lambda: driver, poolclass=sa.StaticPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        found = version(driver)
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if found and found not in known:
            driver.rollback()
            raise Broken(
                f"The store {path} is of a newer Twice (schema {found}).",
                hint="Use that version, or another TWICE_HOME.",
            )
        config.attributes["connection"] = connection
        command.upgrade(config, HEAD)
        driver.commit()


def version(driver: sqlite3.Connection) -> str:
    """Return the revision that a database is at, or nothing for an empty one."""
    listed = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if driver.execute(listed).fetchone() is None:
        return ""
    found = driver.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else ""
