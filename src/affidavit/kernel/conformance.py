"""The escape suite as data: what every sandbox of ours must stop, and beside it what must go on working.

A denial shows something only where the same attempt succeeds when it may: `controls` names the probes that show it.
Where nothing of the kind may succeed in any sandbox (mounting, tracing), the tests take the mechanism away and see the
probe get through. `{name}` stands for a fixture, of the workspace or of the host (sandbox/fixtures.py).
"""

from __future__ import annotations

from .probes import Probe

REGISTRY_ID = "sandbox-conformance"

READ, WRITE, CREATE, UNLINK = "file-read-data", "file-write-data", "file-write-create", "file-write-unlink"
EXEC, FORK, SIGNAL = "process-exec", "process-fork", "signal"
OUTBOUND, BIND = "network-outbound", "network-bind"
MOUNT, PTRACE, SYSCTL = "mount", "ptrace", "sysctl-write"

#: Limits that are lowered for what tries to exceed them, and by how much it does: enough to be sure, no more.
PIDS, PIDS_OVER = 64, 160
MEMORY, MEMORY_OVER, SHARED_OVER = 128 << 20, 224 << 20, 320 << 20
CPU_SECONDS, CPU_SECONDS_OVER = 1, 3
TIMEOUT_MS, SECONDS_OVER, SECONDS_LEFT = 1000, 6, 30
DESCRIPTORS_OVER = 1 << 17
SPARSE_BYTES = 1 << 42

_UP = "/.." * 12

_FILES_READ = (
    Probe("read_own_file", READ, "files.read {workspace}/given.txt", allowed="always"),
    Probe("read_host_file", READ, "files.read {outside}/secret.txt", controls=["read_own_file"]),
    Probe(
        "read_host_file_by_dots",
        READ,
        "files.read {workspace}" + _UP + "{outside}/secret.txt",
        target="{outside}/secret.txt",
        controls=["read_own_file"],
    ),
    Probe("read_own_file_by_link", READ, "files.read {workspace}/link_inside", allowed="always"),
    Probe(
        "read_host_file_by_link",
        READ,
        "files.read {workspace}/link_outside",
        target="{outside}/secret.txt",
        controls=["read_own_file_by_link"],
    ),
    Probe(
        "read_host_file_by_proc_root",
        READ,
        "files.read /proc/1/root{outside}/secret.txt",
        target="{outside}/secret.txt",
        controls=["read_own_file"],
        bare=False,
    ),
    Probe(
        "read_host_file_by_proc_cwd",
        READ,
        "files.read /proc/1/cwd" + _UP + "{outside}/secret.txt",
        target="{outside}/secret.txt",
        bare=False,
        controls=["read_own_file"],
    ),
    # what is in the environment of whoever started the sandbox, there and in its process 1
    Probe("read_inherited_environment", READ, "files.inherited_environment AFFIDAVIT_PROBE", oracle=False, bare=False),
    Probe(
        "read_environment_of_init", READ, "files.read /proc/1/environ", oracle=False, bare=False, witnessed_only=True
    ),
    Probe(
        "read_environment_of_parent",
        READ,
        "files.read_parents_environment",
        oracle=False,
        witnessed_only=True,
        bare=False,
    ),
    Probe("read_inherited_descriptor", READ, "files.inherited_descriptors", oracle=False),
    Probe("read_kernel_log", READ, "files.kernel_log", oracle=False, bare=False),
    Probe("read_kernel_messages", READ, "files.read /dev/kmsg", oracle=False, bare=False),
    Probe("read_physical_memory", READ, "files.open_for_reading /dev/mem", oracle=False, bare=False),
    Probe("read_kernel_memory", READ, "files.open_for_reading /proc/kcore", oracle=False, bare=False),
    Probe("open_by_inode_number", READ, "files.by_handle {workspace}", oracle=False, bare=False),
    Probe("set_up_io_uring", READ, "doors.ring", oracle=False),
    Probe("ask_for_the_session_keyring", READ, "doors.keyring", oracle=False),
    # up to the limit of open files, and no further than many more than any limit
    Probe("open_files_without_end", READ, f"processes.descriptor_bomb {DESCRIPTORS_OVER}", oracle=False, bare=False),
)

_FILES_WRITTEN = (
    Probe("write_own_file", WRITE, "files.write {root}/given.txt", allowed="always"),
    Probe("create_own_file", CREATE, "files.create {root}/created.txt", allowed="always"),
    Probe("unlink_own_file", UNLINK, "files.unlink {root}/given.txt", allowed="always"),
    Probe("write_private_file", CREATE, "files.create {tmp}/{token}", allowed="always", oracle=False),
    Probe("write_input_file", WRITE, "files.write {workspace}/given.txt", allowed="with any root"),
    Probe("create_beside_the_roots", CREATE, "files.create {workspace}/created.txt", allowed="with any root"),
    Probe("unlink_input_file", UNLINK, "files.unlink {workspace}/given.txt", allowed="with any root"),
    Probe("write_host_file", WRITE, "files.write {outside}/secret.txt", controls=["write_own_file"]),
    Probe("create_host_file", CREATE, "files.create {outside}/created.txt", controls=["create_own_file"]),
    Probe("unlink_host_file", UNLINK, "files.unlink {outside}/secret.txt", controls=["unlink_own_file"]),
    Probe(
        "create_host_file_by_dots",
        CREATE,
        "files.create {root}" + _UP + "{outside}/created.txt",
        target="{outside}/created.txt",
        controls=["create_own_file"],
    ),
    Probe(
        "create_own_file_by_link",
        CREATE,
        "files.create_through_link {root}/link {root}/created.txt",
        allowed="always",
        target="{root}/created.txt",
    ),
    Probe(
        "create_host_file_by_link",
        CREATE,
        "files.create_through_link {root}/link {outside}/created.txt",
        target="{outside}/created.txt",
        controls=["create_own_file_by_link"],
    ),
    Probe(
        "create_host_file_by_proc_root",
        CREATE,
        "files.create /proc/1/root{outside}/created.txt",
        target="{outside}/created.txt",
        bare=False,
        controls=["create_own_file"],
    ),
    Probe(
        "hard_link_to_host_file",
        CREATE,
        "files.hard_link {outside}/secret.txt {root}/hard",
        controls=["hard_link_to_own_file"],
    ),
    Probe(
        "hard_link_to_own_file", CREATE, "files.hard_link {root}/given.txt {root}/hard", allowed="always", oracle=False
    ),
    Probe(
        "hard_link_out",
        CREATE,
        "files.hard_link_out {root}/own {outside}/hard",
        target="{outside}/hard",
        controls=["hard_link_to_own_file"],
    ),
    Probe("rename_own_file", CREATE, "files.rename_out {root}/own {root}/renamed", allowed="always", oracle=False),
    Probe(
        "rename_out",
        CREATE,
        "files.rename_out {root}/own {outside}/renamed",
        target="{outside}/renamed",
        controls=["rename_own_file"],
    ),
    # what the host does with what was left, once the command has ended
    Probe(
        "write_back_through_a_link",
        CREATE,
        "files.replace_link {root}/link_outside created.txt",
        bare=False,
        oracle=False,
        witnessed_only=True,
    ),
    Probe(
        "be_read_through_a_link",
        CREATE,
        "files.leave_link {root}/link {outside}/secret.txt",
        bare=False,
        oracle=False,
        witnessed_only=True,
    ),
    Probe(
        "leave_a_set_id_program",
        CREATE,
        "files.leave_set_id {root}/program",
        bare=False,
        oracle=False,
        witnessed_only=True,
    ),
    Probe("leave_a_pipe", CREATE, "files.leave_pipe {root}/pipe", allowed="always", bare=False, oracle=False),
    Probe("plant_a_program", CREATE, "files.create /usr/bin/affidavit-{token}", bare=False, oracle=False),
    Probe("plant_in_the_root", CREATE, "files.create /affidavit-{token}", bare=False, oracle=False),
    Probe("write_the_probe_itself", WRITE, "files.open_for_writing {program}/__main__.py", oracle=False),
    Probe("write_the_own_interpreter", WRITE, "files.open_for_writing /proc/self/exe", bare=False, oracle=False),
    Probe("reopen_for_writing", WRITE, "files.reopen_for_writing {program}/__main__.py", oracle=False),
    Probe("write_memory_of_init", WRITE, "files.open_for_writing /proc/1/mem", bare=False, oracle=False),
    Probe("write_a_disk", WRITE, "files.open_a_disk", bare=False, oracle=False),
    Probe("make_a_device_node", CREATE, "files.device_node {root}/null", bare=False, oracle=False),
    Probe(
        "make_a_sparse_file",
        WRITE,
        f"files.sparse_file {{root}}/sparse {SPARSE_BYTES}",
        bare=False,
        oracle=False,
        ends=["over_output_cap", "SIGXFSZ"],
        controls=["write_own_file"],
    ),
    Probe(
        "write_without_end",
        WRITE,
        "files.fill {root}/filled {bytes_over}",
        bare=False,
        oracle=False,
        ends=["over_output_cap", "SIGXFSZ"],
        controls=["write_own_file"],
    ),
    Probe(
        "create_files_without_end",
        CREATE,
        "files.many_files {root}/many {files_over}",
        bare=False,
        oracle=False,
        ends=["over_output_cap"],
        controls=["create_own_file"],
    ),
    Probe(
        "fill_shared_memory",
        WRITE,
        f"files.fill_with_files {{shm}}/filled {SHARED_OVER} {{file_bytes}}",
        bare=False,
        oracle=False,
        ends=["oom_killed", "SIGXFSZ"],
        limits={"max_memory_bytes": MEMORY},
    ),
    Probe(
        "flood_standard_output",
        WRITE,
        "files.flood {bytes_over}",
        target="stdout",
        bare=False,
        oracle=False,
        ends=["over_output_cap"],
        witnessed_only=True,
    ),
    # characters put into a terminal's input are run by whoever reads it next
    Probe("type_into_a_terminal", WRITE, "doors.inject 5412", bare=False, oracle=False),
    Probe("type_into_a_terminal_by_high_bits", WRITE, "doors.inject 100005412", bare=False, oracle=False),
    Probe("paste_into_a_console", WRITE, "doors.inject 541c", bare=False, oracle=False),
    Probe("open_the_callers_terminal", WRITE, "files.open_for_writing /dev/tty", bare=False, oracle=False),
)

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
        allowed="always",
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
    Probe("exec_copy_in_root", EXEC, "programs.exec_copy {root}/copy", allowed="with any command", oracle=False),
    Probe("exec_script_in_root", EXEC, "programs.exec_script {root}/script", allowed="with any command", oracle=False),
    Probe("exec_copy_in_tmp", EXEC, "programs.exec_copy {tmp}/{token}", allowed="with any command", oracle=False),
    Probe("exec_copy_in_shm", EXEC, "programs.exec_copy {shm}/{token}", allowed="with any command", oracle=False),
    Probe("exec_copy_in_dev", EXEC, "programs.exec_copy /dev/{token}", bare=False, allowed="never", oracle=False),
    Probe(
        "exec_copy_by_loader",
        EXEC,
        "programs.exec_copy_by_loader {root}/copy",
        allowed="with any command",
        oracle=False,
    ),
    Probe("exec_from_memory", EXEC, "programs.exec_memfd", allowed="with any command", oracle=False),
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
        ends=["SIGXCPU", "SIGKILL"],
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

PROBES: tuple[Probe, ...] = (*_FILES_READ, *_FILES_WRITTEN, *_PROGRAMS, *_NETWORK, *_PROCESSES, *_DOORS)
