"""Promotion packets (seed 003, section 2; contracts 4.5): made of a run, and judged again from the run they point to.

A packet believes nothing but the index it was made of, and whoever reads it believes nothing but the run: judging again
is making the packet again, and comparing.
"""

from __future__ import annotations

import os

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.promotion_packet import MORE_POINTERS, POINTERS, verify_promotion_packet
from ..errors import AffidavitError, UsageError
from ..kernel.promote import packet as packet_of
from ..kernel.promote import promotability
from ..rules.model import Finding
from ..shown import plain, shown
from ..store import durable, fs
from ..store.index import prefix_for, repo_root
from ..store.locate import is_run_directory
from ..store.lock import NAME as LOCK
from ..store.out import OutFolder
from .evidence import LEVELS, gather

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

    from ..errors import Kind
    from ..kernel.promote import Gate
    from ..store.survey import Progress
    from .evidence import Gathered

_MOST_BYTES = 16 * 1024 * 1024
GATES: tuple[Gate, ...] = ("v0.2", "v0.2-compat")


class NotPromotable(AffidavitError):
    """What was asked for only if it is promotable, and is not. `packet` is what would have been written."""

    kind: Kind = "refused"

    def __init__(self, packet: dict[str, Any], reasons: list[str], why: str) -> None:
        told = f"not promotable: {', '.join(reasons)}" + (f" ({why})" if why else "")
        super().__init__("promotion.refused", told, reasons=reasons)
        self.packet = packet
        self.reasons = reasons


def emit_promotion_packet(
    bundle: str | os.PathLike[str],
    out: str | os.PathLike[str],
    require_promotable: bool = False,
    *,
    accept_channels: tuple[str, ...] = (),
    accept_repaired: bool = False,
    gate: Gate = "v0.2",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Writes the packet of the run at `bundle`, a run directory or an out folder, to the file `out`; returns it.

    A run that may not be promoted has a packet that says so, with every reason. With `require_promotable` there is a
    packet only of one that may: by the seed's verdict, or by that with `accept_channels` where these are given. Raises
    NotPromotable, and NoBundle, LatestInvalid or ReadFailed where there is no run.
    """
    place, name = os.path.split(os.path.abspath(os.fspath(out)))
    folder = durable.open_directory(place)
    try:
        with _held_still(os.fspath(bundle)):
            gathered = gather(os.fspath(bundle), gate, progress)
        _require_beside(place, gathered.path)
        packet = _packet(gathered, place, gate, accept_channels, accept_repaired)
        reasons = _reasons(packet, accept_channels)
        if require_promotable and reasons:
            raise NotPromotable(packet, reasons, "" if gathered.refusal is None else gathered.refusal.message)
        durable.replace(folder, name, canonical(packet) + b"\n")
    finally:
        os.close(folder)
    return packet


def _require_beside(place: str, run: str) -> None:
    """A packet inside the run it judges would be a file that no index lists, and spoil it."""
    if _is_below(os.path.realpath(place), os.path.realpath(run)):
        told = "expected a place outside the run, which holds what its index lists and nothing else"
        raise UsageError("USAGE", f"{plain(place)}: {told}")


def _is_below(place: str, folder: str) -> bool:
    return (place + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def _reasons(packet: dict[str, Any], accept_channels: tuple[str, ...]) -> list[str]:
    """What stands against it: by the seed's verdict, unless channels were named."""
    told = packet["promotability"]
    reasons: list[str] = told["accepted"]["reasons"] if accept_channels else told["reasons"]
    return reasons


def _held_still(path: str) -> AbstractContextManager[object]:
    """The lock of an out folder that somebody may be writing to: LATEST must not move, nor a repair begin, while the
    run is judged. A folder that nobody here can write to has no lock that could be taken."""
    from contextlib import nullcontext

    directory = fs.open_root(path)
    try:
        out = os.path.dirname(os.path.realpath(path)) if is_run_directory(directory) else path
    finally:
        fs.close(directory)
    lock = os.path.join(out, LOCK)
    return OutFolder(out, "wait") if os.path.lexists(lock) and os.access(lock, os.W_OK) else nullcontext()


def _packet(
    gathered: Gathered, place: str, gate: Gate, accept_channels: tuple[str, ...], accept_repaired: bool
) -> dict[str, Any]:
    """The packet of a run, for a file in the directory `place`."""
    verdict = promotability(gathered.evidence, gate, accepted_channels=accept_channels, accept_repaired=accept_repaired)
    return packet_of(_pointers_from(place, gathered.path), gathered.evidence, verdict)


def _pointers_from(place: str, run: str) -> str:
    """The run directory from the repo that the packet stands in; from its own where that is another."""
    root, there = repo_root(os.path.realpath(place)), os.path.realpath(run)
    if _is_below(there, root):
        return os.path.relpath(there, root)
    return prefix_for(os.path.dirname(there), os.path.basename(there)).rstrip("/")


class Judged:
    """What came of judging a packet again: where it and the run do not say the same, and what speaks against it."""

    __slots__ = ("findings", "reasons", "run")

    def __init__(self, run: str, findings: list[Finding], reasons: list[str]) -> None:
        self.run = run
        #: The packet is not what its run gives.
        self.findings = tuple(sorted(findings, key=Finding.key))
        #: Why the run may not be promoted, judged as the caller asked.
        self.reasons = tuple(reasons)

    @property
    def ok(self) -> bool:
        return not self.findings and not self.reasons


def verify_promotion(
    path: str | os.PathLike[str],
    *,
    bundle: str | os.PathLike[str] | None = None,
    accept_channels: tuple[str, ...] = (),
    accept_repaired: bool = False,
    gate: Gate = "v0.2",
    progress: Progress | None = None,
) -> Judged:
    """Judges the packet at `path` again, from the run that it points to or from `bundle`. What a packet was made to
    accept counts only where the caller accepts it too. Writes nothing, and takes no lock: a run that changes meanwhile
    is not the one that was judged. Raises ReadFailed, ParseError, NoBundle."""
    path = os.fspath(path)
    descriptor = fs.open_file(path)
    try:
        told: Any = read(fs.read_open(descriptor, path, _MOST_BYTES))
    finally:
        os.close(descriptor)
    report = verify_promotion_packet(told, level=LEVELS[gate])
    if not report.ok:
        return Judged("", [*report.findings], ["packet.unsound"])
    is_old = "accepted" not in told["promotability"]
    own: Gate = "v0.2-compat" if is_old else told["promotability"].get("gate", "v0.2")
    if own not in GATES:
        return Judged("", [_other("/promotability/gate", " or ".join(GATES), own)], ["packet.unsound"])
    place = os.path.dirname(os.path.abspath(path))
    prefix = told["run_manifest"].rpartition("/")[0]
    run = os.fspath(bundle) if bundle is not None else os.path.join(repo_root(os.path.realpath(place)), prefix)
    gathered = gather(run, own, progress)
    inputs = told["promotability"]["gating_inputs"]
    forgiven = inputs.get("repaired", False) and "bundle_repaired" not in told["promotability"]["reasons"]
    channels = tuple(inputs.get("accepted_channels", ()))
    verdict = promotability(gathered.evidence, own, accepted_channels=channels, accept_repaired=forgiven)
    again = packet_of(prefix, gathered.evidence, _as_older_writers_had_it(verdict) if is_old else verdict)
    findings = _differences(told, again)
    if gate != own:
        gathered = gather(run, gate, progress)
    asked = promotability(gathered.evidence, gate, accepted_channels=accept_channels, accept_repaired=accept_repaired)
    return Judged(gathered.path, findings, _reasons({"promotability": asked}, accept_channels))


def _as_older_writers_had_it(verdict: dict[str, Any]) -> dict[str, Any]:
    """Without what is ours. Such a packet is bound to no index: it is what its run gives now."""
    ours = ("artifact_index_sha256", "repaired", "accepted_channels")
    inputs = {name: told for name, told in verdict["gating_inputs"].items() if name not in ours}
    members = ("promotable_decision_stage", "reasons")
    return {**{name: verdict[name] for name in members}, "gating_inputs": inputs}


def _differences(told: dict[str, Any], again: dict[str, Any]) -> list[Finding]:
    """Where a packet is not the one that its run gives. Pointers that we do not know are nobody's business."""
    findings = [
        _other("/" + name, again.get(name, "no such pointer"), told.get(name, "none"))
        for name in (*POINTERS, *MORE_POINTERS)
        if told.get(name) != again.get(name)
    ]
    before, after = told["promotability"], again["promotability"]
    findings += [
        _other(f"/promotability/{name}", after.get(name, "none"), before.get(name, "none"))
        for name in sorted(before.keys() | after.keys())
        if name not in after or name not in before or canonical(before[name]) != canonical(after[name])
    ]
    return findings


def _other(place: str, expected: Any, found: Any) -> Finding:
    def told(value: Any) -> str:
        return shown(value) if type(value) in (str, bool) else plain(canonical(value).decode())

    return Finding("PROMOTION", place, f"{told(expected)}, as the run says", told(found))
