"""Run Alembic on the connection and the version table that `landyard.schema` hands over."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
    render_as_batch=True,
)
context.run_migrations()
