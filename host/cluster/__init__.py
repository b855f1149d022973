# SPDX-License-Identifier: Apache-2.0
"""Work on other processes and computers with an identical environment."""

from .cluster import SETTINGS, Cluster, add_cluster, open_cluster
from .local import Threads, open_pool, run_all
from .surroundings import ROOT, Surroundings, WorkerError, describe_sources, place, run_checked

__all__ = ["ROOT", "SETTINGS", "Cluster", "Surroundings", "Threads", "WorkerError", "add_cluster",
           "describe_sources", "open_cluster", "open_pool", "place", "run_all", "run_checked"]
