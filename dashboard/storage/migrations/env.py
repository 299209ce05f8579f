"""What Alembic runs: the migrations of this folder, through the connection that ``database`` gives it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
