"""The one kind of failure a person meets: what happened, where, and what to do."""

from __future__ import annotations


class UserError(Exception):
    """Something the person at the table can mend. The command ends with exit code 2.

    what: one clause without a full stop. where: the file, line, camera or setting. do: the next step.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.do = do

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}. {self.do}" if self.do else head

    def as_json(self) -> dict[str, str]:
        return {"what": self.what, "where": self.where, "do": self.do}
