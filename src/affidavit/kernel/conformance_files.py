"""The part of the escape suite that aims at files: reading, writing, and what is left for the host to find."""

from __future__ import annotations

from .probes import CREATE, READ, UNLINK, WRITE, Probe

#: Limits that are lowered for what tries to exceed them, and by how much it does: enough to be sure, no more.
MEMORY, SHARED_OVER = 128 << 20, 320 << 20
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

FILES = (*_FILES_READ, *_FILES_WRITTEN)
