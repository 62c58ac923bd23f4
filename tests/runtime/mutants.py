"""Mutants of a run that may be promoted: none of them may be. `make mutants`, or `mutants.py COUNT [SEED]`.

Four kinds, in turn: a bit of an indexed file is flipped; a field of a gating document is changed; the same with the
index put right afterwards, as somebody would who wants it to be believed; a field of the packet is changed. Each mutant
is judged twice, by making a packet of it and by judging the packet that was made before.
"""

from __future__ import annotations

import copy
import os
import random
import sys
import tempfile
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read
from affidavit.errors import ParseError, ReadFailed
from affidavit.runtime.promotion import NotPromotable, emit_promotion_packet, verify_promotion
from affidavit.store.refused import BundleRefused
from tests.support.plan_runs import commit

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX = "artifact_index.json"
GATING = (INDEX, "run_manifest.json", "run_status.json", "apply_preflight.json")
#: Beside the run, and never of it: `verify_promotion` leaves unknown members alone, so none is added to a packet.
PACKET = "packet.json"


class Subject:
    """A promotable run, the packet that was made of it, and every file as it was."""

    def __init__(self, place: str) -> None:
        os.mkdir(os.path.join(place, ".git"))
        self.out = os.path.join(place, "out")
        self.run = commit(self.out)
        self.packet = os.path.join(self.out, PACKET)
        emit_promotion_packet(self.run, self.packet, require_promotable=True)
        self.files = {name: self.read(name) for name in sorted(os.listdir(self.run))}
        with open(self.packet, "rb") as file:
            self.told = file.read()
        assert verify_promotion(self.packet).ok

    def read(self, name: str) -> bytes:
        with open(os.path.join(self.run, name), "rb") as file:
            return file.read()

    def write(self, name: str, data: bytes) -> None:
        with open(os.path.join(self.run, name), "wb") as file:
            file.write(data)

    def restore(self) -> None:
        for name, data in self.files.items():
            self.write(name, data)
        self.write_packet(self.told)

    def write_packet(self, data: bytes) -> None:
        with open(self.packet, "wb") as file:
            file.write(data)

    def put_index_right(self, name: str, data: bytes) -> None:
        index: Any = read(self.files[INDEX])
        for entry in index["artifacts"]:
            if entry["path"].endswith("/" + name):
                entry |= {"file_size": len(data), "sha256": RAW.digest(data).hex}
        self.write(INDEX, canonical(index) + b"\n")

    def survives(self, *, as_new: bool = True) -> str:
        """Empty where the mutant is refused both ways, else how it got through."""
        if as_new:
            try:
                emit_promotion_packet(self.run, os.path.join(self.out, "new.json"), require_promotable=True)
            except NotPromotable:
                pass
            else:
                return "a packet was made of it"
        try:
            return "the packet still holds" if verify_promotion(self.packet).ok else ""
        except (ReadFailed, ParseError, BundleRefused):  # its own bytes, or where it points to
            return ""


def places(value: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document but the root."""
    members: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield (*steps, step)
        yield from places(member, (*steps, step))


def changed(value: Any, place: tuple[str | int, ...], chance: random.Random) -> Any:
    """The document with something else at that place, or nothing."""
    other = copy.deepcopy(value)
    container = other
    for step in place[:-1]:
        container = container[step]
    last = place[-1]
    before = container[last]
    options: list[Any] = [None, True, False, 0, 1, -7, "", "x", [], {}, "launchd_clean", "complete", "ok"]
    if isinstance(before, str) and before:
        at = chance.randrange(len(before))
        options += [before[:at] + chr(ord(before[at]) ^ 1) + before[at + 1 :], before + "0", before[1:]]
    if type(before) is int:
        options += [before + 1, before - 1, before * 2 + 1]
    options = [each for each in options if canonical(each) != canonical(before)]
    chosen = chance.randrange(len(options) + 1)
    if chosen == len(options):
        del container[last]
    else:
        container[last] = options[chosen]
    return other


def mutants(count: int, seed: int, place: str) -> Iterator[tuple[str, str]]:
    """(what was changed, how it got through): the second is empty for a mutant that was refused."""
    subject = Subject(place)
    chance = random.Random(seed)
    indexed = [name for name in subject.files if name != INDEX and subject.files[name]]
    for number in range(count):
        kind = number % 4
        as_new = True
        if kind == 0:
            name = chance.choice(indexed)
            at, bit = chance.randrange(len(subject.files[name])), chance.randrange(8)
            data = bytearray(subject.files[name])
            data[at] ^= 1 << bit
            subject.write(name, bytes(data))
            told = f"{name}: bit {bit} of byte {at}"
        elif kind == 3:
            value: Any = read(subject.told)
            chosen = chance.choice([*places(value)])
            subject.write_packet(canonical(changed(value, chosen, chance)) + b"\n")
            told, as_new = f"{PACKET}: {chosen}", False  # of the run a packet can still be made
        else:
            name = chance.choice(GATING if kind == 1 else GATING[1:])
            value = read(subject.files[name])
            chosen = chance.choice([*places(value)])
            data = bytearray(canonical(changed(value, chosen, chance)) + b"\n")
            subject.write(name, bytes(data))
            told = f"{name}: {chosen}"
            if kind == 2:
                subject.put_index_right(name, bytes(data))
                told, as_new = told + ", index put right", False  # whoever may write both writes another run
        yield told, subject.survives(as_new=as_new)
        subject.restore()
        if number % 100 == 0:
            assert verify_promotion(subject.packet).ok, "what was put back is not what was there"


def main(count: int, seed: int) -> int:
    with tempfile.TemporaryDirectory() as place:
        survivors = [(told, how) for told, how in mutants(count, seed, place) if how]
    for told, how in survivors:
        sys.stdout.write(f"survived: {told}: {how}\n")
    sys.stdout.write(f"{count - len(survivors)} of {count} mutants refused (seed {seed})\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main(int((sys.argv[1:] or ["6000"])[0]), int((sys.argv[2:] or ["1"])[0])))
