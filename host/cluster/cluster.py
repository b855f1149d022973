# SPDX-License-Identifier: Apache-2.0
"""A Dask cluster: on this computer, at an address, or described by a file."""

import logging
import re
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib.metadata import EntryPoint

from xymac.host.errors import InputError, translate_refusals
from xymac.host.files.reading import read_file
from xymac.host.installing import install_command

from .environment import check_worker, run_checked

__all__ = ["SETTINGS", "Cluster", "add_cluster", "open_cluster"]

ANSWER   = 10  #: Scheduler timeout, s.
#: Dask settings of clusters started here; docs/cluster.md lists them for other clusters.
SETTINGS = {
    # Without a limit, a piece that kills workers would kill all of them.
    "distributed.scheduler.allowed-failures": 1,
    # No queue at a worker: queued pieces would be blamed for a crash of the running piece.
    "distributed.scheduler.worker-saturation": 1.0,
    # Where much runs, a worker takes long to start again: it is not given up meanwhile.
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    # Workers only wait for processes, so the profiler is useless.
    "distributed.worker.profile.enabled": False,
}
_NO_WORK = 64  # pieces to submit without workers; an adaptive cluster scales on them
_FILES   = (".yaml", ".yml")
_DASHBOARD = "127.0.0.1:0"  # only local: the dashboard can show and end all work
_SECRET  = ("tls://", "wss://")  # schemes of encrypted, authenticated connections
_LOGGERS = ("distributed", "tornado", "asyncio")
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^\s/]+:\d+")
_FIELDS  = {"module", "class", "args", "kwargs", "version"}

_log = logging.getLogger("xymac.cluster")


def add_cluster(parser):
    """Add ``--cluster`` to a command's options."""
    parser.add_argument("--cluster", metavar="WHERE",
                        help="local: workers of Dask on this computer; the address of a scheduler; "
                             "or a .yaml file of a cluster (default: processes of this computer)")


def open_cluster(where, describe, workers=None):
    """The Cluster that ``--cluster`` names: ``local``, an address, or a file.

    ``describe`` is a module-level function returning its process's Environment. ``workers`` is the
    local worker count, by default one per CPU core. InputError if there is no cluster, or if a
    worker has a different Environment.
    """
    try:
        import dask
        import distributed
    except ImportError as error:
        raise InputError(f"A cluster needs {error.name}, which is not installed: "
                         f"`{install_command('cluster')}` installs it") from error
    dask.config.set(SETTINGS)
    _hush()
    made = None
    if where != "local" and not where.endswith(_FILES) and not _ADDRESS.fullmatch(where):
        raise InputError(f"The cluster must be local, an address like tcp://HOST:8786, or a file "
                         f"NAME.yaml, not {where!r}")
    if where == "local":
        made = distributed.LocalCluster(workers, threads_per_worker=1, dashboard_address=_DASHBOARD,
                                        memory_limit=0)
    elif where.endswith(_FILES):
        made = make_cluster(read_cluster(where))
    elif not where.startswith(_SECRET):
        _log.warning("Anybody who reaches %s can run programs on its workers: an address that "
                     "begins with tls:// is protected by certificates", where)
    try:
        client = distributed.Client(made or where, timeout=ANSWER, set_as_default=False)
    except OSError as error:
        raise InputError(f"No scheduler answers at {where} within {ANSWER} s") from error
    except (TypeError, ValueError) as error:  # for example a configuration without certificates
        raise InputError(f"Cannot connect to {where}: {error}") from error
    return Cluster(client, made, describe)


def _hush():
    """Disable Dask's logging; its errors become one sentence here."""
    for name in [*_LOGGERS, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def read_cluster(path):
    """Fields of a cluster description file in dask-ctl format; InputError for other files."""
    import yaml

    try:
        fields = yaml.safe_load(read_file(path).decode("utf-8"))
    except (RecursionError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(fields, dict) or not {"module", "class"} <= fields.keys() <= _FIELDS:
        raise InputError(f"{path} must have the fields module and class of a cluster, and may have "
                         f"args, kwargs and version")
    return fields


def make_cluster(fields):
    """Cluster object from such fields; InputError if the class is missing or refuses its arguments.
    """
    name = f"{fields['module']}:{fields['class']}"
    try:
        kind = EntryPoint(name="cluster", value=name, group="xymac").load()
    except Exception as error:  # an import can raise anything
        raise InputError(f"There is no cluster {name}: {error}") from error
    with translate_refusals(f"Cluster {name}", Exception):
        return kind(*fields.get("args") or (), **fields.get("kwargs") or {})


class Cluster:
    """A Dask client's workers, a context manager; at its end the given ``cluster`` ends too.

    InputError if a worker's Environment differs from this process; ``describe`` returns it.
    """

    def __init__(self, client, cluster, describe):
        self._client, self._cluster, self._describe = client, cluster, describe
        self._executor = client.get_executor(pure=True)
        self._here     = describe()
        self._prefix   = f"xymac-{self._here.sources}-"
        try:
            check_workers(client, self._here, describe)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Cancel waiting work, and end the cluster if it was started here."""
        self._executor.shutdown(wait=False)
        with suppress(TimeoutError):  # A busy worker takes longer, but no result depends on it.
            self._client.close()
            if self._cluster is not None:
                self._cluster.close()

    @property
    def label(self):
        """Description of the computing resources for a person."""
        return f"{len(self._client.nthreads())} workers of {self._client.scheduler.address}"

    @property
    def width(self):
        """Piece count to keep submitted, so that no worker waits."""
        return 2 * sum(self._client.nthreads().values()) or _NO_WORK

    def submit(self, key, function, *arguments):
        """Start ``function(*arguments)`` under the name ``key``; returns a Future.

        On a worker with a different Environment the Future ends in a WorkerError.
        """
        return self._executor.submit(run_checked, self._here, self._describe, function, *arguments,
                                     key=self._prefix + key)

    def running(self):
        """{key of a running piece: its worker}."""
        return {key.removeprefix(self._prefix): worker
                for worker, keys in self._client.processing().items() for key in keys}

    def blame(self, error):
        """Reason why a piece has no result, or None if the pool is not the cause.

        InputError if the scheduler is gone.
        """
        from distributed.scheduler import KilledWorker

        if isinstance(error, KilledWorker):
            return (f"it ended {error.allowed_failures + 1} workers, the last at "
                    f"{error.last_worker.address}")
        if isinstance(error, (CancelledError, OSError)):
            raise InputError("The scheduler is gone; --resume goes on with what is left"
                             ) from error
        return None


def check_workers(client, expected, describe):
    """Raise InputError for a worker whose Environment differs or cannot be read."""
    replies = client.run(describe, on_error="return")
    for address, reply in sorted(replies.items()):
        if isinstance(reply, Exception):
            raise InputError(f"Worker {address} cannot load this project: "
                             f"{type(reply).__name__}: {reply}")
        check_worker(address, expected, reply)
