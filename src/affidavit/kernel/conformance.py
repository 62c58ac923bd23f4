"""The escape suite as data: what every sandbox of ours must stop, and beside it what must go on working.

A denial shows something only where the same attempt succeeds when it may: `controls` names the probes that show it.
Where nothing of the kind may succeed in any sandbox (mounting, tracing), the tests take the mechanism away and see the
probe get through. `{name}` stands for a fixture, of the workspace or of the host (sandbox/fixtures.py).
"""

from __future__ import annotations

from .conformance_files import FILES, MEMORY
from .probes import BIND, EXEC, FORK, MOUNT, OUTBOUND, PTRACE, SIGNAL, SYSCTL, Probe

REGISTRY_ID = "sandbox-conformance"

#: Limits that are lowered for what tries to exceed them, and by how much it does: enough to be sure, no more.
PIDS, PIDS_OVER = 64, 160
MEMORY_OVER = 224 << 20
CPU_SECONDS, CPU_SECONDS_OVER = 1, 3
TIMEOUT_MS, SECONDS_OVER, SECONDS_LEFT = 1000, 6, 30

_PROGRAMS = (
    Probe("exec_own_interpreter", EXEC, "programs.hear probe {interpreter} -ISc print('probe')", allowed="always"),
    Probe(
        "exec_listed_command",
        EXEC,
        "programs.start {listed}",
        allowed="always",
        bare=False,  # the policy may list anything, and what that does without arguments nobody knows
        oracle=False,
        needs=["listed command"],
    ),
    Probe(
        "exec_file_of_the_workspace",
        EXEC,
        "programs.hear probe {workspace}/tool",
        target="{workspace}/tool",
        allowed="outside noexec roots",
        oracle=False,
    ),
    Probe(
        "exec_unlisted_command",
        EXEC,
        "programs.hear uid= {unlisted}",
        target="{unlisted}",
        allowed="with any command",
        oracle=False,
        controls=["exec_listed_command", "exec_own_interpreter"],
        needs=["unlisted command"],
    ),
    Probe(
        "exec_unlisted_command_by_shell",
        EXEC,
        "programs.hear uid= /bin/sh -c {unlisted}",
        target="{unlisted}",
        allowed="with any command",
        oracle=False,
        needs=["unlisted command"],
    ),
    Probe(
        "exec_unlisted_command_by_loader",
        EXEC,
        "programs.by_loader uid= {unlisted}",
        target="{unlisted}",
        allowed="with any command",
        oracle=False,
        needs=["unlisted command"],
    ),
    Probe(
        "exec_host_program",
        EXEC,
        "programs.hear probe {outside}/tool",
        target="{outside}/tool",
        controls=["exec_file_of_the_workspace"],
    ),
    Probe(
        "exec_copy_in_root",
        EXEC,
        "programs.exec_copy {root}/copy",
        allowed="with any command",
        oracle=False,
        needs=["room for a copy"],
    ),
    Probe("exec_script_in_root", EXEC, "programs.exec_script {root}/script", allowed="with any command", oracle=False),
    Probe(
        "exec_copy_in_tmp",
        EXEC,
        "programs.exec_copy {tmp}/{token}",
        allowed="with any command",
        oracle=False,
        needs=["room for a copy"],
    ),
    Probe(
        "exec_copy_in_shm",
        EXEC,
        "programs.exec_copy {shm}/{token}",
        allowed="with any command",
        oracle=False,
        needs=["room for a copy"],
    ),
    Probe(
        "exec_copy_in_dev",
        EXEC,
        "programs.exec_copy /dev/{token}",
        bare=False,
        allowed="never",
        oracle=False,
        needs=["room for a copy"],
    ),
    Probe(
        "exec_copy_by_loader",
        EXEC,
        "programs.exec_copy_by_loader {root}/copy",
        allowed="with any command",
        oracle=False,
        needs=["room for a copy"],
    ),
    Probe(
        "exec_from_memory",
        EXEC,
        "programs.exec_memfd",
        allowed="with any command",
        oracle=False,
        needs=["room for a copy"],
    ),
)

_NETWORK = (
    Probe("connect_to_own_listener", OUTBOUND, "network.own_tcp", allowed="always", oracle=False),
    Probe("connect_to_own_socket_file", OUTBOUND, "network.own_unix {tmp}/{token}", allowed="always", oracle=False),
    Probe("bind_a_port", BIND, "network.bind 127.0.0.1 0", allowed="always", oracle=False),
    Probe(
        "connect_to_host_tcp",
        OUTBOUND,
        "network.tcp 127.0.0.1 {tcp}",
        target="{tcp}",
        allowed="with network",
        controls=["connect_to_own_listener"],
    ),
    Probe(
        "connect_to_host_tcp6",
        OUTBOUND,
        "network.tcp ::1 {tcp6}",
        target="{tcp6}",
        allowed="with network",
        needs=["ipv6"],
        controls=["connect_to_own_listener"],
    ),
    Probe("send_to_host_udp", OUTBOUND, "network.udp 127.0.0.1 {udp}", target="{udp}", allowed="with network"),
    Probe(
        "connect_to_host_socket_file",
        OUTBOUND,
        "network.unix {outside}/socket",
        controls=["connect_to_own_socket_file"],
    ),
    Probe(
        "connect_to_host_abstract_socket",
        OUTBOUND,
        "network.unix {abstract}",
        allowed="with network",
        controls=["connect_to_own_socket_file"],
    ),
    Probe(
        "find_a_way_out",
        OUTBOUND,
        "network.route 192.0.2.1",
        oracle=False,
        bare=False,
        needs=["no network", "route"],
    ),
    Probe(
        "resolve_a_name",
        OUTBOUND,
        "network.resolve affidavit.invalid",
        oracle=False,
        bare=False,
        needs=["no network"],
    ),
    Probe(
        "serve_the_host",
        BIND,
        "network.serve 127.0.0.1 {free}",
        target="{free}",
        allowed="with network",
        oracle=False,
        controls=["bind_a_port"],
    ),
    # address family, kind: what sees or forges the packets of others, and what no network namespace holds
    Probe("open_a_raw_socket", OUTBOUND, "network.make_socket 2 3 1", oracle=False, bare=False),
    Probe("open_a_packet_socket", OUTBOUND, "network.make_socket 17 3 768", oracle=False, bare=False),
    Probe("open_a_socket_to_the_hypervisor", OUTBOUND, "network.make_socket 40 1 0", oracle=False, needs=["vsock"]),
    Probe("open_a_crypto_socket", OUTBOUND, "network.make_socket 38 5 0", oracle=False),
)

_PROCESSES = (
    Probe("fork_a_child", FORK, "processes.fork", allowed="always", bare=False),
    Probe(
        "fork_without_end",
        FORK,
        f"processes.fork_bomb {PIDS_OVER}",
        bare=False,
        limits={"max_pids": PIDS},
        controls=["fork_a_child"],
    ),
    Probe(
        "eat_memory_without_end",
        FORK,
        f"processes.memory_bomb {MEMORY_OVER} private",
        bare=False,
        limits={"max_memory_bytes": MEMORY},
        ends=["oom_killed", "SIGKILL"],
    ),
    # counted by a cgroup only: a limit of the process knows nothing of it
    Probe(
        "eat_shared_memory_without_end",
        FORK,
        f"processes.memory_bomb {MEMORY_OVER} shared",
        bare=False,
        needs=["memory cgroup"],
        limits={"max_memory_bytes": MEMORY},
        ends=["oom_killed", "SIGKILL"],
    ),
    Probe(
        "burn_without_end",
        FORK,
        f"processes.burn {CPU_SECONDS_OVER}",
        bare=False,
        limits={"max_cpu_seconds": CPU_SECONDS},
        ends=["SIGXCPU", "SIGKILL", "timed_out"],
    ),
    Probe("have_the_host_take_a_core", FORK, "processes.dump_core", bare=False, controls=["fork_a_child"]),
    Probe(
        "outlive_the_command",
        FORK,
        f"processes.outlive {{token}} {SECONDS_LEFT}",
        bare=False,
        witnessed_only=True,
        controls=["fork_a_child"],
    ),
    Probe(
        "outlast_the_timeout",
        FORK,
        f"processes.overstay {{token}} {SECONDS_OVER}",
        bare=False,
        limits={"timeout_ms": TIMEOUT_MS},
        ends=["timed_out"],
        controls=["fork_a_child"],
    ),
    Probe("signal_own_child", SIGNAL, "processes.own_child_signal", allowed="always", bare=False),
    Probe(
        "kill_a_host_process",
        SIGNAL,
        "processes.kill {pid}",
        bare=False,
        controls=["signal_own_child"],
    ),
    Probe("kill_the_supervisor", SIGNAL, "processes.kill_supervisor", bare=False, silence_allows=True),
)

_DOORS = (
    Probe("mount_a_file_system", MOUNT, "doors.mount {root}", bare=False),
    Probe("mount_a_folder_elsewhere", MOUNT, "doors.bind_mount / {root}", target="{root}", bare=False),
    Probe("make_the_root_writable", MOUNT, "doors.remount /", bare=False),
    Probe("make_the_workspace_writable", MOUNT, "doors.remount {workspace}", bare=False),
    Probe("unmount_proc", MOUNT, "doors.unmount /proc", bare=False),
    Probe("make_a_mount_without_a_name", MOUNT, "doors.new_mount_api", bare=False),
    Probe("copy_a_mount", MOUNT, "doors.clone_tree /", bare=False),
    Probe("change_the_root", MOUNT, "doors.change_root {root}", bare=False),
    Probe("unshare_a_user_namespace", MOUNT, "doors.unshare 10000000", bare=False),
    Probe("unshare_a_mount_namespace", MOUNT, "doors.unshare 00020000", bare=False),
    Probe("clone_a_user_namespace", MOUNT, "doors.clone 10000000", bare=False),
    Probe("clone3_a_user_namespace", MOUNT, "doors.clone3 10000000", bare=False),
    Probe("join_the_namespaces_of_init", MOUNT, "doors.join_namespace /proc/1/ns/mnt", bare=False),
    Probe("write_a_release_agent", SYSCTL, "files.open_for_writing /sys/fs/cgroup/memory/release_agent", bare=False),
    Probe("trace_init", PTRACE, "doors.trace 1", bare=False),
    Probe("trace_a_host_process", PTRACE, "doors.trace {pid}", bare=False),
    Probe("read_memory_of_init", PTRACE, "doors.read_memory 1", bare=False),
    Probe("take_a_descriptor_of_init", PTRACE, "doors.take_descriptor 1", bare=False),
    Probe("handle_faults_of_others", PTRACE, "doors.fault_handler", bare=False),
    Probe("load_a_bpf_map", PTRACE, "doors.bpf", bare=False),
    Probe("count_events", PTRACE, "doors.perf", bare=False),
    Probe("enter_by_the_x32_table", PTRACE, "doors.x32", bare=False, needs=["x86-64"]),
    Probe("enter_by_the_32_bit_gate", PTRACE, "doors.in_32_bits", bare=False, needs=["x86-64"]),
    Probe("set_the_core_pattern", SYSCTL, "files.open_for_writing /proc/sys/kernel/core_pattern", bare=False),
    Probe("press_the_magic_key", SYSCTL, "files.open_for_writing /proc/sysrq-trigger", bare=False),
    Probe("name_the_host", SYSCTL, "doors.host_name", bare=False),
    Probe("load_a_kernel_module", SYSCTL, "doors.load_module", bare=False),
    Probe("load_another_kernel", SYSCTL, "doors.load_kernel", bare=False),
    Probe("reboot", SYSCTL, "doors.reboot", bare=False),
    Probe("swap_to_a_file", SYSCTL, "doors.swap {root}/swap", bare=False),
)

PROBES: tuple[Probe, ...] = (*FILES, *_PROGRAMS, *_NETWORK, *_PROCESSES, *_DOORS)
