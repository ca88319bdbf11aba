"""The fixed surroundings of every reply. All of it determines observations, so all of it is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from qfuzz.model.task import GIT_EMAIL, GIT_NAME, GIT_TIME

WORK = "/work"
HOME = "/home/user"
SIDE_FILES = "/run/qfuzz/in"

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "PATH": "/usr/bin:/bin",
        "HOME": HOME,
        "USER": "user",
        "LOGNAME": "user",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        # What a shell between would export, so that the first `$_` is the same on every path.
        "_": "/usr/bin/bash",
        "GIT_AUTHOR_NAME": GIT_NAME,
        "GIT_AUTHOR_EMAIL": GIT_EMAIL,
        "GIT_AUTHOR_DATE": f"{GIT_TIME} +0000",
        "GIT_COMMITTER_NAME": GIT_NAME,
        "GIT_COMMITTER_EMAIL": GIT_EMAIL,
        "GIT_COMMITTER_DATE": f"{GIT_TIME} +0000",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
)
"""What a reply finds in its environment; umask is 022, the working directory WORK, standard input /dev/null."""
