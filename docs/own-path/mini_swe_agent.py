"""Runs a reply as mini-swe-agent does on the machine that it runs on: `python mini_swe_agent.py REPLY_FILE`."""

import os
import sys
from pathlib import Path

# Without a greeting on stdout. The reply shall not see this variable.
os.environ["MSWEA_SILENT_STARTUP"] = "1"
from minisweagent.environments.local import LocalEnvironment

del os.environ["MSWEA_SILENT_STARTUP"]


def main(file: str) -> int:
    command = Path(file).read_bytes().decode()
    seen = LocalEnvironment().execute({"command": command})
    sys.stdout.write(seen["output"])
    if seen["exception_info"]:
        sys.exit(f"{seen['exception_info']}")
    status: int = seen["returncode"]
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
