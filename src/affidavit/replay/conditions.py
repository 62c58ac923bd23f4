"""Under which conditions something is run again: what is given another value, and what is held still."""

from __future__ import annotations

from ..sandbox.setting import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, TypeAlias

    #: What may be given another value, to see whether that makes a difference.
    Variation: TypeAlias = Literal["tz", "locale", "hostname", "cwd", "uid", "hashseed", "time", "order", "pid"]
    #: What changes by itself and may be held still, to see whether the difference goes away.
    Source: TypeAlias = Literal["time", "random", "address", "processor"]

#: Each with what it changes.
VARIATIONS: dict[Variation, str] = {
    "tz": "the time zone",
    "locale": "the locale",
    "hostname": "the name of the host",
    "cwd": "the folder it runs in",
    "uid": "the user",
    "hashseed": "the seed of string hashes",
    "time": "the date and the time of day",
    "order": "the order in which folders list their files",
    "pid": "the number of the process",
}

SOURCES: dict[Source, str] = {
    "time": "the clock",
    "random": "random numbers",
    "address": "where things lie in memory",
    "processor": "several processors at once",
}

_ZONES = ("XAA-13:45", "XBB11", "XCC-5:30", "XDD3:30", "XEE-9", "XFF8")
_LOCALES = ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "ja_JP.UTF-8", "fr_FR.UTF-8", "ar_EG.UTF-8")
_DAYS = (400, -1000, 37, 3650, -31, 1)


class Conditions:
    """One run's. With no variation it is the run as it was."""

    __slots__ = ("at", "attempt", "held", "varied")

    def __init__(
        self,
        varied: Iterable[Variation] = (),
        *,
        attempt: int = 0,
        held: Iterable[Source] = (),
        at: str | None = None,
    ) -> None:
        self.varied = frozenset(varied)
        #: Which of the other values: each attempt has its own.
        self.attempt = attempt
        self.held = frozenset(held)
        #: The clock begins at this instant.
        self.at = at

    def setting(self, directory: str) -> Setting:
        varied, attempt = self.varied, self.attempt
        usual = Setting(directory=directory)
        return Setting(
            uid=2000 + 7 * attempt if "uid" in varied else usual.uid,
            hostname=f"elsewhere-{attempt}" if "hostname" in varied else usual.hostname,
            directory=f"/srv/place-{attempt}{directory}" if "cwd" in varied else directory,
            locale=_LOCALES[attempt % len(_LOCALES)] if "locale" in varied else usual.locale,
            timezone=_ZONES[attempt % len(_ZONES)] if "tz" in varied else usual.timezone,
        )

    def environment(self, recorded: dict[str, str]) -> dict[str, str]:
        """The variables that the run had, and those that vary it."""
        found = dict(recorded)
        if "hashseed" in self.varied:
            found["PYTHONHASHSEED"] = str(1 + self.attempt)
        if self.preloads:
            if "time" in self.held:
                found["FAKETIME"] = "2020-01-01 00:00:00"
            elif self.at is not None:
                found["FAKETIME"] = f"@{self.at[:10]} {self.at[11:19]}"
            elif "time" in self.varied:
                days = _DAYS[self.attempt % len(_DAYS)] + 3 * (self.attempt // len(_DAYS))
                found["FAKETIME"] = f"{days:+}d"
            if "random" in self.held:
                found["FAKERANDOM_SEED"] = "0x0123456789ABCDEF"
            if "pid" in self.varied:
                found["FAKETIME_FAKEPID"] = str(3000 + 17 * self.attempt)
        return found

    @property
    def preloads(self) -> bool:
        """Whether a library must come between the program and the system."""
        return (
            self.at is not None
            or "time" in self.held
            or "random" in self.held
            or not self.varied.isdisjoint(("time", "pid"))
        )
