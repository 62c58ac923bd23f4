"""Brings the outputs of a run to where its caller wants them."""

from __future__ import annotations

import os

from ..store import durable, fs
from ..store.durable import writing
from .errors import INTERNAL, RunError
from .outputs import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .run import Finished


def keep_outputs(finished: Finished, target: str) -> list[str]:
    """Copies the outputs of a committed run below `target`, which is made where it is not there; their paths. A file
    of the same path is replaced in one step, and no link is followed. Raises WriteFailed, ReadFailed."""
    execution = finished.result["execution"]
    outputs = [] if execution is None else execution["outputs"]
    with writing(target):
        os.makedirs(target, exist_ok=True)
    there = durable.open_directory(os.path.realpath(target))
    run = durable.open_directory(finished.directory)
    try:
        for output in outputs:
            _keep(run, there, output["path"], int(output["mode"], 8), output["sha256"])
    finally:
        os.close(run)
        os.close(there)
    return [output["path"] for output in outputs]


def _keep(run: int, there: int, path: str, mode: int, sha256: str) -> None:
    from ..canon.profiles import RAW, raw_hasher

    *parents, name = path.split("/")
    source = fs.open_below(run, FOLDER + path)
    try:
        with writing(path):
            folder = durable.make_directories(there, parents)
            try:
                aside = f".{os.urandom(8).hex()}.new"
                made = durable.create(folder, aside)
                is_named = False
                try:
                    hasher = raw_hasher()
                    while piece := os.read(source, fs.CHUNK):
                        hasher.update(piece)
                        durable.write_all(made, piece)
                    if RAW.digest_hex(hasher.hexdigest()).content_hash != sha256:
                        raise RunError(INTERNAL, f"{path}: the committed output is no longer what was committed")
                    os.fchmod(made, mode & 0o777)
                    os.rename(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
                    is_named = True
                finally:
                    os.close(made)
                    if not is_named:
                        os.unlink(aside, dir_fd=folder)
            finally:
                os.close(folder)
    finally:
        os.close(source)
