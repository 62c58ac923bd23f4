"""Vectors of the pack (seed 004; contracts 2.10): packs as tests/support/packs.py tells them, each one edit away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from tests.support.packs import PACKS, bind
from tests.support.vectors import Scenario, drop, edited, put, write

if TYPE_CHECKING:
    from tests.support.vectors import Edit

M = "/members"
RUN, BUNDLE, PATCH, EVIDENCE = f"{M}/run.json", f"{M}/bundle.json", f"{M}/patch.json", f"{M}/evidence.json"
LEDGER, POLICY, RUNNER, META = f"{M}/ledger.jsonl", f"{M}/policy.json", f"{M}/runner.json", f"{M}/meta.json"
OTHER = "sha256:" + "0" * 64
BARE = "0" * 64


def copied(source: str, target: str, member: str) -> Edit:
    """A member of another pack, put into this one."""

    def edit(pack: Any) -> None:
        pack["members"][target] = PACKS[source]()["members"][member]

    return edit


def kind(name: str, what: str) -> Edit:
    def edit(pack: Any) -> None:
        pack.setdefault("kinds", {})[name] = what

    return edit


def rewritten(member: str, pointer: str, value: object) -> tuple[Edit, Edit]:
    """An edit of the bundle, with run.json naming the hash of what is there then."""
    return put(f"{member}{pointer}", value), bind


EXECUTED = (
    Scenario("PK1-run", "there is no run.json", "PK1 run.json", drop(RUN)),
    Scenario("PK1-bundle", "an executed run has no bundle.json", "PK1 bundle.json", drop(BUNDLE)),
    Scenario("PK2-unknown", "a file that no pack has", "PK2 notes.txt", put(f"{M}/notes.txt", "")),
    Scenario("PK2-case", "a name in capitals", "PK2 RUN.JSON", put(f"{M}/RUN.JSON", {})),
    Scenario("PK2-PK12-directory", "a directory", ["PK2 more", "PK12 more"], kind("more", "directory")),
    Scenario("PK3-version", "run.json has no version", "PK3 run.json", drop(f"{RUN}/run_schema_version")),
    Scenario("PK3-json", "run.json is no JSON", "PK3 run.json", put(RUN, "{")),
    Scenario("PK3-array", "run.json is an array", "PK3 run.json", put(RUN, "[]")),
    Scenario(
        "PK3-intent-path", "the intent's path is absolute", "PK3 run.json", put(f"{RUN}/intent/path", "/home/a/i.json")
    ),
    Scenario(
        "PK3-compat-intent-path",
        "an older writer's absolute path of the intent",
        "valid",
        put(f"{RUN}/intent/path", "/home/a/i.json"),
        level="compat",
    ),
    Scenario("PK3-intent-hash", "the intent's hash is bare", "PK3 run.json", put(f"{RUN}/intent/sha256", BARE)),
    Scenario(
        "PK3-strict-decision",
        "a decision that does not fit the exit code",
        ["PK3 run.json", "PK9 ledger.jsonl"],
        put(f"{RUN}/decision/accepted", False),
        level="strict",
    ),
    Scenario(
        "PK4-member", "a bundle without outputs", ["PK4 bundle.json", "PK5 bundle.json"], drop(f"{BUNDLE}/outputs")
    ),
    Scenario("PK4-json", "a bundle that is no JSON", "PK4 bundle.json", put(BUNDLE, "{")),
    Scenario("PK4-key-twice", "a bundle with a key twice", "PK4 bundle.json", put(BUNDLE, '{"id":1,"id":1}')),
    Scenario("PK5-hash", "run.json names another hash", "PK5 bundle.json", put(f"{RUN}/bundle/sha256", OTHER)),
    Scenario(
        "PK5-changed",
        "one confidence in the bundle was changed",
        "PK5 bundle.json",
        put(f"{BUNDLE}/outputs/0/confidence", 1),
    ),
    Scenario(
        "PK5-strict-id",
        "run.json names another bundle",
        "PK5 bundle.json",
        put(f"{RUN}/bundle/bundle_id", "bundle_0000000000000000"),
        level="strict",
    ),
    Scenario("PK6-symlink", "a member is a symlink", "PK6 meta.json", kind("meta.json", "symlink")),
    Scenario("PK6-PK2-symlink", "an unknown name is a symlink", ["PK2 x", "PK6 x"], kind("x", "symlink")),
    Scenario("PK7-place", "the pack's path climbs", "PK7", put("/place", "a/../pack")),
    Scenario("PK7-backslash", "the pack's path climbs by backslash", "PK7", put("/place", "a\\..\\pack")),
    Scenario("PK7-dots-valid", "two dots in a name are a name", "valid", put("/place", "a..b/..pack")),
    Scenario("PK7-name", "a name has a separator", ["PK2 a\\b", "PK7 a\\b"], put(f"{M}/a\\b", "")),
    Scenario("PK8-patch", "a patch that climbs", "PK8 patch.json", put(f"{PATCH}/operations/0/path", "../x")),
    Scenario(
        "PK8-patch-hash", "a bare hash of the proposal", "PK8 patch.json", put(f"{PATCH}/source_proposal_hash", BARE)
    ),
    Scenario(
        "PK8-compat-patch-hash",
        "an older writer's bare hash of the proposal",
        "valid",
        put(f"{PATCH}/source_proposal_hash", BARE),
        level="compat",
    ),
    Scenario("PK8-evidence", "evidence without results", "PK8 evidence.json", drop(f"{EVIDENCE}/action_results")),
    Scenario(
        "PK8-evidence-hash", "a bare hash in the evidence", "PK8 evidence.json", put(f"{EVIDENCE}/proposal_hash", BARE)
    ),
    Scenario(
        "PK8-compat-evidence-hash",
        "an older writer's word in place of a hash",
        "valid",
        put(f"{EVIDENCE}/proposal_hash", "harness_execution"),
        level="compat",
    ),
    Scenario(
        "PK8-compat-working-dir",
        "an older writer's absolute working directory",
        "valid",
        put(f"{EVIDENCE}/working_dir", "/tmp/sandbox-1"),
        level="compat",
    ),
    Scenario(
        "PK8-policy", "a policy without a limit", ["PK8 policy.json"] * 2, drop(f"{POLICY}/timeout_ms"), level="spec"
    ),
    Scenario("PK8-policy-other", "another policy than the run's", "PK8 policy.json", put(f"{POLICY}/timeout_ms", 5000)),
    Scenario("PK8-runner", "a runner without limits", "PK8 runner.json", drop(f"{RUNNER}/limits")),
    Scenario("PK8-meta", "meta.json is no JSON", "PK8 meta.json", put(META, "{")),
    Scenario("PK8-meta-encoding", "meta.json is not UTF-8", "PK8 meta.json", put(META, {"hex": "22e922"})),
    Scenario("PK9-json", "a line that is no JSON", "PK9 ledger.jsonl", put(LEDGER, "{\n")),
    Scenario("PK9-entry", "a line that is no entry", "PK9 ledger.jsonl", put(f"{LEDGER}/0/result_kind", "OK")),
    Scenario(
        "PK9-lines-valid",
        "another line at spec",
        "valid",
        put(f"{LEDGER}/-", PACKS["clarify"]()["members"]["ledger.jsonl"][0]),
    ),
    Scenario(
        "PK9-strict-lines",
        "another line at strict",
        "PK9 ledger.jsonl",
        put(f"{LEDGER}/-", {**PACKS["executed"]()["members"]["ledger.jsonl"][0], "prev_sha256": OTHER}),
        level="strict",
    ),
    Scenario(
        "PK9-strict-run", "the line of another run", "PK9 ledger.jsonl", put(f"{LEDGER}/0/run_id", "x"), level="strict"
    ),
    Scenario("PK12-fifo", "a member is a FIFO", "PK12 meta.json", kind("meta.json", "FIFO")),
    Scenario("PK12-socket", "a member is a socket", "PK12 runner.json", kind("runner.json", "socket")),
    Scenario("PK12-device", "a member is a device", "PK12 ledger.jsonl", kind("ledger.jsonl", "device")),
    Scenario(
        "PK8-strict-runner-limits",
        "the runner had another limit than the policy",
        "PK8 runner.json",
        put(f"{RUNNER}/limits/timeout_ms", 1000),
        level="strict",
    ),
    Scenario(
        "PK8-strict-patch-content",
        "the patch writes what the bundle does not put out",
        ["PK8 evidence.json", "PK8 patch.json"],
        drop(f"{PATCH}/operations/1/expected_hash"),
        drop(f"{PATCH}/operations/1/size_bytes"),
        put(f"{PATCH}/operations/1/content", "# Page!!"),
        level="strict",
    ),
    Scenario(
        "PK8-strict-evidence-proposal",
        "the evidence is of another proposal than the patch, and than the bundle comes to",
        ["PK8 evidence.json", "PK8 evidence.json"],
        put(f"{EVIDENCE}/proposal_id", "prop_0000000000000000"),
        level="strict",
    ),
    Scenario(
        "PK8-strict-evidence-content",
        "the evidence saw another content than the patch has",
        "PK8 evidence.json",
        put(f"{EVIDENCE}/action_results/1/sha256", OTHER),
        level="strict",
    ),
    Scenario("PK11-valid", "whatever meta.json says", "valid", put(META, {"ok": False, "run.json": {"x": [True]}})),
    Scenario("PK11-key-twice-valid", "meta.json is JSON with a key twice", "valid", put(META, '{"a":1,"a":2}')),
)

CLARIFY = (
    Scenario(
        "PK2-clarify-patch", "a question with a patch", "PK2 patch.json", copied("executed", "patch.json", "patch.json")
    ),
    Scenario(
        "PK2-clarify-evidence",
        "a question with evidence",
        "PK2 evidence.json",
        copied("executed", "evidence.json", "evidence.json"),
    ),
    Scenario(
        "PK2-compat-clarify-patch",
        "a question with a patch, by an older writer",
        "valid",
        copied("executed", "patch.json", "patch.json"),
        level="compat",
    ),
    Scenario("PK1-clarify-bundle", "a question without bundle", "PK1 bundle.json", drop(BUNDLE)),
)

REFUSE = (
    Scenario(
        "PK2-refuse-bundle",
        "a refusal with a bundle",
        "PK2 bundle.json",
        copied("executed", "bundle.json", "bundle.json"),
    ),
    Scenario(
        "PK5-refuse-reference",
        "a refusal that names a bundle",
        "PK5 bundle.json",
        put(f"{RUN}/bundle", {"bundle_id": "bundle_495619356b69b4cb", "sha256": OTHER}),
    ),
)

RECORDED = (
    Scenario(
        "PK8-model-io",
        "a response that has another hash",
        "PK8 model_io.json",
        put(f"{M}/model_io.json/interactions/0/response_hash", OTHER),
    ),
    Scenario(
        "PK8-strict-model-mode",
        "a session in another mode than the run's",
        "PK8 model_io.json",
        put(f"{M}/model_io.json/mode", "replay"),
        level="strict",
    ),
)


def main() -> None:
    for name, scenarios in (("executed", EXECUTED), ("clarify", CLARIFY), ("refuse", REFUSE), ("recorded", RECORDED)):
        valid = PACKS[name]()
        for level in ("spec", "compat", "strict"):
            _write(f"valid-{name}-{level}", f"the pack of a run: {name}", ["valid"], valid, level)
        for scenario in scenarios:
            pack = edited(valid, *scenario.edits)
            _write(scenario.name, scenario.scenario, scenario.expect, pack, scenario.level)


def _write(name: str, scenario: str, expect: list[str], pack: Any, level: str) -> None:
    write("pack", name, scenario, expect, canonical(pack) + b"\n", level)
