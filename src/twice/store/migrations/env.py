"""What alembic runs: the migrations, on the connection that we hand in."""

from alembic import context

from twice.store.migrations.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=False,
)
context.run_migrations()
