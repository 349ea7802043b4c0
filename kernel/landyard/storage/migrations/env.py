"""The Alembic environment: uses the connection and version table from `storage.schema`."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    render_as_batch=True,
)
context.run_migrations()
