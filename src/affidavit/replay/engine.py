"""Replays a sealed run of an engine: R1-R6, and the engine once more with the sealed input (seed 002, Replay Rules)."""

from __future__ import annotations

import os
import tempfile

from ..canon.reader import read
from ..contracts.engine_bundle import examine_engine_bundle
from ..contracts.engine_examination import Examination
from ..contracts.engine_family import CONTRACTS, INPUT, META, OUTPUT
from ..engine.bundle import read_bundle
from ..engine.execute import ENVIRONMENT, PLACE, execute, interpreter_of
from ..engine.folder import engine_files, engine_files_sha256, read_contracts
from ..engine.judge import judge
from ..errors import ParseError
from ..kernel.seal import put_output
from ..sandbox.request import FIXED_ENVIRONMENT
from .again import run_again
from .hold import copy_in_another_order
from .means import Means, cannot, place_for
from .result import Check, Replayed
from .subject import Failed
from .versions import Allowed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..contracts.engine_examination import Member
    from ..rules.model import Report
    from ..sandbox.abilities import AbilityName
    from .conditions import Conditions, Source, Variation
    from .normalise import Normalisers

#: The conditions of a replay that are checks; what else is found of a bundle is told beside them.
CONDITIONS = ("R1", "R2", "R3", "R4", "R5")


def replay_engine(
    bundle: str | os.PathLike[str],
    engine: str | os.PathLike[str] | None = None,
    *,
    allowed: Allowed | None = None,
    times: int = 1,
    vary: Sequence[Variation] = (),
    normalisers: Normalisers | None = None,
    degraded: Sequence[AbilityName] = (),
    progress: Callable[[str], None] = lambda _told: None,
) -> Replayed:
    """R1-R6 of the sealed run at `bundle`, never stopping at the first that fails, and if all hold, the verdict on
    running the engine in the folder at `engine` again."""
    place = os.fspath(bundle)
    sealed = read_bundle(place)
    report = examine_engine_bundle(sealed)
    checks = _conditions(report)
    others = [found for found in report.findings if found.rule_id not in CONDITIONS]
    missing: list[str] = []
    if engine is None:
        missing.append("the engine: name its folder with --engine DIR")
        checks.append(Check("R6", "not_checked", ["needs the engine, which is not at hand"]))
        return Replayed("engine run", checks, others, missing)
    folder = os.fspath(engine)
    same = _same_engine(sealed, folder, allowed or Allowed(), degraded)
    checks.append(same)
    if others or any(check.status != "pass" for check in checks):
        return Replayed("engine run", checks, others, missing)
    entrypoint = _entrypoint(sealed, folder)
    if entrypoint is None:
        missing.append("an entrypoint: neither the record nor the engine's manifest tells how to run it")
        return Replayed("engine run", checks, others, missing)
    subject = EngineSubject(sealed, folder, entrypoint, degraded)
    outcome = run_again(subject, times=times, vary=vary, normalisers=normalisers, progress=progress)
    return Replayed("engine run", checks, others, missing, outcome)


def _conditions(report: Report) -> list[Check]:
    checks: list[Check] = []
    for rule_id in CONDITIONS:
        found = [f"{finding.path}: {finding.message}" for finding in report.findings if finding.rule_id == rule_id]
        left = [unchecked.reason for unchecked in report.not_checked if unchecked.rule_id == rule_id]
        checks.append(Check(rule_id, "fail" if found else "not_checked" if left else "pass", found or left))
    return checks


def _same_engine(sealed: Examination, folder: str, allowed: Allowed, degraded: Sequence[AbilityName]) -> Check:
    """R6: the engine that is at hand is the one of the run, or the operator allowed exactly this other one."""
    meta = sealed.value(META) if sealed.is_sound(META) else None
    if meta is None:
        return Check("R6", "not_checked", [f"needs {META}"])
    contracts, _ = read_contracts(folder)
    if contracts.findings:
        told = [f"{finding.path}: {finding.message}" for finding in contracts.findings]
        return Check("R6", "fail", told)
    manifest = contracts.value(CONTRACTS[0])
    faults: list[str] = []
    if manifest["engine_code"] != meta["engine_code"]:
        faults.append(f"expected the engine {meta['engine_code']}, found {manifest['engine_code']}")
    recorded, present = meta["engine_version"], manifest["engine_version"]
    permitted = allowed.engine(meta["engine_code"], recorded, present)
    if recorded != present and not permitted:
        faults.append(f"expected engine version {recorded}, found {present}")
    if not permitted:
        faults += _other_files(contracts, meta, folder)
    interpreter = meta.get("interpreter")
    if interpreter is not None:
        now = (interpreter_of(folder, meta["entrypoint"], degraded=degraded) or {"version": ""})["version"]
        if now != interpreter["version"] and not allowed.interpreter(
            interpreter["command"], interpreter["version"], now
        ):
            faults.append(f"expected {interpreter['command']} to be {interpreter['version']}, found {now or 'none'}")
    return Check("R6", "fail" if faults else "pass", faults)


def _other_files(contracts: Examination, meta: dict[str, Any], folder: str) -> list[str]:
    faults = [
        f"{name}: expected the hash {told}, found {contracts.members[name].canonical_digest}"
        for name, told in meta["contracts_hashes"].items()
        if contracts.members[name].canonical_digest != told
    ]
    told = meta.get("engine_files_sha256")
    if told is not None:
        found = engine_files_sha256(engine_files(folder))
        if found != told:
            faults.append(f"expected the engine's files to have the hash {told}, found {found}")
    return faults


def _entrypoint(sealed: Examination, folder: str) -> list[str] | None:
    recorded: list[str] | None = sealed.value(META).get("entrypoint")
    if recorded is not None:
        return recorded
    contracts, _ = read_contracts(folder)
    found: list[str] | None = contracts.value(CONTRACTS[0]).get("entrypoint")
    return found


class EngineSubject:
    """A sealed run as something that can be run again."""

    def __init__(
        self, bundle: Examination, folder: str, entrypoint: list[str], degraded: Sequence[AbilityName]
    ) -> None:
        self._degraded = degraded
        self._input: Member = bundle.members[INPUT]
        self._folder = folder
        self._entrypoint = entrypoint
        meta = bundle.value(META)
        self.sealed_at: str | None = meta["sealed_at"]
        self.sealed = {OUTPUT: _text(bundle.members[OUTPUT])}
        recorded = meta.get("environment") or ENVIRONMENT
        self._environment = {name: value for name, value in recorded.items() if name not in FIXED_ENVIRONMENT}

    def cannot(self, condition: Variation | Source) -> str:
        return cannot(condition)

    def run(self, conditions: Conditions) -> dict[str, bytes] | Failed:
        with tempfile.TemporaryDirectory(prefix="affidavit-replay-", dir=place_for(conditions)) as scratch:
            folder = self._folder
            if "order" in conditions.varied:
                folder = os.path.join(scratch, "engine")
                os.mkdir(folder)
                copy_in_another_order(self._folder, folder, conditions.attempt)
            means = Means(conditions, scratch)
            with means.inherited():
                ran = execute(
                    folder,
                    means.argv(self._entrypoint),
                    _text(self._input),
                    setting=conditions.setting(PLACE),
                    environment=means.environment(self._environment),
                    read_only=means.read_only,
                    also_commands=means.also_commands,
                    degraded=self._degraded,
                )
        if not ran.worked:
            return Failed(ran.why())
        try:
            document = read(ran.stdout)
        except ParseError as error:
            return Failed(error.message)
        bundle = Examination("spec", judge)
        bundle.members[INPUT] = self._input
        put_output(bundle, document)
        return {OUTPUT: _text(bundle.members[OUTPUT])}


def _text(member: Member) -> bytes:
    assert member.text is not None, "a document that was read"
    return member.text
