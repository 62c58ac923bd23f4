"""Runs of the harness for tests: a workspace of its own, and what came of it read back from where it was committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.evidence import verify_evidence
from affidavit.contracts.patch import verify_patch
from affidavit.contracts.policy import built_in
from affidavit.contracts.run import verify_run
from affidavit.contracts.runner import verify_runner
from affidavit.harness.run import run_intent

if TYPE_CHECKING:
    from pathlib import Path

DEV = built_in("dev")


class Run:
    """A committed run, its documents verified at `strict`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.result = self.document("run.json")
        report = verify_run(self.result, level="strict", policy=self.document("policy.json"))
        assert report.ok, report.findings
        for name, verify in (
            ("evidence.json", verify_evidence),
            ("patch.json", verify_patch),
            ("runner.json", verify_runner),
        ):
            if (directory / name).exists():
                found = verify(self.document(name), level="strict")
                assert found.ok, found.findings

    def document(self, name: str) -> Any:
        return read((self.directory / name).read_bytes())

    @property
    def accepted(self) -> bool:
        return bool(self.result["decision"]["accepted"])

    @property
    def reasons(self) -> list[str]:
        return [str(reason) for reason in self.result["decision"]["reasons"]]

    @property
    def execution(self) -> Any:
        return self.result["execution"]

    @property
    def outputs(self) -> dict[str, bytes]:
        """What is stored, by path; each is what the result says."""
        return {
            output["path"]: (self.directory / "outputs" / output["path"]).read_bytes()
            for output in self.execution["outputs"]
        }

    @property
    def stdout(self) -> bytes:
        return (self.directory / "stdout").read_bytes()

    @property
    def stderr(self) -> bytes:
        return (self.directory / "stderr").read_bytes()

    @property
    def warnings(self) -> list[str]:
        return [str(warning) for warning in self.document("runner.json").get("warnings", [])]


def command(name: str, *argv: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "argv": list(argv), **more}


def shell(name: str, script: str, **more: Any) -> dict[str, Any]:
    return command(name, "sh", "-c", script, **more)


def file(path: str, content: str = "x", op: str = "create") -> dict[str, str]:
    return {"path": path, "op": op} if op == "delete" else {"path": path, "op": op, "content": content}


def acceptance(name: str, kind: str, target: str, expected: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "target": target, **({} if expected is None else {"expected": expected}), **more}


def executed(place: Path, *, policy: Any = "dev", options: dict[str, Any] | None = None, **work: Any) -> Run:
    """The intent with this work, executed in a copy of `place`/work (made where it is not there)."""
    (place / "work").mkdir(exist_ok=True)
    intent = canonical({"goal": "Do the declared work.", "context": {"work": work}})
    finished = run_intent(
        intent,
        policy=policy,
        mode="execute-sandbox",
        workspace=place / "work",
        out=place / "out",
        **(options or {}),
    )
    return Run(place / "out" / finished.result["run_id"])


def limited(**members: Any) -> dict[str, Any]:
    """A custom profile: dev with these members."""
    return {**DEV, "name": "limited", **members}
