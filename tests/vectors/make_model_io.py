"""Vectors of the model session (contracts 2.7)."""

from __future__ import annotations

from affidavit.contracts.model_io import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

VERSION = "/model_io_schema_version"

SCENARIOS = (
    Scenario("SCHEMA-interactions", "there are no interactions", "SCHEMA /interactions", drop("/interactions")),
    Scenario("SCHEMA-object", "interactions are an object", "SCHEMA /interactions", put("/interactions", {})),
    Scenario("SCHEMA-interaction", "an interaction is null", "SCHEMA /interactions/1", put("/interactions/1", None)),
    Scenario(
        "SCHEMA-response",
        "a response is not there",
        "SCHEMA /interactions/1/response_content",
        drop("/interactions/1/response_content"),
    ),
    Scenario("MI1-absent", "there is no version", f"MI1 {VERSION}", drop(VERSION)),
    Scenario("MI1-major", "another major version", f"MI1 {VERSION}", put(VERSION, "2.0.0")),
    Scenario("MI1-two", "a version of two numbers", f"MI1 {VERSION}", put(VERSION, "1.0")),
    Scenario("MI2-adapter", "the adapter is empty", "MI2 /adapter_id", put("/adapter_id", "")),
    Scenario("MI2-model", "the model is not named", "MI2 /model_id", drop("/model_id")),
    Scenario("MI3-none", "the mode is none", "MI3 /mode", put("/mode", "none")),
    Scenario("MI5-gap", "a number is left out", "MI5 /interactions/1/i", put("/interactions/1/i", 2)),
    Scenario("MI5-text", "a number is text", "MI5 /interactions/1/i", put("/interactions/1/i", "1")),
    Scenario(
        "MI6-bare",
        "a prompt's hash is bare",
        "MI6 /interactions/1/prompt_hash",
        put("/interactions/1/prompt_hash", "0" * 64),
    ),
    Scenario(
        "MI6-absent",
        "a prompt's hash is absent",
        "MI6 /interactions/1/prompt_hash",
        drop("/interactions/1/prompt_hash"),
    ),
    Scenario(
        "MI7-bare",
        "a response's hash is bare",
        "MI7 /interactions/1/response_hash",
        put("/interactions/1/response_hash", "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"),
    ),
    Scenario(
        "MI7-changed",
        "a response was changed",
        "MI7 /interactions/1/response_hash",
        put("/interactions/1/response_content", "two"),
    ),
    Scenario(
        "MI7-hash",
        "a response's hash was changed",
        "MI7 /interactions/1/response_hash",
        put("/interactions/1/response_hash", "sha256:" + "0" * 64),
    ),
    Scenario(
        "MI8-twice",
        "the same question at the same place",
        ["MI5 /interactions/1/i", "MI8 /interactions/1", "MI9 /interactions/1/i"],
        put("/interactions/1/i", 0),
        put("/interactions/1/prompt_hash", EXAMPLE["interactions"][0]["prompt_hash"]),
    ),
    Scenario(
        "MI9-falls",
        "the numbers do not increase",
        ["MI5 /interactions/1/i", "MI9 /interactions/1/i"],
        put("/interactions/1/i", 0),
    ),
)

VALID = (
    Scenario("valid-empty", "nothing was asked", "valid", put("/interactions", []), level="strict"),
    Scenario("valid-replay", "a session that was replayed", "valid", put("/mode", "replay"), level="strict"),
    Scenario(
        "valid-minor",
        "a newer minor version, unknown members",
        "valid",
        put(VERSION, "1.4.0"),
        put("/x", 1),
        put("/interactions/0/y", 1),
    ),
    Scenario("valid-whole-double", "a whole double is an integer", "valid", put("/interactions/1/i", 1.0)),
    Scenario(
        "valid-same-prompt",
        "the same question asked again",
        "valid",
        put("/interactions/1/prompt_hash", EXAMPLE["interactions"][0]["prompt_hash"]),
        level="strict",
    ),
    Scenario(
        "valid-core",
        "the ephemeral members are free",
        "valid",
        drop("/created_at_utc"),
        drop("/ended_at_utc"),
        drop("/stats"),
        drop("/interactions/0/latency_ms"),
        level="strict",
    ),
)


def main() -> None:
    write_scenarios("model_io", EXAMPLE, (*VALID, *SCENARIOS))
