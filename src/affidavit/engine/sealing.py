"""Seals a run of an engine: everything is checked in memory by the rules that will verify it, then it is built aside,
made durable and given its name in one step that replaces nothing (seed 002; contracts 3, Seal). It fails closed: what
does not verify is never written.
"""

from __future__ import annotations

import os
import time

from .. import __version__
from ..canon.profiles import RAW
from ..canon.reader import read
from ..contracts.engine_bundle import INPUT_RULES, OUTPUT_RULES, RECORD_RULES, facts_of, warning_json
from ..contracts.engine_examination import MOST_BYTES, Member
from ..contracts.engine_family import INPUT, MANIFEST, OUTPUT, SEALING_SPEC, SUMS
from ..contracts.engine_manifest import FILES
from ..contracts.run_artifacts import sums_text
from ..errors import ParseError
from ..kernel.seal import Given, Origin, complete_input, put_input, put_output, put_records, strip_context
from ..rules.model import Finding
from ..shown import kind_of, plain
from ..store.durable import writing
from ..store.publish import Exists, publish
from ..values import timed_id, timestamp
from .folder import contract_bytes, engine_files, engine_files_sha256, read_contracts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.publish import Folder

RUN_EXISTS = "RUN_EXISTS"
ENGINE_CHANGED = "ENGINE_CHANGED"


class Refusal:
    """Why nothing was sealed: what was found, each with its rule and its place."""

    __slots__ = ("findings", "warnings")

    def __init__(self, findings: list[Finding], warnings: list[Finding]) -> None:
        self.findings = tuple(sorted(set(findings), key=Finding.key))
        self.warnings = tuple(warnings)

    def __repr__(self) -> str:
        return f"Refusal({list(self.findings)!r})"


class Sealed:
    """A run that was sealed: where it lies, and what it says of itself."""

    __slots__ = ("facts", "path", "run_id", "warnings")

    def __init__(self, path: str, run_id: str, facts: dict[str, Any], warnings: list[Finding]) -> None:
        self.path = path
        self.run_id = run_id
        self.facts = facts
        self.warnings = tuple(warnings)

    def __repr__(self) -> str:
        return f"Sealed({self.path!r})"

    def as_json(self) -> dict[str, Any]:
        body = {"ok": True, "path": self.path, **self.facts}
        if self.warnings:
            body["warnings"] = [warning_json(told) for told in self.warnings]
        return body


class Sealing:
    """A run on its way to being sealed: the engine and its input first, the output when there is one."""

    def __init__(self, engine: str, out: str) -> None:
        self.engine = engine
        self.out = out
        self.bundle, self._found = read_contracts(engine)
        self.stripped: list[str] = []
        self.files: dict[str, str] = {}
        self.copied: dict[str, bytes] = {}

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = self.bundle.value(MANIFEST)
        return found

    @property
    def run_id(self) -> str:
        found: str = self.bundle.value(INPUT)["run_id"]
        return found

    def refusal(self, *more: Finding) -> Refusal | None:
        findings = [*self.bundle.findings, *more]
        return Refusal(findings, self.bundle.warnings) if findings else None

    def take_input(
        self, data: bytes, given: Given, *, separate_parameters: bool = False, max_bytes: int = MOST_BYTES
    ) -> Refusal | None:
        """The input, stripped and completed, checked as far as it can be before there is an output."""
        if refusal := self.refusal():
            return refusal
        try:
            document = read(data, max_bytes=max_bytes)
        except ParseError as error:
            return self.refusal(_no_json("R2", INPUT, error))
        if type(document) is not dict:
            return self.refusal(Finding("R2", INPUT, "an object", kind_of(document)))
        found = complete_input(document, given, timed_id("er", time.time_ns() // 1_000_000, os.urandom(4)))
        self.stripped = strip_context(document, self.bundle.keys)
        put_input(self.bundle, document, separate_parameters=separate_parameters)
        self.bundle.run(INPUT_RULES)
        if refusal := self.refusal(*found):
            return refusal
        if os.path.lexists(os.path.join(self.out, self.run_id)):
            return self.refusal(self._exists())
        self.copied = contract_bytes(self.bundle, self._found)
        self.files = engine_files(self.engine)
        return self.refusal(*self._contracts_changed())

    def _contracts_changed(self) -> list[Finding]:
        """The contracts that were read are the files that are there."""
        places = [MANIFEST, *(self.manifest[section][member] for section, member in FILES)]
        return [
            Finding(ENGINE_CHANGED, name, "a contract that stays as it is while a run is sealed", "another")
            for (name, data), place in zip(self._found.items(), places, strict=True)
            if self.files.get(_normal(place)) != RAW.digest(data).hex
        ]

    def _exists(self) -> Finding:
        return Finding(
            RUN_EXISTS, f"{INPUT}#/run_id", "a run that is not sealed yet", f'"{plain(self.run_id)}", which is'
        )

    def input_bytes(self) -> bytes:
        """The input as it will be sealed, which is what an engine is given."""
        text = self.bundle.members[INPUT].text
        assert text is not None
        return text

    def take_output(self, data: bytes, *, max_bytes: int = MOST_BYTES) -> Refusal | None:
        """The output, completed with its hashes, and checked."""
        try:
            document = read(data, max_bytes=max_bytes)
        except ParseError as error:
            return self.refusal(_no_json("R3", OUTPUT, error))
        put_output(self.bundle, document)
        self.bundle.run(OUTPUT_RULES)
        return self.refusal()

    def seal(self, origin: Origin) -> Sealed | Refusal:
        """Writes it down. The engine's files are looked at again: what was hashed is what ran."""
        if engine_files(self.engine) != self.files:
            changed = Finding(ENGINE_CHANGED, MANIFEST, "files that stay as they are while a run is sealed", "others")
            return Refusal([changed], self.bundle.warnings)
        now = timestamp(time.time_ns() // 1_000_000)
        put_records(self.bundle, self.stripped, origin, sealed_at=now, version=__version__)
        self.bundle.folder = self.run_id
        self.bundle.run(RECORD_RULES)
        if refusal := self.refusal():
            return refusal
        with writing(self.out):
            os.makedirs(self.out, exist_ok=True)
        try:
            path = publish(self.out, self.run_id, self._build)
        except Exists:
            return Refusal([self._exists()], self.bundle.warnings)
        return Sealed(path, self.run_id, facts_of(self.bundle), self.bundle.warnings)

    def _build(self, folder: Folder) -> None:
        for name, member in self.bundle.members.items():
            folder.put(name, self._bytes_of(name, member))
        wrong = [
            name for name, written in folder.files.items() if written.digest.hex != self.bundle.members[name].digest
        ]
        assert not wrong, f"written are other bytes than were checked: {wrong}"

    def _bytes_of(self, name: str, member: Member) -> bytes:
        if name == SEALING_SPEC:
            return self.copied[name]
        if name == SUMS:
            return sums_text({name: member.digest for name, member in self.bundle.members.items()})
        assert member.text is not None, f"{name} is JSON"
        return member.text

    def origin(self, **ran: Any) -> Origin:
        return Origin(engine_files_sha256(self.files), **ran)


def _normal(place: str) -> str:
    return place.removeprefix("./")


def _no_json(rule_id: str, name: str, error: ParseError) -> Finding:
    return Finding(rule_id, name, error.expected, f"{error.found} at byte {error.offset}")


def seal_output(
    engine: str | os.PathLike[str],
    run_input: bytes,
    run_output: bytes,
    *,
    out: str | os.PathLike[str] = "RUN_BUNDLE",
    given: Given | None = None,
    separate_parameters: bool = False,
) -> Sealed | Refusal:
    """Seals an output that was made elsewhere, and records it as that: no entrypoint."""
    sealing = Sealing(os.fspath(engine), os.fspath(out))
    refusal = sealing.take_input(run_input, given or Given(), separate_parameters=separate_parameters)
    refusal = refusal or sealing.take_output(run_output)
    return refusal or sealing.seal(sealing.origin())
