"""Packs in memory: a Manifest and a Reader without any file, for vectors and for everything that examines packs.

A pack is told as an object:

    {"place": "pack", "members": {"run.json": {...}, "ledger.jsonl": [{...}]}, "kinds": {"x": "directory"}}

A member that is an object is its canonical bytes and a line end, an array one such line for each item, a string its
text in UTF-8, `{"hex": "..."}` alone its bytes. `kinds` names entries that are no regular files.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import KERNEL
from affidavit.contracts.bundle import EXAMPLE as BUNDLE
from affidavit.contracts.evidence import EXAMPLE as EVIDENCE
from affidavit.contracts.ledger import EXAMPLE as LEDGER
from affidavit.contracts.model_io import EXAMPLE as MODEL_IO
from affidavit.contracts.pack import MEMBERS, examine_pack
from affidavit.contracts.patch import EXAMPLE as PATCH
from affidavit.contracts.policy import EXAMPLE as POLICY
from affidavit.contracts.policy import built_in
from affidavit.contracts.run import EXAMPLE as RUN
from affidavit.contracts.run import REFUSED, sandbox_id
from affidavit.contracts.runner import EXAMPLE as RUNNER
from affidavit.manifest import Entry, Manifest, Unfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from affidavit.rules.model import Report
    from affidavit.values import Level


class InMemory:
    """A Reader over bytes, under the same promises as one over files."""

    def __init__(self, members: dict[str, bytes | Unfit], piece: int = 65_536) -> None:
        self.members = members
        self.times_read: dict[str, int] = {}
        self._piece = piece

    def read(self, name: str, most: int) -> bytes | Unfit:
        self.times_read[name] = self.times_read.get(name, 0) + 1
        data = self.members[name]
        return too_large(name, most) if type(data) is bytes and len(data) > most else data

    def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]:
        data = self.read(name, most)
        if type(data) is not bytes:
            yield data
            return
        for start in range(0, len(data), self._piece):
            yield data[start : start + self._piece]


def too_large(name: str, most: int) -> Unfit:
    return Unfit("too large", name, f"at most {most} bytes", "more")


def bytes_of(member: Any) -> bytes:
    """The bytes of a member as a pack is told."""
    if isinstance(member, str):
        return member.encode()
    if isinstance(member, list):
        return b"".join(canonical(item) + b"\n" for item in member)
    if member.keys() == {"hex"}:
        return bytes.fromhex(member["hex"])
    return canonical(member) + b"\n"


def opened(pack: dict[str, Any]) -> tuple[Manifest, InMemory]:
    kinds = pack.get("kinds", {})
    members: dict[str, bytes | Unfit] = {name: bytes_of(member) for name, member in pack["members"].items()}
    entries = [Entry(name, kinds.get(name, "file")) for name in (*members, *(kinds.keys() - members.keys()))]
    return Manifest(pack.get("place", "pack"), entries), InMemory(members)


def examined(pack: dict[str, Any], level: Level = "spec") -> Report:
    return examine_pack(*opened(pack), level=level)


def bundle_pack() -> dict[str, Any]:
    """A pack of an executed bundle with every member that such a run has; valid at every level."""
    return copy.deepcopy(
        {
            "place": "pack",
            "members": {
                "run.json": RUN,
                "bundle.json": BUNDLE,
                "patch.json": PATCH,
                "evidence.json": EVIDENCE,
                "ledger.jsonl": [LEDGER],
                "policy.json": POLICY,
                "runner.json": RUNNER,
                "meta.json": {"note": "anything"},
            },
        }
    )


def recorded_pack() -> dict[str, Any]:
    """The same under a profile that allows a model, with the session that was recorded."""
    pack = bundle_pack()
    members = pack["members"]
    policy = built_in("dev")
    members["run.json"].update(policy=policy, model_mode="record")
    execution = members["run.json"]["execution"]
    execution["sandbox_id"] = sandbox_id(members["run.json"]["bundle"]["sha256"], policy, execution["cmd"])
    members["policy.json"] = policy
    for name in ("timeout_ms", "max_output_files", "max_total_output_bytes"):
        members["runner.json"]["limits"][name] = policy[name]
    members["ledger.jsonl"][0].update(mode="record", policy="dev")
    members["model_io.json"] = copy.deepcopy(MODEL_IO)
    return pack


def clarify_pack() -> dict[str, Any]:
    """A pack of a run that ended in questions."""
    members = bundle_pack()["members"]
    run = members["run.json"]
    run.update(kernel_result_kind="CLARIFY", execution=None, clarify_questions=["Which colour?"])
    run["decision"] = {
        "accepted": False,
        "reasons": ["Clarification needed before execution"],
        "validated_by_kernel": True,
    }
    members["ledger.jsonl"][0].update(result_kind="CLARIFY", accepted=False)
    kept = ("run.json", "bundle.json", "ledger.jsonl", "policy.json")
    return {"place": "pack", "members": {name: members[name] for name in kept}}


def refuse_pack() -> dict[str, Any]:
    """A pack of a run that was refused."""
    members = clarify_pack()["members"]
    run = members["run.json"]
    del run["clarify_questions"]
    run.update(kernel_result_kind="REFUSE", bundle=None, refuse_reason="no")
    run["decision"]["reasons"] = [REFUSED + "no"]
    members["ledger.jsonl"][0].update(result_kind="REFUSE", bundle_sha256=None)
    del members["bundle.json"]
    return {"place": "pack", "members": members}


PACKS = {
    "executed": bundle_pack,
    "recorded": recorded_pack,
    "clarify": clarify_pack,
    "refuse": refuse_pack,
}


def bind(pack: dict[str, Any]) -> None:
    """Makes run.json name the hash of the bundle that is there now."""
    members = pack["members"]
    members["run.json"]["bundle"]["sha256"] = KERNEL.digest(members["bundle.json"]).content_hash


assert set().union(*(build()["members"] for build in PACKS.values())) == set(MEMBERS)
