"""What is it that stands at a path, and which verifier is it for (contracts 5).

Directories are told by the files in them, documents by their members and, where those are damaged, by their name.
Recognising only chooses: whatever was chosen is then verified in full, so a wrong guess is a finding and never a pass.
To teach `affidavit verify` another kind of thing is to add a row to a table here.
"""

from __future__ import annotations

import os

from ..canon.order import in_order
from ..canon.reader import MAX_BYTES, read
from ..errors import ParseError, ReadFailed
from ..shown import plain
from .input import stream_input, watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..rules.model import Report
    from ..values import Level

    #: What was verified, each under the path that tells it from the others.
    Verified = Iterator[tuple[str, Report]]
    #: Told how many bytes were read and how many there are in all.
    Progress = Callable[[int, int], None]


def verified(
    path: str, level: Level, *, every: bool = False, max_bytes: int = MAX_BYTES, progress: Progress | None = None
) -> Verified:
    """What stands at `path` with its report; of an out folder the latest run, or with `every` each of them. Raises
    AffidavitError for what cannot be read, parsed or recognised."""
    if os.path.isdir(path):
        for _, is_one, verify in DIRECTORIES:
            if is_one(path):
                yield from verify(path, level, every, progress)
                return
        known = ", ".join(document for document, _, _ in DIRECTORIES)
        raise ReadFailed("UNRECOGNISED", f"{plain(path)}: expected one of {known}, found none of their files in it")
    yield path, _verify_file(path, level, max_bytes, progress)


# Directories.


def holds(*names: str) -> Callable[[str], bool]:
    """Whether a directory has an entry of one of these names, of whatever kind."""

    def is_one(path: str) -> bool:
        return any(os.path.lexists(os.path.join(path, name)) for name in names)

    return is_one


def _holds_a_member(path: str) -> bool:
    from ..contracts.pack import MEMBERS

    return holds(*MEMBERS)(path)


def _verify_pack(path: str, level: Level, _every: bool, _progress: Progress | None) -> Verified:
    from ..packs.verify import verify_pack

    yield path, verify_pack(path, level=level)


def _verify_run(path: str, level: Level, _every: bool, progress: Progress | None) -> Verified:
    from ..store.verify import verify_run_directory

    return verify_run_directory(path, level, progress)


def _verify_out_folder(path: str, level: Level, every: bool, progress: Progress | None) -> Verified:
    from ..store.verify import verify_out_folder

    return verify_out_folder(path, level, every=every, progress=progress)


def _is_out_folder(path: str) -> bool:
    from ..store.verify import is_out_folder

    return is_out_folder(path)


def _verify_engine_bundle(path: str, level: Level, _every: bool, _progress: Progress | None) -> Verified:
    from ..engine.bundle import verify_engine_bundle

    yield path, verify_engine_bundle(path, level=level)


#: More are not verified at once.
_MOST_SEALED = 100_000
_OF_A_SEALED_RUN = ("ENGINE_MANIFEST.json", "RUN_META.json", "SHA256SUMS.txt")


def _folders(path: str) -> list[str]:
    """The folders in a folder but hidden ones: such a run is still being sealed."""
    found: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
                found.append(entry.path)
            if len(found) > _MOST_SEALED:
                raise ReadFailed("IO", f"{plain(path)}: expected at most {_MOST_SEALED} folders in it, found more")
    return in_order(found)


def _is_folder_of_sealed_runs(path: str) -> bool:
    return any(map(holds(*_OF_A_SEALED_RUN), _folders(path)))


def _verify_sealed_runs(path: str, level: Level, _every: bool, progress: Progress | None) -> Verified:
    """Every folder in it: one that lost all by which it could be told is a run that is not whole, and nothing else."""
    for run in _folders(path):
        yield from _verify_engine_bundle(run, level, _every, progress)


#: What a directory may be, how that is seen, and what verifies it; the first that is seen it is.
DIRECTORIES: tuple[tuple[str, Callable[[str], bool], Callable[[str, Level, bool, Progress | None], Verified]], ...] = (
    ("a run directory", holds("run_status.json", "artifact_index.json"), _verify_run),
    (
        "a sealed run of an engine",
        holds(*_OF_A_SEALED_RUN),
        _verify_engine_bundle,
    ),
    ("a pack", holds("run.json"), _verify_pack),
    ("an out folder", _is_out_folder, _verify_out_folder),
    ("a folder of sealed runs", _is_folder_of_sealed_runs, _verify_sealed_runs),
    ("a pack without run.json", _holds_a_member, _verify_pack),
)


# Files.

_ZIP = (b"PK\3\4", b"PK\5\6")

#: Members that only this document has, and the module of its contract.
BY_MEMBERS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("runner_schema_version",), "runner"),
    (("run_schema_version",), "run"),
    (("patch_schema_version",), "patch"),
    (("model_io_schema_version",), "model_io"),
    (("apply_schema_version",), "apply"),
    (("git_apply_schema_version",), "git_apply"),
    (("root_node", "terminal_nodes"), "bundle"),
    (("source_bundle_id", "actions"), "proposal"),
    (("action_results", "proposal_hash"), "evidence"),
    (("allow_network", "allowed_write_roots"), "policy"),
    (("mismatches", "counts", "generated_by"), "mismatch_summary"),
    (("engine_role", "invariants"), "engine_manifest"),
    (("allowed_inputs_from_other_engines",), "coupling_rules"),
    (("contracts_hashes",), "run_meta"),
    (("outputs_hash", "inputs_hash"), "run_output"),
    (("inputs", "parameters", "project_id"), "run_input"),
    (("goal",), "intent"),
)

#: What stands in `schema_version`, without the family's name in front and the version behind.
_FAMILY = ("runtime-tools.", "hardened-runtime.")
BY_SCHEMA = {
    "artifact_index": "artifact_index",
    "run_status": "run_status",
    "apply_preflight": "apply_preflight",
    "baseline_results": "baseline_results",
    "oracle_results": "oracle_results",
    "path_witnesses": "path_witnesses",
    "mismatch_packet": "mismatch_packets",
    "run_manifest": "run_manifest",
    "summary": "summary",
    "repair_log": "repair_log",
    "promotion_packet": "promotion_packet",
    "plan": "plan",
    "probe_registry": "probe_registry",
    "profile_registry": "profile_registry",
    "registry_index": "registry_index",
}

#: Files whose content tells nothing, because it is damaged or because it has no members of its own.
BY_NAME = {
    "run.json": "run",
    "bundle.json": "bundle",
    "patch.json": "patch",
    "evidence.json": "evidence",
    "policy.json": "policy",
    "model_io.json": "model_io",
    "runner.json": "runner",
    "intent.json": "intent",
    "artifact_index.json": "artifact_index",
    "run_status.json": "run_status",
    "run_manifest.json": "run_manifest",
    "apply_preflight.json": "apply_preflight",
    "expected_matrix.generated.json": "expected_matrix",
    "expected_matrix.json": "expected_matrix",
    "runtime_results.json": "runtime_results",
    "runtime_events.normalized.json": "runtime_events",
    "baseline_results.json": "baseline_results",
    "oracle_results.json": "oracle_results",
    "mismatch_summary.json": "mismatch_summary",
    "path_witnesses.json": "path_witnesses",
    "summary.json": "summary",
    "repair_log.json": "repair_log",
    "ENGINE_MANIFEST.json": "engine_manifest",
    "COUPLING_RULES.json": "coupling_rules",
    "RUN_INPUT.json": "run_input",
    "RUN_OUTPUT.json": "run_output",
    "RUN_META.json": "run_meta",
    "ARTIFACT_INDEX.json": "run_artifacts",
}

#: A line of a ledger has all of these.
_OF_A_LEDGER = ("run_id", "intent_sha256", "result_kind")


def _verify_file(path: str, level: Level, max_bytes: int, progress: Progress | None) -> Report:
    from ..contracts.pack import MODEL_IO_BYTES

    stream = stream_input(path)
    head = next(stream, b"")
    if head.startswith(_ZIP) and path != "-":
        from ..packs.verify import verify_pack

        stream.close()
        return verify_pack(path, level=level)
    if _begins_a_ledger(head) or _name_of(path) == "ledger.jsonl":
        from ..contracts.ledger import verify_ledger

        whole = _chained(head, stream)
        return verify_ledger(watched(whole, path, progress) if progress else whole, level=level)
    if _name_of(path).endswith(".jsonl"):
        return _verify_lines(path, _chained(head, stream), level)
    most = max(max_bytes, MODEL_IO_BYTES)
    data = _joined(_chained(head, stream), most)
    value = read(data, max_bytes=most)
    module = module_of(value, _name_of(path))
    if module is None:
        told = "a document that this version knows, by its members or its name"
        raise ReadFailed("UNRECOGNISED", f"{plain(path)}: expected {told}, found another")
    if module != "model_io" and len(data) > max_bytes:
        read(data, max_bytes=max_bytes)  # says that it is too large
    del data
    return _contract(module)(value, level=level)


def _verify_lines(path: str, pieces: Iterable[bytes], level: Level) -> Report:
    """Each line is a document. The line's number, from 0, goes before its places."""
    from ..contracts.ledger import split_lines
    from ..rules.report import joined

    reports: list[Report] = []
    for number, line in enumerate(split_lines(pieces)):
        value = read(line)
        module = module_of(value, "")
        if module is None:
            told = f"on line {number + 1} a document that this version knows by its members"
            raise ReadFailed("UNRECOGNISED", f"{plain(path)}: expected {told}, found another")
        reports.append(_contract(module)(value, level=level))
    if not reports:
        raise ReadFailed("UNRECOGNISED", f"{plain(path)}: expected a document on each line, found no line")
    return joined(reports)


def module_of(value: object, name: str) -> str | None:
    """The contract that a document is for; None where neither its members nor its name tell."""
    if type(value) is dict:
        for members, module in BY_MEMBERS:
            if all(member in value for member in members):
                return module
        schema = value.get("schema_version")
        if type(schema) is str and schema.startswith(_FAMILY):
            kind = schema.partition(".")[2].rpartition(".v")[0]
            return BY_SCHEMA.get(kind) or BY_NAME.get(name)
        if "world_id" in value and "profiles" in value:
            return "expected_matrix"  # a plan has these too, and says that it is one
    return BY_NAME.get(name)


def _contract(module: str) -> Callable[..., Report]:
    from importlib import import_module

    verify: Callable[..., Report] = getattr(import_module(f"affidavit.contracts.{module}"), f"verify_{module}")
    return verify


def _begins_a_ledger(head: bytes) -> bool:
    try:
        first = read(head.partition(b"\n")[0])
    except ParseError:
        return False
    return type(first) is dict and all(member in first for member in _OF_A_LEDGER)


def _name_of(path: str) -> str:
    return os.path.basename(path)


def _chained(head: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


def _joined(pieces: Iterable[bytes], most: int) -> bytes:
    """All of it, or of what is too large enough for the reader to say so."""
    held: list[bytes] = []
    left = most + 1
    for piece in pieces:
        held.append(piece[:left])
        left -= len(held[-1])
        if not left:
            break
    return b"".join(held)
