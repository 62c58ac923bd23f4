"""`affidavit canonicalize [FILE|-] [--check] [--hash kernel|engine|raw]`."""

from __future__ import annotations

from ...canon.profiles import ENGINE, KERNEL, RAW
from ...canon.reader import read_document
from ...errors import UsageError
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
    arguments=(Argument("FILE", "the document; - or nothing reads standard input", optional=True),),
    examples=(
        ("affidavit canonicalize record.json > record.canonical.json", "write the canonical bytes"),
        ("affidavit canonicalize --check record.json", "exit status 0 when it is canonical"),
        ("affidavit canonicalize --hash kernel record.json", "the digest that the kernel family speaks of"),
    ),
    statuses=((0, "written; with --check: canonical"), (1, "with --check: not canonical"), (2, "error, wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 2, "refused": 2, "internal": 2},
)


def run(args: Args, out: Output) -> int:
    check, profile = args.has("--check"), args.text("--hash")
    if check and profile:
        raise UsageError("USAGE", "--check and --hash ask different questions: give one of them")
    path = args.argument("FILE") or "-"
    data = read_input(path)
    if profile == "raw":
        return _tell_digest(out, "RAW", RAW.digest(data).content_hash)
    document = read_document(data)
    if profile == "kernel":
        return _tell_digest(out, "KERNEL", KERNEL.digest(document.value).content_hash)
    if profile == "engine":
        return _tell_digest(out, "ENGINE", ENGINE.digest(document.value).hex)
    text = document.canonical()
    if not check:
        out.raw(text if out.for_program else text + b"\n")
        return 0
    return _tell_check(out, path, data, text)


def _tell_digest(out: Output, profile: str, digest: str) -> int:
    if out.json:
        out.result({"digest": digest, "profile": profile})
    else:
        out.raw(digest.encode() + b"\n")
    return 0


def _tell_check(out: Output, path: str, data: bytes, text: bytes) -> int:
    # both spellings of the contracts' files are canonical: JCS bytes alone, and with one LF
    if data in (text, text + b"\n"):
        if out.json:
            out.result({"canonical": True})
        return 0
    offset = next((at for at, (a, b) in enumerate(zip(data, text, strict=False)) if a != b), min(len(data), len(text)))
    if out.json:
        out.result({"canonical": False, "first_difference": offset})
    else:
        out.say(f"{plain(path)}: not canonical: differs from its canonical form at byte {offset}")
    return 1
