"""evidence.json: what the execution of a proposal did (contracts 2.5, EV1-EV5)."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import utf16
from ..canon.profiles import KERNEL
from ..rules.checks import INSTANT, content_hash, each_once, is_relative
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Int, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_content_hash, is_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

ACTIONS = ("create", "modify", "delete")
STATUSES = ("complete", "partial", "failed")

#: EV5: what identifies the evidence. When and where it came about does not.
CORE = ("proposal_id", "proposal_hash", "action_results", "test_results", "status")

#: What older writers put where a run had no proposal.
_NO_PROPOSAL = "harness_execution"
_PROPOSAL = "the proposal"

_SPEC: tuple[Level, ...] = ("spec", "strict")
_STRICT: tuple[Level, ...] = ("strict",)


def _is_old_proposal_hash(text: str) -> bool:
    return is_content_hash(text) or is_hex(text, 64) or text == _NO_PROPOSAL


def _shape(level: Level) -> Shape:
    digest = content_hash()
    action = Obj({"path": non_empty(), "action": OneOf(*ACTIONS), "sha256": digest, "exit_code": Int()})
    test = Obj(
        {
            "test_id": non_empty(),
            "passed": Bool(),
            "exit_code": Int(),
            "stdout_sha256": digest,
            "stderr_sha256": digest,
        }
    )
    return _document(level, Arr(action, rule="EV2"), Arr(test, rule="EV3"), OneOf(*STATUSES, rule="EV4"))


def _basic_shape(level: Level) -> Shape:
    return _document(level, Arr(Anything()), Arr(Anything()), Text())


def _document(level: Level, action_results: Shape, test_results: Shape, status: Shape) -> Shape:
    if level == "compat":
        proposal_hash = Text(_is_old_proposal_hash, f"64 hex digits, sha256: or not, or {_NO_PROPOSAL}", rule="EV1")
        working_dir = Text()
    else:
        proposal_hash = content_hash("EV1")
        working_dir = Text(is_relative, "a relative path")
    return Obj(
        {
            "proposal_id": non_empty("EV1"),
            "proposal_hash": proposal_hash,
            "action_results": action_results,
            "test_results": test_results,
            "status": status,
        },
        {
            "started_at": INSTANT,
            "completed_at": INSTANT,
            "total_duration_ms": Int(0),
            "executor_id": Text(),
            "working_dir": working_dir,
        },
    )


def _is_the_proposals(proposal_id: str, proposal_hash: str, proposal: dict[str, str]) -> Iterator[Fault]:
    if proposal_id != proposal["id"]:
        yield Fault(f'"{proposal["id"]}", derived from the bundle', shown(proposal_id))
    if proposal_hash.removeprefix("sha256:") != proposal["hash"].removeprefix("sha256:"):
        yield Fault(f'"{proposal["hash"]}", derived from the bundle', shown(proposal_hash), field=1)


def _status_fits_actions(status: str, actions: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, action in enumerate(actions if status == "complete" else ()):
        if action["exit_code"] != 0:
            yield Fault('0, as status is "complete"', shown(action["exit_code"]), index, "exit_code", field=1)


def _status_fits_test_exits(status: str, tests: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, test in enumerate(tests if status == "complete" else ()):
        if test["exit_code"] != 0:
            yield Fault('0, as status is "complete"', shown(test["exit_code"]), index, "exit_code", field=1)


def _status_fits_tests(status: str, tests: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, test in enumerate(tests if status == "complete" else ()):
        if not test["passed"]:
            yield Fault('true, as status is "complete"', "false", index, "passed", field=1)


def _something_failed(status: str, actions: list[dict[str, Any]], tests: list[dict[str, Any]]) -> Iterator[Fault]:
    failed = any(action["exit_code"] != 0 for action in actions) or any(
        test["exit_code"] != 0 or not test["passed"] for test in tests
    )
    if status == "failed" and not failed:
        yield Fault("something that did not succeed", '"failed" where all did')


_BASIC_RULES = (
    Rule(SCHEMA, "the five core members are there, lists are lists"),
    Rule("EV1", "the proposal is named, its hash is a content hash"),
    Rule(
        "EV1",
        "id and hash are the proposal's",
        _is_the_proposals,
        needs=("proposal_id", "proposal_hash"),
        context=_PROPOSAL,
    ),
)

#: What a pack asks of its evidence at spec and compat: PK8 needs the five members (contracts 2.5).
BASIC_EVIDENCE = Contract("evidence record", "evidence", _basic_shape, _BASIC_RULES)

EVIDENCE = Contract(
    "evidence record",
    "evidence",
    _shape,
    (
        *_BASIC_RULES,
        Rule("EV2", "action results have their members and hashes"),
        Rule("EV2", "each path once", each_once("path"), needs=("action_results",), levels=_STRICT),
        Rule("EV3", "test results have their members and hashes"),
        Rule("EV3", "each test once", each_once("test_id"), needs=("test_results",), levels=_STRICT),
        Rule("EV4", "complete: every action ended with 0", _status_fits_actions, needs=("status", "action_results")),
        Rule("EV4", "complete: every test ended with 0", _status_fits_test_exits, needs=("status", "test_results")),
        # older writers judge by exit codes alone
        Rule("EV4", "complete: every test passed", _status_fits_tests, needs=("status", "test_results"), levels=_SPEC),
        Rule("EV4", "failed: something did", _something_failed, needs=("status", "action_results", "test_results")),
        Rule("EV5", "equal cores have equal hashes", behaviour=True),
    ),
)


def verify_basic_evidence(value: object, *, level: Level = "spec") -> Report:
    """What a pack asks of its evidence at spec and compat."""
    return survives_writing(examine(BASIC_EVIDENCE, value, level), value, SCHEMA)


def verify_evidence(value: object, *, level: Level = "spec", proposal: dict[str, str] | None = None) -> Report:
    """EV1-EV5. `proposal` is the `id` and `hash` that were derived from the bundle, where one is at hand.
    `facts["evidence_hash"]` is there only when the record is valid."""
    context = {} if proposal is None else {_PROPOSAL: proposal}
    report = survives_writing(examine(EVIDENCE, value, level, context), value, "EV5")
    if report.ok:
        report.facts["evidence_hash"] = evidence_hash(value)  # type: ignore[arg-type]
    return report


def evidence_hash(evidence: dict[str, Any]) -> str:
    """The KERNEL hash of the core, actions by path and tests by id: the order in which they ran is no part of it."""
    core = {name: evidence[name] for name in CORE}
    core["action_results"] = _in_core_order(evidence["action_results"], "path")
    core["test_results"] = _in_core_order(evidence["test_results"], "test_id")
    return KERNEL.digest(core).content_hash


def _in_core_order(results: list[dict[str, Any]], member: str) -> list[dict[str, Any]]:
    return sorted(results, key=lambda result: (utf16(result[member]), canonical(result)))


EXAMPLE: dict[str, Any] = {
    "proposal_id": "prop_70e9b23ce9e31900",
    "proposal_hash": "sha256:5c18878a0016ae1919927f55810bdfd65e7a560be77578751029c6f499172947",
    "action_results": [
        {
            "path": "out/old.html",
            "action": "delete",
            "sha256": "sha256:8ded55554bcb815cb5d366eda8e6fc81e993571b11d1c9fc361bee4c9ae0576c",
            "exit_code": 0,
        },
        {
            "path": "out/page.md",
            "action": "create",
            "sha256": "sha256:90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be",
            "exit_code": 0,
        },
    ],
    "test_results": [
        {
            "test_id": "build",
            "passed": True,
            "exit_code": 0,
            "stdout_sha256": "sha256:56f6e6304d02d413bb7d5d463ac5cdc58551266dc7269b467fc385815f39b913",
            "stderr_sha256": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        },
        {
            "test_id": "page",
            "passed": True,
            "exit_code": 0,
            "stdout_sha256": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "stderr_sha256": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        },
    ],
    "status": "complete",
    "started_at": "2026-01-06T12:00:00.000Z",
    "completed_at": "2026-01-06T12:00:01.500Z",
    "total_duration_ms": 1500,
    "executor_id": "affidavit",
    "working_dir": ".",
}
