"""Who and where a command finds itself to be: the same in every run, so that nothing it does depends on it. Only a
replay that looks for such a dependence gives it another."""

from __future__ import annotations

#: Where the workspace is inside, and where a command starts unless it is told otherwise.
WORKSPACE = "/workspace"


class Setting:
    """As whom the command runs (never root, whoever started it), on what it takes for a host, and where it starts."""

    __slots__ = ("directory", "hostname", "locale", "timezone", "uid")

    def __init__(
        self,
        *,
        uid: int = 1000,
        hostname: str = "sandbox",
        directory: str = WORKSPACE,
        locale: str = "C.UTF-8",
        timezone: str = "UTC",
    ) -> None:
        self.uid = uid
        self.hostname = hostname
        self.directory = directory
        self.locale = locale
        self.timezone = timezone

    def environment(self) -> dict[str, str]:
        """The variables that tell it."""
        return {"LANG": self.locale, "TZ": self.timezone}

    def files(self) -> dict[str, bytes]:
        """Files of the private /etc: a user and a group for those who ask who they are."""
        return {
            "/etc/passwd": b"sandbox:x:%d:%d:sandbox:/tmp:/bin/sh\n" % (self.uid, self.uid),
            "/etc/group": b"sandbox:x:%d:\n" % self.uid,
        }


#: What every run has.
USUAL = Setting()
