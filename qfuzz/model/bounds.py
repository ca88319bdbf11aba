"""What every door to qfuzz allows alike: seconds for one execution, and executions at the same time."""

from __future__ import annotations

LEAST_SECONDS, MOST_SECONDS = 0.05, 3600
"""Below, no jail answers in time; above, it is no timeout any more."""

MOST_JOBS = 256
"""Each is a jail of its own."""
