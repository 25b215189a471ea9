"""Migrations: every step from an empty database to today's schema."""

from pathlib import Path

import sqlalchemy as sa

HEAD = "0001"


def upgrade(connection: sa.Connection) -> None:
    """Bring a database up to ``HEAD`` in one transaction; do nothing where it is there already."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    with connection.begin():
        command.upgrade(config, HEAD)
