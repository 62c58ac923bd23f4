"""The suite finds leaks: with a mechanism switched off, the probes that it stops get through, and are told as leaks."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.policy import built_in
from affidavit.kernel.conformance import PROBES
from affidavit.sandbox import cage, capture, escape, host, launch, outputs, runner, seccomp, spawn, spec
from affidavit.sandbox import prepare as preparing
from affidavit.sandbox.fixtures import DESCRIPTOR, VARIABLE, Fixtures
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.outer import Outer, Room
from affidavit.sandbox.seccomp import _ALLOW, _RETURN, _op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from affidavit.sandbox.request import SandboxRequest
    from affidavit.sandbox.spec import SandboxSpec


pytestmark = pytest.mark.sandbox

BY_ID = {probe.probe_id: probe for probe in PROBES}

Patch = pytest.MonkeyPatch


def words(patch: Patch, edit: Callable[[list[str]], list[str]]) -> None:
    """Bubblewrap gets other words than the spec's."""
    real: Callable[[SandboxSpec, int], list[str]] = vars(launch)["bwrap_words"]  # perhaps edited already
    patch.setattr(launch, "bwrap_words", lambda planned, supervisor: edit(real(planned, supervisor)))


def without(*lost: str) -> Callable[[list[str]], list[str]]:
    """The words without one option and its values."""

    def edit(given: list[str]) -> list[str]:
        at = next(at for at in range(len(given)) if tuple(given[at : at + len(lost)]) == lost)
        return [*given[:at], *given[at + len(lost) :]]

    return edit


def instead(old: tuple[str, ...], new: tuple[str, ...]) -> Callable[[list[str]], list[str]]:
    def edit(given: list[str]) -> list[str]:
        at = next(at for at in range(len(given)) if tuple(given[at : at + len(old)]) == old)
        return [*given[:at], *new, *given[at + len(old) :]]

    return edit


def limits(patch: Patch, name: str, value: int) -> None:
    """A limit that is higher than what the probe was told."""

    def prepare(request: SandboxRequest) -> SandboxSpec | Gaps:
        planned = preparing.prepare(request)
        if not isinstance(planned, Gaps):
            setattr(planned.limits, name, value)
        return planned

    patch.setattr(escape, "prepare", prepare)


def no_filter(patch: Patch, _: Fixtures) -> None:
    patch.setattr(launch, "native_filter", lambda **_: _op(_RETURN, _ALLOW))


def no_network_namespace(patch: Patch, _: Fixtures) -> None:
    words(patch, without("--unshare-net"))


_OWN_NAMESPACE = ("--pid", "--fork", "--kill-child", "--mount-proc")


def no_process_namespace(patch: Patch, _: Fixtures) -> None:
    words(patch, without("--unshare-pid"))
    # bubblewrap's own, in which it is the first process
    real = Outer.words
    patch.setattr(
        Outer, "words", lambda *given, **more: [word for word in real(*given, **more) if word not in _OWN_NAMESPACE]
    )
    patch.setattr(launch.Launched, "first_inside", lambda _, told: told)
    words(patch, instead(("--proc", "/proc"), ("--ro-bind", "/proc", "/proc")))


def capabilities(patch: Patch, fixtures: Fixtures) -> None:
    no_filter(patch, fixtures)
    words(patch, instead(("--cap-drop", "ALL"), ("--cap-add", "ALL")))
    words(patch, without("--disable-userns"))
    # another user inside is one of a further namespace, whose capabilities are none over the mounts
    words(patch, without("--uid", "1000"))
    words(patch, without("--gid", "1000"))


def nested_namespaces(patch: Patch, fixtures: Fixtures) -> None:
    no_filter(patch, fixtures)
    words(patch, without("--disable-userns"))


def host_files(patch: Patch, fixtures: Fixtures) -> None:
    words(patch, lambda given: [*given, "--bind", fixtures.outside, fixtures.outside])


def writable_workspace(patch: Patch, _: Fixtures) -> None:
    words(patch, lambda given: ["--bind" if word == "--ro-bind" else word for word in given])


def writable_root(patch: Patch, _: Fixtures) -> None:
    words(patch, without("--remount-ro", "/"))


def writable_proc(patch: Patch, _: Fixtures) -> None:
    words(patch, without("--remount-ro", "/proc"))


def inherited(patch: Patch, fixtures: Fixtures) -> None:
    def leaking(argv: list[str], environment: dict[str, str], given: dict[int, int]) -> int:
        return spawn.spawn(argv, {**environment, VARIABLE: fixtures.secret}, {**given, DESCRIPTOR: DESCRIPTOR})

    patch.setattr(launch, "spawn", leaking)
    words(patch, without("--clearenv"))


def no_pid_limit(patch: Patch, _: Fixtures) -> None:
    limits(patch, "max_pids", 4096)


def no_memory_limit(patch: Patch, _: Fixtures) -> None:
    limits(patch, "max_memory_bytes", 1 << 40)
    patch.setattr(spec, "TMP_BYTES", 1 << 30)


def no_cpu_limit(patch: Patch, _: Fixtures) -> None:
    limits(patch, "max_cpu_seconds", 1000)


def no_timeout(patch: Patch, _: Fixtures) -> None:
    limits(patch, "timeout_ms", 600_000)


def no_file_size(patch: Patch, _: Fixtures) -> None:
    real = cage._bound
    patch.setattr(outputs.Outputs, "collect", lambda _: None)
    patch.setattr(spec, "Room", lambda name, size, inodes, noexec: Room(name, size + (1 << 30), inodes, noexec=noexec))
    patch.setattr(
        cage, "_bound", lambda pid, what, *values: None if what == resource.RLIMIT_FSIZE else real(pid, what, *values)
    )


def no_file_number(patch: Patch, _: Fixtures) -> None:
    patch.setattr(outputs.Outputs, "collect", lambda _: None)  # which would notice afterwards
    patch.setattr(spec, "Room", lambda name, size, inodes, noexec: Room(name, size, inodes + 65536, noexec=noexec))


def executable_rooms(patch: Patch, _: Fixtures) -> None:
    patch.setattr(spec, "Room", lambda name, size, inodes, noexec: Room(name, size, inodes, noexec=False))  # noqa: ARG005


def executable_memory(patch: Patch, _: Fixtures) -> None:
    real = seccomp.native_filter
    patch.setattr(launch, "native_filter", lambda listed: real(listed=False))  # noqa: ARG005


def all_commands(patch: Patch, _: Fixtures) -> None:
    shown = preparing.find_system

    def everything(request: SandboxRequest) -> spec.System:
        listed = shown(request)
        return spec.System(tuple(host.system_view()), listed=True, companions=listed.companions)

    patch.setattr(preparing, "find_system", everything)


def writable_devices(patch: Patch, _: Fixtures) -> None:
    words(patch, without("--remount-ro", "/dev"))


def set_ids(patch: Patch, _: Fixtures) -> None:
    patch.setattr(preparing, "MOST_ENTRIES", 0)
    patch.setattr(outputs, "drop_set_ids", lambda *_: None)


def no_stream_cap(patch: Patch, _: Fixtures) -> None:
    patch.setattr(runner, "Budget", lambda _: capture.Budget(1 << 40))


WEAKENED: dict[Callable[[Patch, Fixtures], None], str] = {
    no_filter: """set_up_io_uring ask_for_the_session_keyring type_into_a_terminal type_into_a_terminal_by_high_bits
        trace_init read_memory_of_init take_a_descriptor_of_init handle_faults_of_others count_events
        enter_by_the_32_bit_gate open_a_socket_to_the_hypervisor""",
    no_network_namespace: """connect_to_host_tcp connect_to_host_tcp6 send_to_host_udp connect_to_host_abstract_socket
        serve_the_host find_a_way_out""",
    no_process_namespace: "kill_a_host_process outlive_the_command",
    capabilities: """mount_a_file_system mount_a_folder_elsewhere unmount_proc make_a_mount_without_a_name copy_a_mount
        change_the_root unshare_a_mount_namespace name_the_host make_the_workspace_writable
        make_the_root_writable join_the_namespaces_of_init open_a_raw_socket open_a_packet_socket""",
    nested_namespaces: "unshare_a_user_namespace clone_a_user_namespace clone3_a_user_namespace",
    host_files: """read_host_file read_host_file_by_dots read_host_file_by_link read_host_file_by_proc_root
        read_host_file_by_proc_cwd write_host_file create_host_file unlink_host_file create_host_file_by_dots
        create_host_file_by_link create_host_file_by_proc_root exec_host_program connect_to_host_socket_file""",
    writable_workspace: """write_input_file create_beside_the_roots unlink_input_file write_the_probe_itself
        reopen_for_writing""",
    writable_root: "plant_in_the_root",
    writable_proc: "set_the_core_pattern write_memory_of_init",
    inherited: """read_inherited_environment read_environment_of_init read_environment_of_parent
        read_inherited_descriptor""",
    no_pid_limit: "fork_without_end",
    no_memory_limit: "eat_memory_without_end eat_shared_memory_without_end fill_shared_memory",
    no_cpu_limit: "burn_without_end",
    no_timeout: "outlast_the_timeout",
    no_file_size: "make_a_sparse_file write_without_end",
    no_file_number: "create_files_without_end",
    executable_rooms: "exec_copy_in_root exec_script_in_root exec_copy_in_tmp exec_copy_in_shm exec_copy_by_loader",
    executable_memory: "exec_from_memory",
    all_commands: "exec_unlisted_command exec_unlisted_command_by_shell exec_unlisted_command_by_loader",
    writable_devices: "exec_copy_in_dev",
    set_ids: "leave_a_set_id_program",
    no_stream_cap: "flood_standard_output",
}


#: Of what these stop, some takes a right that an ordinary user does not have on the host either: it holds all the same.
ROOTS_OWN = (capabilities, writable_proc)


@pytest.fixture(scope="module")
def fixtures() -> Iterator[Fixtures]:
    with Fixtures() as made:
        yield made


@pytest.mark.parametrize("weaken", WEAKENED, ids=lambda weaken: weaken.__name__)
def test_a_mechanism_that_is_off_is_a_leak(
    weaken: Callable[[Patch, Fixtures], None], fixtures: Fixtures, monkeypatch: Patch
) -> None:
    weaken(monkeypatch, fixtures)
    found = escape.escape_suite(
        built_in("strict"), probes=[BY_ID[name] for name in WEAKENED[weaken].split()], fixtures=fixtures
    )
    told = {finding.probe.probe_id: finding.verdict for finding in found}
    other = ("not tried", "held") if weaken in ROOTS_OWN and os.geteuid() else ("not tried",)
    assert {name: verdict for name, verdict in told.items() if verdict != "leak" and verdict not in other} == {}
    assert "leak" in told.values()


#: What no weakening here lets through, and what does show that the probe could.
OTHERWISE = {
    "read_kernel_log": "the kernel asks for a right of the host's own root",
    "read_kernel_messages": "the kernel asks for a right of the host's own root",
    "read_physical_memory": "the device is not in every kernel, and asks for a right of the host's own root",
    "read_kernel_memory": "the file is not in every kernel, and asks for a right of the host's own root",
    "open_by_inode_number": "the kernel asks for a right of the host's own root",
    "make_a_device_node": "the kernel asks for a right of the host's own root",
    "load_a_kernel_module": "the kernel asks for a right of the host's own root",
    "load_another_kernel": "the kernel asks for a right of the host's own root",
    "load_a_bpf_map": "many kernels ask for a right of the host's own root",
    "reboot": "the kernel asks for a right of the host's own root",
    "swap_to_a_file": "the kernel asks for a right of the host's own root",
    "press_the_magic_key": "the file is not in every kernel, and bubblewrap hides it",
    "write_a_release_agent": "cgroup file systems are not shown; mounting one is tried",
    "write_a_disk": "disks have other names on other hosts; device nodes cannot be made either",
    "open_the_callers_terminal": "there is no terminal, as every command is a session of its own",
    "paste_into_a_console": "the terminal must be a console of the host",
    "enter_by_the_x32_table": "the interface is not in every kernel",
    "trace_a_host_process": "it is in another user namespace, so two more locks hold",
    "kill_the_supervisor": "the kernel drops it; test_probes judges what a death would look like",
    "open_files_without_end": "the limit of the host itself may be as low",
    "resolve_a_name": "would ask name servers of others; UDP to a listener of our own is tried",
    "hard_link_to_host_file": "no link leaves its file system; tried bare",
    "hard_link_out": "no link leaves its file system; tried bare",
    "rename_out": "no file leaves its file system by renaming; tried bare",
    "plant_a_program": "the mount is read-only as that of the workspace, which is tried",
    "write_the_own_interpreter": "the kernel keeps running programs from being written, too",
    "have_the_host_take_a_core": "the limit of whoever runs the tests may be as low, and only the host has a handler",
    "open_a_crypto_socket": "the family is not in every kernel",
    "write_back_through_a_link": "what is brought home goes by handle, in no step through a link",
    "be_read_through_a_link": "what is brought home goes by handle, in no step through a link",
}


def test_every_denial_is_shown_to_be_one() -> None:
    """Weakened it gets through, or it is said why that cannot be seen here."""
    denied = {probe.probe_id for probe in PROBES if probe.expected(built_in("strict")) == "deny"}
    weakened = {name for names in WEAKENED.values() for name in names.split()}
    assert weakened | set(OTHERWISE) == denied
    assert weakened & set(OTHERWISE) == set()
