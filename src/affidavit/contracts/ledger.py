"""ledger.jsonl: one line for each run, in the order they ended (LD1-LD4; contracts 2.6).

A ledger grows without end, so it is examined line by line: of what went by only the run ids, the last instant and the
last line's hash are kept. A place in a ledger is the line's index and the place in its entry: `/3/run_id` stands on
line 4.
"""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..canon.reader import read
from ..errors import ParseError
from ..rules.checks import content_hash
from ..rules.engine import MOST_FINDINGS, examine
from ..rules.model import Contract, Fault, Finding, Report, Rule, Unchecked
from ..rules.shape import Bool, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import parse_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

#: A line of ours has 500 bytes; what is longer than this is no entry, and is not held in memory to find out.
MOST_LINE_BYTES = 1 << 20

#: The line that the run result's example leaves behind.
EXAMPLE: dict[str, Any] = {
    "run_id": "hr_mk2h8w00_1f2e3d4c",
    "timestamp": "2026-01-06T12:00:02.000Z",
    "intent_sha256": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    "bundle_sha256": "sha256:a6c9f4dc0187901e07cd50f1523e10f827d53e6463d7f340b3f68f25a81dc9fa",
    "result_kind": "BUNDLE",
    "accepted": True,
    "mode": "none",
    "policy": "default",
    "prev_sha256": None,
}


class Before:
    """What an entry is held against: everything that stands above it."""

    __slots__ = ("broken", "chained", "hash", "instant", "run_ids")

    def __init__(self) -> None:
        self.run_ids: set[str] = set()
        self.instant = ""
        self.hash: str | None = None  # of the line above; None above the first
        self.chained = False  # a line above told its link, so all below must
        self.broken = False  # below the first broken link, links say nothing more

    def pass_by(self, entry: Any) -> None:
        """Makes `entry` the last that stands above. Takes any value: what is unsound adds nothing to hold against."""
        if type(entry) is dict:
            if type(entry.get("run_id")) is str:
                self.run_ids.add(entry["run_id"])
            timestamp = entry.get("timestamp")
            if type(timestamp) is str and parse_timestamp(timestamp) is not None:
                self.instant = timestamp
            self.chained = self.chained or "prev_sha256" in entry
        self.hash = KERNEL.digest(entry).content_hash


def _is_instant(text: str) -> bool:
    return parse_timestamp(text) is not None


_HASH = content_hash("LD4")


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "run_id": non_empty(),
            "timestamp": Text(_is_instant, "a UTC instant, YYYY-MM-DDTHH:MM:SS(.mmm)?Z"),
            "intent_sha256": _HASH,
            "bundle_sha256": Nullable(_HASH),
            "result_kind": OneOf("BUNDLE", "CLARIFY", "REFUSE"),
            "accepted": Bool(),
            # the model mode; the last two are what another writer puts here
            "mode": OneOf("none", "record", "replay", "plan-only", "execute-sandbox"),
            "policy": non_empty(),
        },
        {"prev_sha256": Nullable(_HASH)},
        rule="LD1",
        container_rule="LD1",
        missing="LD1",
    )


def _not_before_the_last(timestamp: str, before: Before) -> Iterator[Fault]:
    last, this = parse_timestamp(before.instant), parse_timestamp(timestamp)
    if last is not None and this is not None and this < last:
        yield Fault(f"an instant not before {before.instant}", shown(timestamp))


def _new(run_id: str, before: Before) -> Iterator[Fault]:
    if run_id in before.run_ids:
        yield Fault("a run_id that no line above has", shown(run_id))


def _links(entry: dict[str, Any], before: Before) -> Iterator[Fault]:
    told = entry.get("prev_sha256", False)
    if before.broken:
        return
    if told is False:
        if before.chained:
            yield Fault("prev_sha256, as the lines above have it", "no such member")
    elif told != before.hash:
        yield Fault(f"{before.hash or 'null'}, the hash of the line above", shown(told), "prev_sha256")


def _has_link(entry: dict[str, Any]) -> Iterator[Fault]:
    if "prev_sha256" not in entry:
        yield Fault("prev_sha256", "no such member")


def _outcome_agrees(kind: str, accepted: bool, bundle_sha256: str | None) -> Iterator[Fault]:
    if accepted and kind != "BUNDLE":
        yield Fault(f"false, as result_kind is {kind}", "true", field=1)
    if (bundle_sha256 is None) != (kind == "REFUSE"):
        yield Fault("null for REFUSE and a hash for all others", shown(bundle_sha256), field=2)


#: One entry. LD2, LD3 and CHAIN hold it against the lines `before` it, which an entry on its own does not have.
LEDGER = Contract(
    "ledger",
    "ledger",
    _shape,
    (
        Rule("LD1", "each line is one entry, an object with all its members"),
        Rule(
            "LD1",
            "only a BUNDLE is accepted, only a REFUSE has no bundle",
            _outcome_agrees,
            needs=("result_kind", "accepted", "?bundle_sha256"),
            levels=("strict",),
        ),
        Rule("LD2", "timestamps do not decrease", _not_before_the_last, needs=("timestamp",), context="lines above"),
        Rule("LD3", "no run_id stands twice", _new, needs=("run_id",), context="lines above"),
        Rule("LD4", "hashes are sha256: and 64 lowercase hex digits"),
        Rule("CHAIN", "each line names the hash of the line above", _links, needs=("",), context="lines above"),
        Rule("CHAIN", "a ledger of ours is a chain", _has_link, needs=("",), levels=("strict",)),
    ),
)


def verify_entry(value: object, *, level: Level = "spec") -> Report:
    """One entry on its own, as it stands in a pack: LD1 and LD4."""
    return examine(LEDGER, value, level)


def verify_ledger(data: bytes | Iterable[bytes], *, level: Level = "spec") -> Report:
    """LD1-LD4 and the chain, over the bytes of a ledger, or over pieces of them of any size: an open file will do."""
    reading = LedgerReading(level)
    for line in split_lines((data,) if type(data) is bytes else data):  # type: ignore[arg-type]
        reading.take(line)
    return reading.report()


class LedgerReading:
    """A ledger that is examined as its lines come by."""

    def __init__(self, level: Level = "spec") -> None:
        self.level = level
        self.lines = 0
        self.before = Before()
        self._findings: list[Finding] = []
        self._cut = False
        self._context = {"lines above": self.before}

    def take(self, line: bytes) -> None:
        """The next line, with its line end where it has one."""
        index = self.lines
        self.lines += 1
        entry, findings = read_line(line, self.level)
        if entry is None:
            self.before.broken = True  # nobody can tell what the link below should be
        else:
            findings += examine(LEDGER, entry, self.level, self._context).findings
            self.before.pass_by(entry)
        for found in findings:
            self.before.broken = self.before.broken or found.rule_id == "CHAIN"
            if len(self._findings) < MOST_FINDINGS:
                where = f"{found.found} on line {index + 1}"
                self._findings.append(Finding(found.rule_id, f"/{index}{found.path}", found.expected, where))
            else:
                self._cut = True

    def report(self) -> Report:
        left: list[Unchecked] = []
        if self._cut:
            left.append(Unchecked("LD1", f"findings beyond the first {MOST_FINDINGS} are not listed"))
        if self.before.broken:
            left.append(Unchecked("CHAIN", "the links below the first that is broken"))
        elif not self.before.chained and self.level != "strict":
            left.append(Unchecked("CHAIN", "no line has prev_sha256"))
        checked = [rule.id for rule in LEDGER.rules if self.level in rule.levels]
        facts = {"entries": self.lines, "last_sha256": self.before.hash}
        return Report(LEDGER.document, self._findings, checked, left, facts)


def read_line(line: bytes, level: Level) -> tuple[object, list[Finding]]:
    """The entry on a line, None where it is no JSON, and what is wrong with the line itself (LD1)."""
    if len(line) > MOST_LINE_BYTES:
        return None, [Finding("LD1", "", f"a line of at most {MOST_LINE_BYTES} bytes", "a longer one")]
    try:
        entry = read(line)
    except ParseError as error:
        return None, [Finding("LD1", "", error.expected, f"{error.found} at byte {error.offset}")]
    if entry is None:
        return None, [Finding("LD1", "", "an object", "null")]
    if level == "strict" and line != canonical(entry) + b"\n":
        return entry, [Finding("LD1", "", "the canonical bytes and one line end", "other bytes")]
    return entry, []


def split_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in a stream of bytes, each with its line end; of a line that is too long only enough to tell so."""
    held = b""
    too_long = False
    for piece in pieces:
        *whole, rest = piece.split(b"\n")
        for part in whole:
            yield (held if too_long else held + part) + b"\n"
            held, too_long = b"", False
        if not too_long:
            held += rest
            too_long = len(held) > MOST_LINE_BYTES
    if held:
        yield held
