"""Tables for data sets, models, names given to stereotypes, and the server's secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "datasets",
        sa.Column("key", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(120), nullable=False, index=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("ratings_hash", sa.String(64), nullable=False, index=True),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("n_bytes", sa.BigInteger, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "models",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("n_bytes", sa.BigInteger, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "names",
        sa.Column("owner", sa.String(120), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("names", sa.JSON, nullable=False),
    )
    op.create_table(
        "secrets", sa.Column("name", sa.String(40), primary_key=True), sa.Column("value", sa.String, nullable=False)
    )
