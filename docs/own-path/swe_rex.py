"""Runs a reply in a session of SWE-ReX's local runtime, as SWE-agent does: `python swe_rex.py REPLY_FILE`."""

import asyncio
import logging
import os
import sys
from pathlib import Path

# Its log goes to stderr, and is not what a reply writes.
os.environ["SWE_REX_LOG_STREAM_LEVEL"] = "CRITICAL"
from swerex.deployment.local import LocalDeployment
from swerex.exceptions import SwerexException
from swerex.runtime.abstract import BashAction, CreateBashSessionRequest

del os.environ["SWE_REX_LOG_STREAM_LEVEL"]
logging.disable()

SECONDS = 5.0
"""For one reply."""
FAILED = 70
"""What this program ends with where the session gives no status."""


async def run(command: str) -> int:
    deployment = LocalDeployment()
    await deployment.start()
    try:
        await deployment.runtime.create_session(CreateBashSessionRequest())
        seen = await deployment.runtime.run_in_session(BashAction(command=command, check="silent", timeout=SECONDS))
    except SwerexException as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
        return FAILED
    finally:
        await deployment.stop()
    sys.stdout.write(seen.output)
    return FAILED if seen.exit_code is None else seen.exit_code


if __name__ == "__main__":
    sys.exit(asyncio.run(run(Path(sys.argv[1]).read_bytes().decode())))
