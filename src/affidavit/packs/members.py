"""What a committed run hands over: the members of its pack, read out of the verified run (seed 004, section 3.2).

Members are the run's own files, byte for byte; each is held against the run's index when it is read, so what is
verified before a pack appears and what is then written are the same bytes. Outputs are no members: a pack has
documents, and what a patch writes is in the patch (ADR 0503).
"""

from __future__ import annotations

import os

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.ledger import split_lines
from ..contracts.pack import BUNDLE, EVIDENCE, LEDGER, LEDGER_BYTES, META, MODEL_IO, PATCH, POLICY, RUN, RUNNER
from ..errors import ParseError, ReadFailed
from ..manifest import Entry, Manifest, Unfit
from ..rules.checks import is_relative
from ..store import fs
from ..store.refused import BundleRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from ..store.reader import VerifiedBundle

#: By outcome; a member that the run has not is left out. What stands in no list no such pack may have.
_BY_OUTCOME = {
    "BUNDLE": (RUN, BUNDLE, POLICY, LEDGER),
    "CLARIFY": (RUN, BUNDLE, POLICY, LEDGER),
    "REFUSE": (RUN, POLICY, LEDGER),
}
_OF_AN_EXECUTION = (PATCH, EVIDENCE, RUNNER)
#: What is handed over only when it is asked for, as `--with` calls it.
OPTIONAL = {"model-io": MODEL_IO, "meta": META}
META_VERSION = "1.0.0"


class NothingToExport(BundleRefused):
    """A run that has nothing to hand over."""

    def __init__(self, place: str, found: str) -> None:
        super().__init__("export.nothing", place, "a run of an intent or a command, with its run.json", found)


class Members:
    """A Reader of what a run hands over; `manifest` says what that is."""

    __slots__ = ("_bundle", "_made", "manifest", "names", "run")

    def __init__(
        self, bundle: VerifiedBundle, wanted: Collection[str] = (), *, about: dict[str, Any] | None = None
    ) -> None:
        """`wanted` are names out of OPTIONAL; `about` is what meta.json tells besides."""
        if RUN not in bundle.entries:
            state = (bundle.status or {}).get("state")
            raise NothingToExport(bundle.path, "a run that failed" if state == "failed" else "a run of another kind")
        self._bundle = bundle
        self._made: dict[str, bytes] = {}
        self.run: dict[str, Any] = bundle.document(RUN)  # type: ignore[assignment]  # the run was verified
        line = _ledger_line(os.path.dirname(os.path.abspath(bundle.path)), bundle.run_id)
        if line is not None:
            self._made[LEDGER] = line
        if "meta" in wanted:
            told = {"meta_version": META_VERSION, "run_id": bundle.run_id, **(about or {})}
            self._made[META] = canonical(told) + b"\n"
        names = list(_BY_OUTCOME[self.run["kernel_result_kind"]])
        if self.run["execution"] is not None:
            names += _OF_AN_EXECUTION
        names += [OPTIONAL[name] for name in OPTIONAL if name in wanted]
        self.names = sorted(name for name in names if name in self._made or name in bundle.entries)
        self.manifest = Manifest("pack", [Entry(name, "file") for name in self.names])

    def bytes_of(self, name: str) -> bytes:
        """A member; raises ChangedSince where it is no longer what was verified."""
        made = self._made.get(name)
        return self._bundle.read(name) if made is None else made

    def read(self, name: str, most: int) -> bytes | Unfit:
        data = self.bytes_of(name)
        return data if len(data) <= most else Unfit("too large", name, f"at most {most} bytes", "more")

    def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]:
        yield self.read(name, most)

    def operations(self) -> list[dict[str, str]]:
        """What the patch does, without its contents."""
        if PATCH not in self.names:
            return []
        patch: Any = read(self.bytes_of(PATCH))
        return [{"op": operation["op"], "path": operation["path"]} for operation in patch["operations"]]

    def warnings(self) -> list[str]:
        """What whoever hands the pack over should know before."""
        told: list[str] = []
        if LEDGER not in self._made:
            told.append(f"{LEDGER}: the run's line is not beside it, and left out")
        for pointer, text in self._own_words():
            if any(_is_absolute(word) for word in text.split()):
                told.append(f"{pointer} holds an absolute path: it stands as it was given, and may tell of this host")
        return told

    def _own_words(self) -> Iterator[tuple[str, str]]:
        """What the user wrote and the pack repeats, with its place."""
        for index, word in enumerate((self.run["execution"] or {}).get("cmd", ())):
            yield f"{RUN} /execution/cmd/{index}", word
        if BUNDLE in self.names:
            bundle: Any = read(self.bytes_of(BUNDLE))
            yield f"{BUNDLE} /root_node/goal", bundle["root_node"]["goal"]


def _is_absolute(word: str) -> bool:
    word = word.strip("'\"()[]{},;=")
    return len(word) > 1 and not is_relative(word)


def _ledger_line(out: str, run_id: str) -> bytes | None:
    """The run's line, as it stands in the ledger beside it; None where there is none."""
    try:
        directory = fs.open_root(out)
    except ReadFailed:
        return None
    try:
        descriptor = fs.open_member(directory, LEDGER)
    except ReadFailed:
        return None
    finally:
        fs.close(directory)
    try:
        for line in split_lines(fs.pieces(descriptor, LEDGER, LEDGER_BYTES, fs.CHUNK)):
            if run_id.encode() in line and _run_of(line) == run_id:
                return line
    finally:
        os.close(descriptor)
    return None


def _run_of(line: bytes) -> object:
    try:
        entry = read(line)
    except ParseError:
        return None
    return entry.get("run_id") if isinstance(entry, dict) else None
