"""What a reply may use and how much of what it leaves is looked at."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. They are part of what determines an observation.

    `work_bytes` and `work_inodes` size the work directory; home, tmp and /dev/shm get `other_bytes` and
    `other_inodes` each. `memory_bytes` is for all processes of a run together, `process_memory_bytes` for the private
    data of each. `file_bytes` is the longest file that may be written (SIGXFSZ beyond it). A run that writes more
    than `output_most_bytes` to stdout and stderr together is ended; `output_keep_bytes` of each are kept. The
    remaining fields bound what is read of the tree and of its repository afterwards; what is over them is reported
    as truncated.
    """

    work_bytes: int = 64 * MIB
    work_inodes: int = 20_000
    other_bytes: int = 32 * MIB
    other_inodes: int = 10_000
    memory_bytes: int = 1024 * MIB
    process_memory_bytes: int = 1024 * MIB
    processes: int = 256
    open_files: int = 1024
    file_bytes: int = 64 * MIB
    output_most_bytes: int = 64 * MIB
    output_keep_bytes: int = 1 * MIB
    tree_paths: int = 10_000
    tree_depth: int = 64
    tree_bytes: int = 8 * MIB
    tree_file_bytes: int = 4 * MIB
    git_paths: int = 5_000
    git_bytes: int = 16 * MIB
