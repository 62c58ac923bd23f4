"""The intent of a run: read from a file, or made from a command line (contracts 2.9)."""

from __future__ import annotations

import posixpath

from ..canon.jcs import canonical
from ..canon.profiles import RAW
from ..canon.reader import MAX_BYTES, read
from ..contracts.intent import verify_intent
from ..errors import ParseError
from ..rules.checks import is_relative
from ..shown import plain
from .errors import INVALID_INTENT, NO_FILE, NOT_JSON, RunError, because
from .input import read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What `run -- CMD` asks for; never a reason to ask back.
FIXED_GOAL = "Run the declared command."
#: The id of its one command.
COMMAND_ID = "command"
#: What an intent is called that lay nowhere.
MADE = "intent.json"


class Intent:
    """A valid intent: its document, and the bytes it was read from, which are what its hash speaks of."""

    __slots__ = ("document", "path", "raw", "sha256")

    def __init__(self, document: dict[str, Any], raw: bytes, path: str) -> None:
        self.document = document
        self.raw = raw
        self.path = path
        self.sha256 = RAW.digest(raw).content_hash

    def reference(self) -> dict[str, Any]:
        """The IntentRef of a run result."""
        return {"path": self.path, "sha256": self.sha256}


def read_intent(path: str) -> Intent:
    """The intent in a file that the caller named. Raises RUN_E001, RUN_E002, RUN_E003."""
    return parse_intent(read_file(path, NO_FILE, MAX_BYTES), path)


def parse_intent(raw: bytes, path: str = MADE) -> Intent:
    """The intent in these bytes; `path` is where they were. Raises RUN_E002, RUN_E003."""
    try:
        document = read(raw)
    except ParseError as error:
        raise because(NOT_JSON, error, plain(path)) from None
    return Intent(_valid(document, path), raw, public_path(path))


def made_intent(document: dict[str, Any]) -> Intent:
    """An intent that was made here and not read; its bytes are its canonical ones."""
    return Intent(_valid(document, MADE), canonical(document) + b"\n", MADE)


def intent_of_command(argv: list[str], env: dict[str, str], stdin: bytes) -> Intent:
    """What `run -- CMD` declares. Of standard input it tells the digest: what is read there may be anything, and need
    not be text."""
    command: dict[str, Any] = {"id": COMMAND_ID, "argv": argv}
    if env:
        command["env"] = env
    context: dict[str, Any] = {"work": {"commands": [command]}}
    if stdin:
        context["stdin_sha256"] = RAW.digest(stdin).content_hash
    return made_intent({"goal": FIXED_GOAL, "context": context})


def _valid(document: object, path: str) -> dict[str, Any]:
    report = verify_intent(document)
    if not report.ok:
        first = report.findings[0]
        more = f" (and {len(report.findings) - 1} more)" if len(report.findings) > 1 else ""
        place = first.path or "the document"
        raise RunError(
            INVALID_INTENT,
            f"{plain(path)}: {place}: {first.message}{more}",
            path=plain(path),
            pointer=first.path,
            expected=first.expected,
            found=first.found,
        )
    valid: dict[str, Any] = document  # type: ignore[assignment]
    return valid


def public_path(path: str) -> str:
    """How a run result tells where the intent lay: as given, unless that says where on this host (RS6)."""
    relative = posixpath.normpath(path)
    if not is_relative(relative) or relative.startswith("..") or not _is_text(relative):
        relative = posixpath.basename(relative)
    return relative if is_relative(relative) and _is_text(relative) else MADE


def _is_text(path: str) -> bool:
    return plain(path) == path
