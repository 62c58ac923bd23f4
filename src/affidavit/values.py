"""Small values and text forms that every layer shares.

The forms are written with string methods, not with `re`: importing and compiling patterns costs a third of a
verifier's whole run, and a hand-written form of three lines can be read. tests/properties holds each one against the
pattern its contract states. All of them are ASCII-only and match the whole text: a trailing newline never matches.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Level = Literal["spec", "compat", "strict"]
    Step = str | int
    Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

LEVELS: tuple[Level, ...] = ("spec", "compat", "strict")

#: The largest integer that a double, and so JCS, carries exactly with all its neighbours.
MAX_SAFE_INTEGER = 2**53 - 1

#: Containers within containers: the strict reader refuses more, and so does the writer.
MAX_DEPTH = 200

#: Values in one document, containers and scalars: the strict reader refuses more.
MAX_VALUES = 2_000_000

DIGITS = "0123456789"
HEX = "0123456789abcdef"
LOWER_ALNUM = "abcdefghijklmnopqrstuvwxyz0123456789"
_ALNUM = LOWER_ALNUM + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Digest:
    """A SHA-256 digest that knows the profile it was made under; two profiles' digests are never equal."""

    __slots__ = ("hex", "profile")

    def __init__(self, profile: str, hex_digits: str) -> None:
        if not is_hex(hex_digits, 64):
            raise ValueError(f"expected 64 lowercase hex digits, found {hex_digits!r}")
        self.profile = profile
        self.hex = hex_digits

    @property
    def content_hash(self) -> str:
        """The kernel family's spelling, `sha256:<64 hex>`."""
        return "sha256:" + self.hex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Digest) and (self.profile, self.hex) == (other.profile, other.hex)

    def __hash__(self) -> int:
        return hash((self.profile, self.hex))

    def __repr__(self) -> str:
        return f"Digest({self.profile!r}, {self.hex!r})"


def made_of(text: str, alphabet: str) -> bool:
    """True when `text` is not empty and every character is in `alphabet`."""
    return text != "" and not text.strip(alphabet)


def timed_id(prefix: str, epoch_ms: int, random: bytes) -> str:
    """`<prefix>_<base36 epoch ms>_<hex>`: how runs are called (contracts 2.2, 3), so that names sort by time."""
    digits = ""
    while epoch_ms:
        epoch_ms, digit = divmod(epoch_ms, 36)
        digits = (DIGITS + LOWER_ALNUM[:26])[digit] + digits
    return f"{prefix}_{digits or '0'}_{random.hex()}"


def is_hex(text: str, length: int) -> bool:
    return len(text) == length and not text.strip(HEX)


def is_content_hash(text: str) -> bool:
    """`sha256:` and 64 lowercase hex digits (seed 000, section 2)."""
    return len(text) == 71 and text.startswith("sha256:") and not text[7:].strip(HEX)


def is_id(text: str, prefix: str) -> bool:
    """`<prefix>_` and 16 hex digits, as deriveId makes them (contracts 1)."""
    return text.startswith(prefix + "_") and is_hex(text[len(prefix) + 1 :], 16)


def _numeric(text: str) -> bool:
    return made_of(text, DIGITS) and (text == "0" or text[0] != "0")


def is_semver(text: str) -> bool:
    """Semantic Versioning 2.0.0: three numbers without leading zeros, then pre-release and build identifiers."""
    rest, plus, build = text.partition("+")
    core, dash, pre = rest.partition("-")
    numbers = core.split(".")
    if len(numbers) != 3 or not all(_numeric(number) for number in numbers):
        return False
    if dash and not all(
        made_of(part, _ALNUM + "-") and (_numeric(part) or not made_of(part, DIGITS)) for part in pre.split(".")
    ):
        return False
    return not plus or all(made_of(part, _ALNUM + "-") for part in build.split("."))


def is_locale(text: str) -> bool:
    """`(C|POSIX|[a-z]{2,3}(_[A-Z]{2})?)([.][A-Za-z0-9-]+)?(@[A-Za-z0-9]+)?` (contracts 2.8)."""
    rest, at, modifier = text.partition("@")
    name, dot, charset = rest.partition(".")
    if (at and not made_of(modifier, _ALNUM)) or (dot and not made_of(charset, _ALNUM + "-")):
        return False
    if name in ("C", "POSIX"):
        return True
    language, underscore, country = name.partition("_")
    return (
        len(language) in (2, 3)
        and made_of(language, LOWER_ALNUM[:26])
        and (not underscore or (len(country) == 2 and made_of(country, _ALNUM[36:])))
    )


_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def parse_timestamp(text: str) -> int | None:
    """Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS(.mmm)?Z`, or None when it is not a real UTC instant.

    By hand because `datetime.fromisoformat` accepts a dozen other spellings, and importing it costs as much as the
    rest of a verification.
    """
    if len(text) == 20:
        millis = "000"
    elif len(text) == 24 and text[19] == ".":
        millis = text[20:23]
    else:
        return None
    digits = text[0:4] + text[5:7] + text[8:10] + text[11:13] + text[14:16] + text[17:19] + millis
    if digits.strip(DIGITS) or text[4] + text[7] + text[10] + text[13] + text[16] + text[-1] != "--T::Z":
        return None
    year, month, day = int(digits[0:4]), int(digits[4:6]), int(digits[6:8])
    hour, minute, second = int(digits[8:10]), int(digits[10:12]), int(digits[12:14])
    if not (year and 1 <= month <= 12 and hour < 24 and minute < 60 and second < 60):
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS_IN_MONTH[month - 1] + (leap and month == 2):
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 - 719162
    days += _DAYS_BEFORE_MONTH[month - 1] + (leap and month > 2) + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + int(digits[14:17])


def timestamp(millis: int) -> str:
    """The instant so many milliseconds after 1970, as the contracts write it; `parse_timestamp` reads it back."""
    seconds, millis = divmod(millis, 1000)
    days, second_of_day = divmod(seconds, 86_400)
    # the calendar in years that begin with March, 400 of which have 146,097 days
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year = 400 * era + year_of_era + (month <= 2)
    minutes, second = divmod(second_of_day, 60)
    hour, minute = divmod(minutes, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"


def pointer(*steps: str | int) -> str:
    """A JSON Pointer (RFC 6901) from member names and indices; the one spelling of a place in a document."""
    return "".join(
        f"/{step}" if isinstance(step, int) else "/" + step.replace("~", "~0").replace("/", "~1") for step in steps
    )
