# SPDX-License-Identifier: Apache-2.0
"""Work on other processes and computers with an identical environment."""

from .cluster import SETTINGS, Cluster, add_cluster, open_cluster
from .environment import (
    ROOT,
    Environment,
    WorkerError,
    describe_sources,
    digest_sources,
    place,
    run_checked,
)
from .interrupts import interrupts_deferred, result_of
from .local import Threads, open_pool, run_all
from .workers import Workers, count_cores

__all__ = ["ROOT", "SETTINGS", "Cluster", "Environment", "Threads", "WorkerError", "Workers",
           "add_cluster", "count_cores", "describe_sources", "digest_sources",
           "interrupts_deferred", "open_cluster", "open_pool", "place", "result_of", "run_all",
           "run_checked"]
