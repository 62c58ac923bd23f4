"""Asks a model for the work that an intent leaves undeclared (contracts 2.9). What it proposes is judged as if the
intent had declared it: by the same contract, the same kernel, the same policy."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.intent import normalised, verify_intent
from ..errors import ParseError
from .errors import SANDBOX, RunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Session(Protocol):
        def ask(self, prompt: str) -> str: ...


#: How often a model may correct itself.
MOST_TRIES = 3

_TASK = """\
Propose the work that carries out the intent below. Answer with one JSON object and nothing else:
{
  "files":    [{"path": "...", "op": "create"|"modify"|"delete", "content": "..."}],
  "commands": [{"id": "...", "argv": ["..."], "stdin": "...", "env": {"NAME": "..."}, "required": true}],
  "tests":    [{"id": "...", "type": "command_success"|"file_exists"|"hash_match"|"content_match",
                "target": "...", "expected": "...", "required": true}]
}
Each of the three may be left out. Paths are relative to the workspace. A delete has no content. Ids are unique, of
a-z, 0-9, "_" and "-". A command_success test names the id of a command, every other test a path; hash_match expects
sha256: and 64 hex digits, content_match a text that the file contains. First the file operations are done, then the
commands run in order, without a shell unless one is called, then the tests are made. The policy says what is allowed;
an empty list allows everything.
"""


def is_undeclared(intent: dict[str, Any]) -> bool:
    """Nothing is declared: no work, or work in which there is nothing."""
    work = intent.get("context", {}).get("work", {})
    return not any(work.get(member) for member in ("files", "commands", "tests"))


def propose_work(session: Session, intent: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """The intent with the work that the model proposes. Raises RUN_E005 where that is none."""
    first = prompt_of(intent, policy)
    prompt = first
    fault = ""
    for _ in range(MOST_TRIES):
        answer = session.ask(prompt)
        whole, fault = _with_work(intent, answer)
        if whole is not None:
            return whole
        prompt = f"{first}\nYou answered:\n{answer}\nThat cannot be used: {fault}\nAnswer again.\n"
    raise RunError(
        SANDBOX, f"the model proposed no work that can be read, {MOST_TRIES} times: {fault}", cause="MODEL_NO_WORK"
    )


def prompt_of(intent: dict[str, Any], policy: dict[str, Any]) -> str:
    """The question: a function of the normalised intent and the policy alone, so that a recording answers it again."""
    told = normalised(intent)
    context = {name: member for name, member in told["context"].items() if name != "work"}
    return (
        f"{_TASK}\npolicy:\n{canonical(policy).decode()}\nintent:\n{canonical({**told, 'context': context}).decode()}\n"
    )


def _with_work(intent: dict[str, Any], answer: str) -> tuple[dict[str, Any] | None, str]:
    """The intent with the work in an answer; or None, and what is wrong with that."""
    try:
        work = read(_bare(answer).encode("utf-8", "surrogatepass"))
    except ParseError as error:
        return None, f"it is not JSON: {error.message}"
    whole = {**intent, "context": {**intent.get("context", {}), "work": work}}
    report = verify_intent(whole)
    if report.ok:
        return whole, ""
    first = report.findings[0]
    return None, f"{first.path.removeprefix('/context/work') or 'the object'}: {first.message}"


def _bare(answer: str) -> str:
    """Without the fence that models put around code."""
    text = answer.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text.partition("\n")[2].removesuffix("```").strip()
    return text
