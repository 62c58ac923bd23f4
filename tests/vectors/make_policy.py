"""Vectors of the policy profile (contracts 2.1)."""

from __future__ import annotations

from affidavit.contracts.policy import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

_OWN = put("/name", "mine")

SCENARIOS = (
    Scenario("PL1-form", "a custom name starts with a digit", "PL1 /name", put("/name", "9lives")),
    Scenario("PL1-capital", "a custom name has a capital", "PL1 /name", put("/name", "Mine")),
    Scenario("PL1-long", "a custom name has 33 characters", "PL1 /name", put("/name", "a" * 33)),
    Scenario("PL1-line-end", "a name ends in a line end", "PL1 /name", put("/name", "default\n")),
    Scenario("PL1-number", "the name is a number", "PL1 /name", put("/name", 1)),
    *(
        Scenario(f"PL2-{member.replace('_', '-')}", f"{member} is missing", f"PL2 /{member}", drop(f"/{member}"))
        for member in EXAMPLE
    ),
    Scenario("PL2-misspelt", "a member that nobody knows", "PL2 /allow_netwrok", _OWN, put("/allow_netwrok", False)),
    Scenario("PL2-list-text", "a list is a string", "PL2 /allowed_commands", put("/allowed_commands", "node")),
    Scenario("PL2-item", "a command is a number", "PL2 /allowed_commands/0", put("/allowed_commands", [1])),
    Scenario("PL2-one", "a boolean is a number", "PL2 /allow_network", put("/allow_network", 1)),
    Scenario(
        "PL2-root-absolute",
        "a root is absolute",
        "PL2 /allowed_write_roots/0",
        _OWN,
        put("/allowed_write_roots/0", "/"),
    ),
    Scenario(
        "PL2-root-climbs", "a root climbs", "PL2 /allowed_write_roots/0", _OWN, put("/allowed_write_roots/0", "out/..")
    ),
    Scenario("PL3-timeout-low", "less than a second", "PL3 /timeout_ms", put("/timeout_ms", 999)),
    Scenario("PL3-timeout-high", "more than ten minutes", "PL3 /timeout_ms", put("/timeout_ms", 600001)),
    Scenario("PL3-files", "no output at all", "PL3 /max_output_files", put("/max_output_files", 0)),
    Scenario("PL3-bytes", "more than a GiB", "PL3 /max_total_output_bytes", put("/max_total_output_bytes", 1073741825)),
    Scenario("PL3-text", "a limit is a string", "PL3 /timeout_ms", put("/timeout_ms", "60000")),
    Scenario("PL7-limit", "default with another limit", "PL7 /timeout_ms", put("/timeout_ms", 60001)),
    Scenario(
        "PL7-order",
        "default with its commands sorted otherwise",
        "PL7 /allowed_commands",
        put("/allowed_commands", ["npm", "node", "npx"]),
    ),
    Scenario(
        "PL7-network",
        "strict with network",
        [
            "PL7 /allow_network",
            "PL7 /allowed_commands",
            "PL7 /allowed_write_roots",
            "PL7 /max_output_files",
            "PL7 /max_total_output_bytes",
            "PL7 /timeout_ms",
        ],
        put("/name", "strict"),
        put("/allow_network", True),
    ),
)

VALID = (
    Scenario(
        "valid-custom", "a profile of one's own", "valid", _OWN, put("/timeout_ms", 1000), put("/allow_network", True)
    ),
    Scenario("valid-whole-double", "a whole double is an integer", "valid", put("/timeout_ms", 60000.0)),
    Scenario(
        "valid-compat-member",
        "an older writer added a member to its own",
        "valid",
        _OWN,
        put("/note", "x"),
        level="compat",
    ),
)


def main() -> None:
    write_scenarios("policy", EXAMPLE, (*VALID, *SCENARIOS))
