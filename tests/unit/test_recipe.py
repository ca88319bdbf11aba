"""The agent as it is shipped into a jail."""

from __future__ import annotations

import io
import zipfile

from qfuzz.jail.recipe import agent_zip


def test_equal_sources_give_equal_bytes_at_any_time() -> None:
    with zipfile.ZipFile(io.BytesIO(agent_zip())) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert "agent/main.py" in archive.namelist()
