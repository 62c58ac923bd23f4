"""Reads what a page is about: verified where it verifies, and shown as unverified where it does not.

A document is shown only when it keeps its own rules; of one that does not, the page tells what the verification found.
"""

from __future__ import annotations

import os

from ..canon.reader import read
from ..contracts import run_status
from ..contracts.engine_family import INPUT, MANIFEST, META, OUTPUT, SUMS
from ..contracts.pack import MEMBERS, RULE_OF, examine_pack
from ..contracts.run_directory import KNOWN, most_bytes
from ..contracts.run_members import RUN
from ..errors import ParseError, ReadFailed
from ..store.locate import NoBundle
from ..store.reader import Refused, VerifiedBundle, load_bundle, open_bundle_unverified
from . import engine_run, kernel_run, plan_run
from .page import Mark, Page, Pairs, Section
from .parts import SHOWN_BYTES, Excerpt, File, files_section, verification_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ..rules.model import Report
    from ..values import Level

#: What the harness captures of commands (contracts 2.2).
STREAMS = ("stdout", "stderr")
_MOST_STREAM = 256 << 20


def page_about(path: str, level: Level = "spec") -> Page:
    """The page about the run, the pack, the sealed engine run or the plan run at `path`. Raises ReadFailed where there
    is none."""
    if not os.path.isdir(path):
        return _page_about_pack(path, level)
    if any(os.path.lexists(os.path.join(path, name)) for name in _OF_ENGINES):
        return _page_about_engine_run(path, level)
    try:
        bundle = load_bundle(path, level=level)
    except NoBundle:
        return _page_about_pack(path, level)
    except Refused as refused:
        return _page_about_run(_Unverified(path), refused.report, level)
    return _page_about_run(_Verified(bundle), bundle.report, level)


class _Verified:
    """A run whose files are those that were verified."""

    def __init__(self, bundle: VerifiedBundle) -> None:
        self._bundle = bundle
        self.files = [
            File(path, int(entry["file_size"]), entry["sha256"]) for path, entry in sorted(bundle.entries.items())
        ]

    def document(self, name: str) -> Any:
        return self._bundle.document(name) if name in self._bundle.entries else None

    def excerpt(self, name: str) -> Excerpt | None:
        entry = self._bundle.entries.get(name)
        if entry is None or int(entry["file_size"]) > _MOST_STREAM:
            return None
        return excerpt_of(self._bundle.read(name))


class _Unverified:
    """A run as it stands there. What programs wrote is not shown: nobody knows whether they did."""

    files: tuple[File, ...] = ()

    def __init__(self, path: str) -> None:
        self._bundle = open_bundle_unverified(path)

    def document(self, name: str) -> Any:
        return self._bundle.document(name)

    def excerpt(self, _name: str) -> Excerpt | None:
        return None


def excerpt_of(data: bytes) -> Excerpt:
    if len(data) <= 2 * SHOWN_BYTES:
        return Excerpt(data, b"", len(data))
    return Excerpt(data[:SHOWN_BYTES], data[-SHOWN_BYTES:], len(data))


def _page_about_run(run: _Verified | _Unverified, report: Report, level: Level) -> Page:
    documents = dict(_sound(KNOWN, run.document, level))
    status = documents.get(run_status.NAME)
    if RUN in documents and (status is None or status["plan_id"] == run_status.HARNESS):
        streams = {name: excerpt for name in STREAMS if (excerpt := run.excerpt(name)) is not None}
        page = kernel_run.describe("Run", documents[RUN], documents, streams)
    elif status is not None:
        page = plan_run.describe(status, documents)
    else:
        told = Pairs(("What is here", "no run.json and no run_status.json that keeps its own rules"))
        page = Page("Run directory", "unknown", Mark("bad", "damaged"), "", [Section("Run", told)])
    return _with_verification(page, report, level, run.files)


def _with_verification(page: Page, report: Report, level: Level, files: Iterable[File]) -> Page:
    if report.ok:
        page.standing = Mark("good", "verified")
    else:
        count = len(report.findings)
        page.standing = Mark("bad", f"does not verify: {count} finding{'s' * (count != 1)}")
        # what it says of itself is a claim as long as it does not verify
        page.outcome = Mark("quiet", f"it claims: {page.outcome.text}")
    page.sections.append(verification_section(report, level))
    listed = list(files)
    if listed:
        page.sections.append(files_section(listed))
    return page


def _sound(names: dict[str, str], document: Callable[[str], Any], level: Level) -> Iterator[tuple[str, Any]]:
    """The documents that are there and keep their own rules."""
    for name, module in names.items():
        if not name.endswith(".json"):
            continue
        value = document(name)
        if value is not None and _verifier(module)(value, level="compat" if level == "compat" else "spec").ok:
            yield name, value


def _verifier(module: str) -> Callable[..., Report]:
    from importlib import import_module

    verify: Callable[..., Report] = getattr(import_module(f"..contracts.{module}", __package__), f"verify_{module}")
    return verify


# Engines.

#: What makes a directory a sealed run of an engine (contracts 5).
_OF_ENGINES = (MANIFEST, META, SUMS)
_ENGINE = {INPUT: "run_input", OUTPUT: "run_output", META: "run_meta"}


def _page_about_engine_run(path: str, level: Level) -> Page:
    from ..contracts.engine_bundle import examine_engine_bundle
    from ..engine.bundle import read_bundle

    bundle = read_bundle(path, level=level)
    report = examine_engine_bundle(bundle)
    members = {name: bundle.members[name] for name in _ENGINE if name in bundle.members}

    def document(name: str) -> Any:
        return members[name].value if name in members else None

    documents = dict(_sound(_ENGINE, document, level))
    texts = {name: text for name in documents if (text := members[name].text) is not None}
    name = os.path.basename(os.path.realpath(path))
    files = [File(path, None, member.digest) for path, member in sorted(bundle.members.items())]
    return _with_verification(engine_run.describe(name, documents, texts), report, level, files)


# Packs.


#: The members of a pack that a page shows, and the module of each.
_PACK = {name: KNOWN[name] for name in MEMBERS if name in KNOWN and name in RULE_OF}


def _page_about_pack(path: str, level: Level) -> Page:
    from ..packs.loading import Keeping
    from ..packs.open import open_pack

    manifest, reader = open_pack(path, level=level)
    try:
        # what is shown is what was verified: the members are not read again
        keeping = Keeping(reader, _PACK)
        report = examine_pack(manifest, keeping, level=level)
    finally:
        reader.close()

    def document(name: str) -> Any:
        try:
            return read(keeping.members[name], max_bytes=most_bytes(name)) if name in keeping.members else None
        except ParseError:
            return None

    documents = dict(_sound(_PACK, document, level))
    if RUN in documents:
        page = kernel_run.describe("Pack", documents[RUN], documents, {})
    elif manifest.entries and any(entry.name in MEMBERS for entry in manifest.entries):
        told = Pairs(("What is here", "no run.json that keeps its own rules"))
        page = Page("Pack", os.path.basename(path), Mark("bad", "damaged"), "", [Section("Run", told)])
    else:
        raise ReadFailed("UNRECOGNISED", f"{path}: expected a run directory or a pack, found none of their files")
    return _with_verification(page, report, level, ())
