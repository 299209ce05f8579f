"""Tables for shared views, finished evaluations and jobs under way; models get a title."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables, and the column."""
    op.add_column("models", sa.Column("title", sa.String, nullable=False, server_default=""))
    op.create_table(
        "shares",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(120), nullable=False, index=True),
        sa.Column("data", sa.String(80), nullable=False, index=True),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("page", sa.String(40), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("ratings_hash", sa.String(64), nullable=False, index=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("n_bytes", sa.BigInteger, nullable=False),
        sa.Column("model_digest", sa.String(64)),
        sa.Column("model_n_bytes", sa.BigInteger, nullable=False),
        sa.Column("may_download", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True)),
    )
    op.create_table(
        "results",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("value", sa.JSON, nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("owner", sa.String(120), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("content_hash", sa.String(64), nullable=False, index=True),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("server", sa.String(200), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True), nullable=False),
    )
