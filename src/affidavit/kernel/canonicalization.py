"""Names that lead to a file, and what the kernel calls it: symlinks, bind mounts, dots, case, Unicode forms, deleted
files, /proc. The probes of the built-in plan `path-canonicalization`, as data.

What is asked for and what the kernel spells are told apart in `path_witnesses.json` (seed 003, 1.5). Where the two
differ, a policy that compares spellings would decide about another name than the one that is opened.
"""

from __future__ import annotations

from .probes import Probe

REGISTRY_ID = "path-canonicalization"

_READ, _WRITE = "file-read-data", "file-write-create"

PROBES: tuple[Probe, ...] = (
    Probe("as_it_is", _READ, "files.read {workspace}/given.txt", allowed="always"),
    Probe("by_symlink", _READ, "files.read {workspace}/link_inside", allowed="always"),
    Probe("by_linked_folder", _READ, "paths.by_linked_folder {root} given.txt", allowed="always", oracle=False),
    Probe("by_symlink_loop", _READ, "paths.by_loop {root}/loop", oracle=False),
    Probe(
        "by_symlink_out",
        _READ,
        "files.read {workspace}/link_outside",
        target="{outside}/secret.txt",
        controls=["by_symlink"],
    ),
    Probe("by_dots", _READ, "files.read {root}/../given.txt", target="{workspace}/given.txt", allowed="always"),
    Probe("by_dot_and_slashes", _READ, "files.read {workspace}/.//given.txt", allowed="always"),
    Probe("with_a_slash_behind", _READ, "files.read {workspace}/given.txt/", oracle=False),
    Probe("in_another_case", _READ, "files.read {workspace}/GIVEN.TXT", oracle=False),
    Probe(
        "in_the_same_unicode_form", _READ, "paths.in_form {root} caf\u00e9 caf\u00e9", allowed="always", oracle=False
    ),
    Probe("in_another_unicode_form", _READ, "paths.in_form {root} caf\u00e9 cafe\u0301", oracle=False),
    Probe("by_bind_mount", _READ, "files.read {program}/__main__.py", allowed="always", oracle=False),
    Probe("by_hard_link", _READ, "paths.by_hard_link {root}/given.txt {root}/hard.txt", allowed="always", oracle=False),
    Probe("when_deleted", _READ, "paths.when_deleted {root}/gone.txt", allowed="always", oracle=False),
    Probe("when_renamed", _READ, "paths.when_renamed {root}/old.txt {root}/new.txt", allowed="always", oracle=False),
    Probe("by_proc_cwd", _READ, "paths.by_cwd {workspace} given.txt", allowed="always", oracle=False),
    Probe("by_proc_root", _READ, "files.read /proc/self/root{workspace}/given.txt", allowed="always", oracle=False),
    Probe("by_proc_descriptor", _READ, "paths.by_descriptor {workspace}/given.txt", allowed="always", oracle=False),
    Probe(
        "created_by_symlink",
        _WRITE,
        "files.create_through_link {root}/link {root}/created.txt",
        target="{root}/created.txt",
        allowed="always",
    ),
)
