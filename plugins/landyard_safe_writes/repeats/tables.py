"""The table of idempotency keys, with the call and the answer for each."""

from sqlalchemy import BigInteger, Column, String, Table, Text

from landyard import METADATA, Moment

KEY = Table(
    "repeats_key",
    METADATA,
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("credential", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("method", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("made_at", Moment, nullable=False, index=True),
    Column("answer", Text),
    Column("holder", String, nullable=False, default="", server_default=""),
).c
"""An idempotency key of a caller, and the call that was made with it.

`digest` is the digest of the parameters. `answer` is null while a call of several transactions is
under way, or if its process, the `holder`, has died.
"""
