"""The page about a sealed run of an engine: which engine, what went in, what came out, and the hashes of both."""

from __future__ import annotations

from ..contracts.engine_family import CONTRACTS, INPUT, META, OUTPUT
from .page import Lines, Mark, Page, Pairs, Section, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .page import Cell, Part

#: A value longer than this, as canonical text, is shown by its beginning; the file itself is in the bundle.
_LONGEST = 8192


def describe(name: str, documents: Mapping[str, Any], texts: Mapping[str, bytes]) -> Page:
    """`documents` are sound, by file name; `texts` are the canonical bytes of those that are shown as they are."""
    meta, output = documents.get(META), documents.get(OUTPUT)
    sections = []
    if meta is not None:
        sections.append(Section("Run", *_run(meta, output)))
        sections.append(Section("Contracts", _contracts(meta)))
    shown = [Lines(*_text(file, texts[file])) for file in (INPUT, OUTPUT) if file in texts]
    if shown:
        sections.append(Section("Input and output", *shown))
    engine = f"{meta['engine_code']} {meta['engine_version']}" if meta is not None else "an unknown engine"
    return Page("Engine run", name, Mark("good", "sealed"), f"Engine {engine}", sections)


def _run(meta: dict[str, Any], output: dict[str, Any] | None) -> Iterator[Part]:
    rows: list[tuple[str, Cell]] = [
        ("Engine", f"{meta['engine_code']} {meta['engine_version']}"),
        ("Sealed", meta["sealed_at"]),
        ("By", f"affidavit {meta['core_orchestrator_version']}"),
    ]
    if output is not None:
        rows += [
            ("Says of its result", output["semantics"]),
            ("Input hash", Mark("code", output["inputs_hash"])),
            ("Output hash", Mark("code", output["outputs_hash"])),
        ]
    entrypoint = meta.get("entrypoint")
    if entrypoint:
        rows.append(("Entrypoint", Mark("code", " ".join(entrypoint))))
    else:
        rows.append(("Entrypoint", Mark("warn", "none recorded: the output was made elsewhere")))
    if meta.get("interpreter"):
        rows.append(("Interpreter", f"{meta['interpreter']['command']}, {meta['interpreter']['version']}"))
    stripped = meta.get("stripped_context_paths")
    if stripped:
        rows.append(("Taken out of the context", Mark("code", ", ".join(stripped))))
    yield Pairs(*rows)


def _contracts(meta: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (Mark("code", name), Mark("code", meta["contracts_hashes"][name]))
        for name in CONTRACTS
        if name in meta["contracts_hashes"]
    ]
    return Table("As they were when the run was sealed", ("File", "SHA-256"), rows)


def _text(name: str, text: bytes) -> tuple[str, str]:
    if len(text) <= _LONGEST:
        return name, text.decode("utf-8", "backslashreplace")
    return f"{name}: the beginning of {len(text)} bytes", text[:_LONGEST].decode("utf-8", "ignore")
