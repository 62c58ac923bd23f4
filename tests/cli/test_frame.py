"""What every verb inherits: exit statuses, output for programs and for people, colour, closed pipes, odd names."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit import __version__
from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.registry import VERBS
from affidavit.contracts.runner import EXAMPLE
from tests.support.cli import COMMAND, affidavit, environment, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

VALID = canonical(EXAMPLE)
HASH = "sha256:830861b74667a7c5b9967012e89ada945b3e53c0eb61ea74fbdfc6497edb22bc"


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "runner.json"
    path.write_bytes(VALID)
    return str(path)


def test_version() -> None:
    ran = affidavit("--version")
    assert (ran.status, ran.out, ran.err) == (0, f"affidavit {__version__}\n".encode(), b"")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",)])
def test_help_lists_every_verb(words: tuple[str, ...]) -> None:
    ran = affidavit(*words)
    assert ran.status == 0
    for name, _, summary in VERBS:
        assert f"  {name} ".encode() in ran.out
        assert summary.encode() in ran.out


@pytest.mark.parametrize("name", [name for name, _, _ in VERBS])
def test_every_verb_has_help_with_exit_statuses_and_examples(name: str) -> None:
    helped = affidavit(*name.split(), "--help")
    assert helped.status == 0
    for part in (f"usage: affidavit {name}".encode(), b"exit status:", b"examples:", b"--json", b"--color WHEN"):
        assert part in helped.out
    assert affidavit("help", *name.split()).out == helped.out
    assert max(map(len, helped.out.splitlines())) <= 100


def test_without_a_verb_the_overview_goes_to_standard_error() -> None:
    ran = affidavit()
    assert (ran.status, ran.out) == (2, b"")
    assert b"usage: affidavit COMMAND" in ran.err


def test_a_mistyped_verb_gets_a_suggestion() -> None:
    ran = affidavit("canonicalise")
    assert ran.status == 2
    error = read(ran.err)
    assert isinstance(error, dict)
    assert error["code"] == "USAGE"
    assert "did you mean canonicalize?" in str(error["message"])
    assert b"did you mean canonicalize?" in on_terminal("canonicalise").out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("policy",), b"expected one of policy show"),
        (("policy", "shwo"), b"did you mean policy show?"),
    ],
)
def test_a_verb_of_two_words_wants_both(words: tuple[str, ...], part: bytes) -> None:
    ran = affidavit(*words)
    assert (ran.status, ran.out) == (2, b"")
    assert part in ran.err


def test_the_first_of_two_words_has_help_of_its_own() -> None:
    ran = affidavit("policy", "--help")
    assert ran.status == 0
    assert b"  policy show  " in ran.out
    assert b"canonicalize  " not in ran.out


def test_text_is_what_a_person_reads_wherever_it_goes(record: str) -> None:
    ran = affidavit("runner-verify", "--text", record)
    assert (ran.status, ran.err) == (0, b"")
    assert ran.out == on_terminal("runner-verify", "--color", "never", record).out
    assert affidavit("runner-verify", "--text", "--json", record).out == affidavit("runner-verify", record).out
    missing = affidavit("runner-verify", "--text", record + ".absent")
    assert (missing.status, missing.out) == (1, b"")
    assert missing.err.startswith(b"affidavit: ")


def test_a_mistyped_option_gets_a_suggestion() -> None:
    ran = affidavit("runner-verify", "--levle", "spec", "x")
    assert ran.status == 1
    assert b"did you mean --level?" in ran.out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("runner-verify",), b"FILE is missing"),
        (("runner-verify", "a", "b"), b"unexpected argument"),
        (("runner-verify", "--level", "loose", "a"), b"expected one of spec, compat, strict"),
        (("runner-verify", "--level"), b"--level takes a value"),
        (("runner-verify", "--json=x", "a"), b"--json takes no value"),
        (("runner-verify", "-z", "a"), b"unknown option '-z'"),
    ],
)
def test_wrong_usage_is_said_in_the_one_error_shape(words: tuple[str, ...], part: bytes) -> None:
    ran = affidavit(*words)
    assert ran.status == 1
    assert part in ran.out
    body = read(ran.out)
    assert isinstance(body, dict)
    assert body["ok"] is False
    assert canonical(body) + b"\n" == ran.out


def test_options_may_stand_before_and_after_the_verb_and_be_joined(record: str) -> None:
    wanted = affidavit("runner-verify", "--json", record).out
    for words in (
        ("--json", "runner-verify", record),
        ("runner-verify", record, "--json", "--color=never"),
        ("--color", "never", "-qv", "runner-verify", "--", record),
    ):
        assert affidavit(*words).out == wanted


def test_python_m_affidavit_is_the_command_and_so_is_the_script() -> None:
    script = os.path.join(os.path.dirname(sys.executable), "affidavit")
    ran = subprocess.run([script, "--version"], capture_output=True, check=True)
    assert ran.stdout == affidavit("--version").out


def test_a_closed_pipe_gives_no_traceback(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_bytes(b"[" + b",".join([b'"x"'] * 500_000) + b"]")
    process = subprocess.Popen(
        [*COMMAND, "canonicalize", str(large)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(30), said) == (141, b"")


def test_a_full_device_is_an_error_and_no_traceback(record: str) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [*COMMAND, "canonicalize", record], stdout=full, stderr=subprocess.PIPE, env=environment(), check=False
        )
    assert ran.returncode == 2
    error = read(ran.stderr)
    assert isinstance(error, dict)
    assert error["code"] == "IO"


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_descriptor_gives_no_traceback(record: str, closed: int) -> None:
    ran = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f'exec "$@" {closed}{"<" if closed == 0 else ">"}&-',
            "sh",
            *COMMAND,
            "runner-verify",
            record,
        ],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == (1 if closed == 1 else 0)
    assert b"Traceback" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("broken", [b"{", b"[1,", b'{"a" 1}', b'"\\x"', b"[01]"])
def test_broken_json_is_told_with_its_place_by_a_process_that_never_imported_json(broken: bytes) -> None:
    ran = affidavit("runner-verify", "-", stdin=broken)
    assert (ran.status, ran.err) == (2, b"")
    assert b'"code":"JSON_' in ran.out


def test_standard_input_that_is_closed_is_an_error() -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "runner-verify", "-"],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == 1
    assert b"standard input is closed" in ran.stdout


def test_in_locale_c_file_names_that_are_not_utf8_work(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/r\xe9c\xffrd.json"
    with open(path, "wb") as file:
        file.write(VALID)
    for locale in (
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C.UTF-8"},
    ):
        ran = affidavit("runner-verify", path, env=environment(**locale))
        assert (ran.status, ran.err) == (0, b"")
        missing = affidavit("runner-verify", path + b"x", env=environment(**locale))
        assert missing.status == 1
        assert isinstance(read(missing.out), dict)


def test_output_is_the_same_in_every_locale_directory_and_hash_seed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_bytes(canonical({**EXAMPLE, "write_roots": ["é", "/", "\U0001f600"], "limits": [], "x": {"y": 1}}))
    wanted = affidavit("runner-verify", str(broken))
    assert wanted.status == 3
    for seed, locale, directory in (("0", "C", "/"), ("1", "de_DE.UTF-8", str(tmp_path)), ("2", "tr_TR", "/tmp")):
        env = environment(PYTHONHASHSEED=seed, LC_ALL=locale, LANGUAGE="de", TZ="Asia/Tokyo")
        ran = affidavit("runner-verify", str(broken), env=env, cwd=directory)
        assert (ran.status, ran.out) == (3, wanted.out)


def test_colour_is_for_terminals_and_obeys(record: str) -> None:
    paint = b"\x1b[32m"
    assert paint in on_terminal("runner-verify", record).out
    assert paint not in on_terminal("runner-verify", record, env=environment(TERM="xterm", NO_COLOR="1")).out
    assert paint not in on_terminal("runner-verify", record, env=environment(TERM="dumb")).out
    assert paint not in on_terminal("runner-verify", "--color", "never", record).out
    assert paint in on_terminal("runner-verify", "--color=always", record, env=environment(NO_COLOR="1")).out
    assert paint in on_terminal("runner-verify", record, env=environment(TERM="dumb", FORCE_COLOR="1")).out
    assert b"\x1b" not in affidavit("runner-verify", "--color", "always", record).out


def test_a_person_reads_lines_and_a_program_reads_json(record: str) -> None:
    shown = on_terminal("runner-verify", "--color=never", record).out.decode()
    assert "a valid runner record" in shown
    assert HASH in shown
    asked = on_terminal("runner-verify", "--json", record).out
    assert asked == affidavit("runner-verify", record).out == canonical({"ok": True, "runner_hash": HASH}) + b"\n"


def test_what_a_document_holds_cannot_command_the_terminal(tmp_path: Path) -> None:
    evil = tmp_path / "ev\x1b[2Jil.json"
    evil.write_bytes(
        canonical({**EXAMPLE, "runner_id": "\x1b]0;x\x07\u202e\r\n", "platform": {"\x1b[31m": 1, "os": "\x9b31m"}})
    )
    ran = on_terminal("runner-verify", "--color=never", str(evil))
    assert ran.status == 3
    assert all(byte >= 0x20 or byte == 0x0A for byte in ran.out)
    assert "\u202e" not in ran.out.decode()
    assert "\x9b" not in ran.out.decode()


#: What costs more than a small verification: no verifier of one document loads any of it.
_DEAR = {"argparse", "typing", "dataclasses", "json", "orjson", "pathlib", "re", "hashlib", "datetime", "subprocess"}
_DEAR |= {"importlib.metadata", "zipfile", "enum", "inspect", "difflib", "logging", "tempfile", "shutil", "collections"}


def test_a_verb_loads_no_other_verb_and_nothing_dear(record: str) -> None:
    probe = (
        "import sys\n"
        "from affidavit.cli.main import main\n"
        f"main(['runner-verify', {record!r}])\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0]={sys.path!r}\n{probe}"],
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = set(ran.stderr.split())
    assert {name for name in loaded if name.startswith("affidavit.cli.verbs.")} == {"affidavit.cli.verbs.runner_verify"}
    assert loaded & _DEAR == set()


def test_version_loads_almost_nothing() -> None:
    probe = "import sys; from affidavit.cli.main import main; main(['--version']); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True, text=True)
    ours = {name for name in ran.stderr.split() if name.startswith("affidavit")}
    assert ours == {"affidavit", "affidavit.cli", "affidavit.cli.main", "affidavit.cli.stdout", "affidavit.errors"}


def test_the_registry_and_the_verbs_agree() -> None:
    from importlib import import_module

    for name, module, _ in VERBS:
        verb = import_module(f"affidavit.cli.verbs.{module}").VERB
        assert verb.name == name
        assert set(verb.exits) == {"io", "parse", "usage", "refused", "internal"}
        assert set(verb.exits.values()) <= {status for status, _ in verb.statuses}
        assert verb.examples
