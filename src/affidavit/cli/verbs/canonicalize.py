"""`affidavit canonicalize [FILE|-] [--hash kernel|engine|raw]`, `affidavit canonicalize --check [FILE...]`."""

from __future__ import annotations

from ...canon.profiles import ENGINE, KERNEL, RAW
from ...canon.reader import read_document
from ...errors import ParseError, ReadFailed, UsageError
from ...shown import plain
from ..args import Argument, Option, Verb
from ..input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "canonicalize",
    "Reads strict JSON and writes its canonical form (RFC 8785, JCS): exactly its bytes, no line end added.",
    options=(
        Option("--check", "write nothing; tell whether the input is canonical already (one line end may follow)"),
        Option(
            "--hash",
            "write the digest: kernel (sha256:<hex> of the canonical bytes and one LF), engine (bare hex of the "
            "canonical bytes) or raw (sha256:<hex> of the bytes as they are)",
            value="PROFILE",
            choices=("kernel", "engine", "raw"),
        ),
    ),
    arguments=(
        Argument(
            "FILE", "the document; - or nothing reads standard input; --check takes several", optional=True, many=True
        ),
    ),
    examples=(
        ("affidavit canonicalize record.json > record.canonical.json", "write the canonical bytes"),
        ("affidavit canonicalize --check record.json", "exit status 0 when it is canonical"),
        ("affidavit canonicalize --check *.json", "exit status 0 when all are; each that is not is named"),
        ("affidavit canonicalize --hash kernel record.json", "the digest that the kernel family speaks of"),
    ),
    statuses=((0, "written; with --check: canonical"), (1, "with --check: not canonical"), (2, "error, wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 2, "refused": 2, "internal": 2},
    answer=(
        "with `--hash` `digest` and `profile`; with `--check` `canonical` and `first_difference`, for several "
        "files `files`; else the canonical bytes themselves."
    ),
)


def run(args: Args, out: Output) -> int:
    check, profile = args.has("--check"), args.text("--hash")
    if check and profile:
        raise UsageError("USAGE", "--check and --hash ask different questions: give one of them")
    paths = args.arguments("FILE") or ["-"]
    if check:
        return _check(out, paths)
    if len(paths) > 1:
        raise UsageError("USAGE", "several documents make no canonical document: give one, or --check")
    data = read_input(paths[0])
    if profile == "raw":
        return _tell_digest(out, "RAW", RAW.digest(data).content_hash)
    document = read_document(data)
    if profile == "kernel":
        return _tell_digest(out, "KERNEL", KERNEL.digest(document.value).content_hash)
    if profile == "engine":
        return _tell_digest(out, "ENGINE", ENGINE.digest(document.value).hex)
    text = document.canonical()
    out.raw(text if out.for_program else text + b"\n")
    return 0


def _tell_digest(out: Output, profile: str, digest: str) -> int:
    if out.json:
        out.result({"digest": digest, "profile": profile})
    else:
        out.raw(digest.encode() + b"\n")
    return 0


def _check(out: Output, paths: list[str]) -> int:
    """One file: its answer. Several: an answer for each; what cannot be read hides nothing of the others."""
    if len(paths) == 1:
        offset = _first_difference(paths[0])
        if out.json:
            out.result(_answer(offset))
        else:
            _tell_check(out, paths[0], offset)
        return 1 if offset is not None else 0
    status = 0
    answers: list[dict[str, object]] = []
    for path in paths:
        try:
            offset = _first_difference(path)
        except (ReadFailed, ParseError) as error:
            status = 2
            answers.append({"path": path, "error": {"code": error.code, "message": error.message}})
            if not out.json:
                out.always_say(f"{plain(path)}: {error.message}", "bad")
            continue
        answers.append({"path": path, **_answer(offset)})
        if not out.json:
            _tell_check(out, path, offset)
        status = max(status, 1 if offset is not None else 0)
    if out.json:
        out.result({"canonical": status == 0, "files": answers})
    return status


def _first_difference(path: str) -> int | None:
    """Where the file differs from its canonical form; None where it is canonical. Both spellings of the contracts'
    files are: JCS bytes alone, and with one LF."""
    data = read_input(path)
    text = read_document(data).canonical()
    if data in (text, text + b"\n"):
        return None
    pairs = enumerate(zip(data, text, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(data), len(text)))


def _answer(offset: int | None) -> dict[str, object]:
    return {"canonical": True} if offset is None else {"canonical": False, "first_difference": offset}


def _tell_check(out: Output, path: str, offset: int | None) -> None:
    if offset is not None:
        out.say(f"{plain(path)}: not canonical: differs from its canonical form at byte {offset}")
