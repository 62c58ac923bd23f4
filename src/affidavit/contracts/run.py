"""run.json: the result of a harness run (seed 000, RS1-RS8; contracts 2.2)."""

from __future__ import annotations

from ..canon.profiles import KERNEL, derive_id
from ..rules.checks import INSTANT, content_hash, each_once, is_relative, sorted_by, stays_below, version_of
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Bool, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import LOWER_ALNUM, is_hex, is_id, made_of, parse_timestamp

# the one sibling: a run record embeds its policy, and RS5 compares that with the profile
from .policy import (
    MODEL_MODES,
    PROFILE,
    differences,
    model_mode_violation,
    policy_hash,
    policy_members,
    profile_context,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "1.0.0"
OUTCOMES = ("BUNDLE", "CLARIFY", "REFUSE")

#: What identical inputs need not make identical (seed 000, 4.3).
EPHEMERAL = ("run_id", "started_at", "completed_at", "sandbox_path", "model_io_path")


#: Why what was not executed was decided as it was (contracts 2.2).
PLAN_ONLY = "Plan-only mode: no execution"
CLARIFICATION_NEEDED = "Clarification needed before execution"
REFUSED = "Kernel refused: "


def is_run_id(text: str) -> bool:
    """`hr_<base36 epoch ms>_<8 hex>`."""
    parts = text.split("_")
    return len(parts) == 3 and parts[0] == "hr" and made_of(parts[1], LOWER_ALNUM) and is_hex(parts[2], 8)


def _is_sandbox_id(text: str) -> bool:
    return is_id(text, "sandbox")


def _shape(level: Level) -> Shape:
    strict = level == "strict"
    output = Obj(
        {"path": non_empty(), "sha256": content_hash(), "size_bytes": Int(0)},
        {"mode": non_empty()},
    )
    execution = Obj(
        {
            "sandbox_id": Text(_is_sandbox_id, "sandbox_ and 16 hex digits") if strict else non_empty(),
            "cmd": Arr(Text()),
            "exit_code": Int(0, 255) if strict else Int(),
            "stdout_sha256": content_hash(),
            "stderr_sha256": content_hash(),
            "outputs": Arr(output),
            "total_output_bytes": Int(0),
            "output_truncated": Bool(),
        }
    )
    bundle = Obj({"bundle_id": non_empty(), "sha256": content_hash()}, rule="RS4")
    decision = Obj(
        {"accepted": Bool(), "reasons": Arr(Text()), "validated_by_kernel": OneOf(True)},
        rule="RS8",
    )
    return Obj(
        {
            "run_schema_version": version_of(1, "RS1"),
            "run_id": Text(is_run_id, "hr_, base 36 digits, _ and 8 hex digits") if strict else non_empty(),
            "started_at": INSTANT,
            "completed_at": INSTANT,
            "kernel_version": non_empty(),
            "policy": Obj(policy_members("RS5", "RS5", "RS5"), rule="RS5", missing="RS5"),
            "intent": Obj({"path": Text(rule="RS6"), "sha256": content_hash("RS4")}),
            "bundle": Nullable(bundle, rule=SCHEMA),
            "kernel_result_kind": OneOf(*OUTCOMES, rule="RS2"),
            "execution": Nullable(execution),
            "decision": decision,
            "model_mode": OneOf(*MODEL_MODES),
        },
        {
            "clarify_questions": Arr(Text(), rule="RS3", container_rule="RS3"),
            "refuse_reason": Text(rule="RS3"),
        },
    )


def _fields_fit_outcome(
    kind: str,
    bundle: dict[str, Any] | None,
    execution: dict[str, Any] | None,
    clarify_questions: list[str] | None,
    refuse_reason: str | None,
) -> Iterator[Fault]:
    because = f"as the outcome is {kind}"
    if (bundle is None) != (kind == "REFUSE"):
        wanted = "null" if kind == "REFUSE" else "a bundle reference"
        yield Fault(f"{wanted}, {because}", shown(bundle), field=1)
    if kind != "BUNDLE" and execution is not None:
        yield Fault(f"null, {because}", "an object", field=2)
    for field, owner, told in ((3, "CLARIFY", clarify_questions), (4, "REFUSE", refuse_reason)):
        if kind != owner and told is not None:
            yield Fault(f"no such member, {because}", "one", field=field)
        elif kind == owner and not told:
            yield Fault(f"at least something, {because}", "no such member" if told is None else "nothing", field=field)


def _path_is_relative(path: str) -> Iterator[Fault]:
    if path and not is_relative(path):
        yield Fault("a relative path or a basename", shown(path))


def _is_internal(_path: object) -> Iterator[Fault]:
    yield Fault("no such member in what others get to see", "one")


def _decision_fits(kind: str, execution: dict[str, Any] | None, accepted: bool) -> Iterator[Fault]:
    if kind != "BUNDLE":
        if accepted:
            yield Fault(f"false, as the outcome is {kind}", "true", field=2)
    elif execution is not None and accepted != (execution["exit_code"] == 0):
        wanted = "false" if accepted else "true"
        yield Fault(f"{wanted}, as the exit code is {shown(execution['exit_code'])}", shown(accepted), field=2)


def _reasons_fit(
    kind: str, execution: dict[str, Any] | None, reasons: list[str], refuse_reason: str | None
) -> Iterator[Fault]:
    """What was not executed has one fixed reason."""
    if execution is None:
        fixed = {"BUNDLE": PLAN_ONLY, "CLARIFY": CLARIFICATION_NEEDED, "REFUSE": f"{REFUSED}{refuse_reason}"}[kind]
        if reasons != [fixed]:
            yield Fault(f"{shown(fixed)} alone, as nothing was executed", shown(", ".join(reasons)), field=2)


def _ends_after_start(started_at: str, completed_at: str) -> Iterator[Fault]:
    start, end = parse_timestamp(started_at), parse_timestamp(completed_at)
    assert start is not None and end is not None  # noqa: PT018 -- the shape let only instants through
    if end < start:
        yield Fault("an instant not before started_at", shown(completed_at), field=1)


def _outputs_add_up(execution: dict[str, Any] | None) -> Iterator[Fault]:
    if execution is None:
        return
    total = sum(output["size_bytes"] for output in execution["outputs"])
    if execution["total_output_bytes"] != total:
        yield Fault(f"{total}, the sum of the sizes", shown(execution["total_output_bytes"]), "total_output_bytes")
    for fault in each_once("path")(execution["outputs"]):
        yield Fault(fault.expected, fault.found, "outputs", *fault.steps)


def _outputs_in_order(execution: dict[str, Any] | None) -> Iterator[Fault]:
    for fault in sorted_by("path")(execution["outputs"]) if execution else ():
        yield Fault(fault.expected, fault.found, "outputs", *fault.steps)


def _outputs_are_inside(execution: dict[str, Any] | None) -> Iterator[Fault]:
    for index, output in enumerate(execution["outputs"] if execution else ()):
        if not stays_below(output["path"]):
            yield Fault('a relative path without ".."', shown(output["path"]), "outputs", index, "path")


def _sandbox_id_derived(
    execution: dict[str, Any] | None, bundle: dict[str, Any] | None, policy: dict[str, Any]
) -> Iterator[Fault]:
    if execution is not None and bundle is not None:
        derived = sandbox_id(bundle["sha256"], policy, execution["cmd"])
        if execution["sandbox_id"] != derived:
            yield Fault(f'"{derived}", as derived', shown(execution["sandbox_id"]), "sandbox_id")


def _mode_is_allowed(model_mode: Any, policy: dict[str, Any]) -> Iterator[Fault]:
    # where the recording was is nothing a run record tells, so only PL4 can be judged
    violation = model_mode_violation(policy, model_mode, has_recording=True)
    if violation:
        yield Fault("a model mode that the policy allows", violation)


_STRICT: tuple[Level, ...] = ("strict",)

RUN = Contract(
    "run result",
    "run",
    _shape,
    (
        Rule(SCHEMA, "every member is there and has its type"),
        Rule(SCHEMA, "outputs are sorted by path", _outputs_in_order, needs=("execution",)),
        Rule("RS1", "run_schema_version is one this verifier reads"),
        Rule("RS2", "the outcome is one of three"),
        Rule(
            "RS3",
            "the members fit the outcome",
            _fields_fit_outcome,
            needs=("kernel_result_kind", "bundle", "execution", "?clarify_questions", "?refuse_reason"),
        ),
        Rule("RS4", "references are content hashes, the bundle's id is not empty"),
        Rule("RS5", "the embedded policy is the profile", differences, needs=("policy",), context=PROFILE),
        Rule("RS6", "the intent's path is relative", _path_is_relative, needs=("intent.path",)),
        Rule("RS6", "no path of the sandbox is told", _is_internal, needs=("sandbox_path",)),
        Rule("RS6", "no path of a recording is told", _is_internal, needs=("model_io_path",)),
        Rule("RS7", "the result survives parsing and writing unchanged", behaviour=True),
        Rule(
            "RS8",
            "the decision fits outcome and execution",
            _decision_fits,
            needs=("kernel_result_kind", "execution", "decision.accepted"),
        ),
        Rule(
            "RS8",
            "what was not executed has its fixed reason",
            _reasons_fit,
            needs=("kernel_result_kind", "execution", "decision.reasons", "?refuse_reason"),
            levels=_STRICT,
        ),
        Rule(
            SCHEMA, "no end before the start", _ends_after_start, needs=("started_at", "completed_at"), levels=_STRICT
        ),
        Rule(SCHEMA, "sizes add up, each path once", _outputs_add_up, needs=("execution",), levels=_STRICT),
        Rule(
            "RS4",
            "the sandbox id is derived from bundle, policy and command",
            _sandbox_id_derived,
            needs=("execution", "bundle", "policy"),
            levels=_STRICT,
        ),
        Rule(
            "RS5", "the policy allows the model mode", _mode_is_allowed, needs=("model_mode", "policy"), levels=_STRICT
        ),
        Rule("RS6", "output paths stay inside", _outputs_are_inside, needs=("execution",), levels=_STRICT),
    ),
)


def verify_run(value: object, *, level: Level = "spec", policy: dict[str, Any] | None = None) -> Report:
    """RS1-RS8. RS5 of a custom profile is examined only when its file's `policy` is given. `facts["run_hash"]`, the
    hash of the canonical subset, is there only when the result is valid."""
    context = profile_context(value.get("policy") if type(value) is dict else None, policy)
    report = survives_writing(examine(RUN, value, level, context), value, "RS7")
    if report.ok:
        report.facts["run_hash"] = run_hash(value)  # type: ignore[arg-type]
    return report


def canonical_subset(run: dict[str, Any]) -> dict[str, Any]:
    """What identical inputs make identical: all but the ephemeral members and where the intent lay (contracts 2.2)."""
    subset = {name: member for name, member in run.items() if name not in EPHEMERAL}
    subset["intent"] = {name: member for name, member in run["intent"].items() if name != "path"}
    return subset


def run_hash(run: dict[str, Any]) -> str:
    """The KERNEL hash of the canonical subset: two runs with equal hashes had the same result."""
    return KERNEL.digest(canonical_subset(run)).content_hash


def sandbox_id(bundle_sha256: str, policy: dict[str, Any], cmd: list[str]) -> str:
    """Derived, not drawn: the seed counts the execution among the canonical members."""
    return derive_id("sandbox", {"bundle_sha256": bundle_sha256, "policy_sha256": policy_hash(policy), "cmd": cmd})


EXAMPLE: dict[str, Any] = {
    "run_schema_version": "1.0.0",
    "run_id": "hr_mk2h8w00_1f2e3d4c",
    "started_at": "2026-01-06T12:00:00.000Z",
    "completed_at": "2026-01-06T12:00:02.000Z",
    "kernel_version": "0.1.0",
    "policy": {
        "name": "default",
        "allow_network": False,
        "timeout_ms": 60000,
        "max_output_files": 500,
        "max_total_output_bytes": 52428800,
        "allowed_commands": ["node", "npm", "npx"],
        "allowed_write_roots": ["out", "dist", "build", "tmp"],
    },
    "intent": {
        "path": "intent.json",
        "sha256": "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    },
    "bundle": {
        "bundle_id": "bundle_495619356b69b4cb",
        "sha256": "sha256:a6c9f4dc0187901e07cd50f1523e10f827d53e6463d7f340b3f68f25a81dc9fa",
    },
    "kernel_result_kind": "BUNDLE",
    "execution": {
        "sandbox_id": "sandbox_85a8d71581162f1b",
        "cmd": ["node", "build.js"],
        "exit_code": 0,
        "stdout_sha256": "sha256:56f6e6304d02d413bb7d5d463ac5cdc58551266dc7269b467fc385815f39b913",
        "stderr_sha256": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "outputs": [
            {
                "path": "out/page.html",
                "sha256": "sha256:320a24004f649a98b65535e7c06bd8df344e10a3d006316ac63dbbacb1db0203",
                "size_bytes": 15,
                "mode": "0644",
            },
            {
                "path": "out/page.md",
                "sha256": "sha256:90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be",
                "size_bytes": 8,
                "mode": "0644",
            },
        ],
        "total_output_bytes": 23,
        "output_truncated": False,
    },
    "decision": {
        "accepted": True,
        "reasons": ["All required actions and tests succeeded"],
        "validated_by_kernel": True,
    },
    "model_mode": "none",
}
