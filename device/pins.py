"""PINs and passwords as argon2 hashes, and the key that signs sessions."""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from device.errors import UserError

SHORTEST = {"director": 6, "scorekeeper": 4}
"""Fewest characters of a PIN, by role; guesses are slowed down to a few in a minute."""
LONGEST = 200
KEY_NAME = "session.key"

_hasher = PasswordHasher()
_one_at_a_time = threading.Lock()
"""A check takes 64 MiB: guesses side by side must not eat the memory of a small machine."""


def hash_of(pin: str) -> str:
    return _hasher.hash(pin)


def matches(pin: str, hashed: str) -> bool:
    """Whether `pin` is the one of this hash; never for a hash that is none."""
    if not pin or len(pin) > LONGEST:
        return False
    try:
        with _one_at_a_time:
            return _hasher.verify(hashed, pin)
    except (VerifyMismatchError, VerificationError, InvalidHashError):
        return False


def session_key(folder: Path) -> bytes:
    """The key in `folder`, made on first use and readable by its owner alone. Raises UserError."""
    path = folder / KEY_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            draft = folder / f".{KEY_NAME}.{secrets.token_hex(4)}"
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(secrets.token_bytes(32))
                os.link(draft, path)  # whole or not at all, and never over another process's key
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        key = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"the key for sign-ins cannot be kept: {(error.strerror or str(error)).lower()}",
            where=str(path),
            do="Check that the folder can be written, or choose another one with --home.",
        ) from error
    if len(key) < 32:
        raise UserError(
            "this is no key for sign-ins", where=str(path), do="Delete the file; a new one is made."
        )
    return key
