"""A cluster of Dask: of this computer, at an address, or made from a file."""

import logging
import re
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib.metadata import EntryPoint

from host.errors import InputError, translate_refusals
from host.files.reading import read_file

from .surroundings import check_worker, run_checked

__all__ = ["SETTINGS", "Cluster", "add_cluster", "open_cluster"]

ANSWER   = 10  #: Seconds in which a scheduler must answer.
#: Of Dask, for the clusters that are made here; docs/cluster.md names them for those of others.
SETTINGS = {
    # A piece that ends two workers would end them all.
    "distributed.scheduler.allowed-failures": 1,
    # A worker has one piece and none that waits, which would be blamed for what the first one does.
    "distributed.scheduler.worker-saturation": 1.0,
    # Where much runs, a worker takes long to start again: it is not given up meanwhile.
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    # What workers do is to wait for processes; nobody looks at where they wait.
    "distributed.worker.profile.enabled": False,
}
_NO_WORK = 64  # Pieces that wait while there is no worker: what an adaptive cluster looks at.
_FILES   = (".yaml", ".yml")
_DASHBOARD = "127.0.0.1:0"  # whoever reaches it sees, and may end, all that runs
_SECRET  = ("tls://", "wss://")  # schemes of connections that nobody else reads or opens
_LOGGERS = ("distributed", "tornado", "asyncio")
_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^\s/]+:\d+")
_FIELDS  = {"module", "class", "args", "kwargs", "version"}

_log = logging.getLogger("xymac.cluster")


def add_cluster(parser):
    """Add ``--cluster`` to the options of a command."""
    parser.add_argument("--cluster", metavar="WHERE",
                        help="local: workers of Dask on this computer; the address of a scheduler; "
                             "or a .yaml file of a cluster (default: processes of this computer)")


def open_cluster(where, describe, workers=None):
    """The Cluster that ``--cluster`` names (str): ``local``, an address, or a file.

    ``describe``, a function of a module, returns the Surroundings of the process that calls it.
    ``workers`` are those of ``local``, one a core if None. InputError if there is no cluster, or if
    Surroundings are others on one of its workers.
    """
    try:
        import dask
        import distributed
    except ImportError as error:
        raise InputError(f"A cluster needs {error.name}, which is not installed: "
                         f"pip install '.[cluster]'") from error
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
    except (TypeError, ValueError) as error:  # of a configuration without certificates, say
        raise InputError(f"Cannot connect to {where}: {error}") from error
    return Cluster(client, made, describe)


def _hush():
    """Let Dask log nothing: what it logs in many lines is one sentence here."""
    for name in [*_LOGGERS, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def read_cluster(path):
    """The fields of a file that describes a cluster as dask-ctl does; InputError if it does not."""
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
    """The cluster of such fields; InputError for a class that is not there or refuses."""
    name = f"{fields['module']}:{fields['class']}"
    try:
        kind = EntryPoint(name="cluster", value=name, group="xymac").load()
    except Exception as error:  # which importing a module may raise
        raise InputError(f"There is no cluster {name}: {error}") from error
    with translate_refusals(f"Cluster {name}", Exception):
        return kind(*fields.get("args") or (), **fields.get("kwargs") or {})


class Cluster:
    """The workers of a Dask client; a context, at whose end a ``cluster`` that is given ends, too.

    InputError if workers that are there have other Surroundings than this process, as ``describe``
    tells them.
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
        """Cancel what waits, and end the cluster if it was made here."""
        self._executor.shutdown(wait=False)
        with suppress(TimeoutError):  # A busy worker takes longer; no result waits for it.
            self._client.close()
            if self._cluster is not None:
                self._cluster.close()

    @property
    def label(self):
        """What computes, for people."""
        return f"{len(self._client.nthreads())} workers of {self._client.scheduler.address}"

    @property
    def width(self):
        """Pieces that are worth having in it at once: no worker waits for one."""
        return 2 * sum(self._client.nthreads().values()) or _NO_WORK

    def submit(self, key, function, *arguments):
        """Begin ``function(*arguments)`` under a name, ``key``; returns a Future.

        It ends in a WorkerError on a worker with other Surroundings than those of this process.
        """
        return self._executor.submit(run_checked, self._here, self._describe, function, *arguments,
                                     key=self._prefix + key)

    def running(self):
        """{key of a piece: worker that has it}."""
        return {key.removeprefix(self._prefix): worker
                for worker, keys in self._client.processing().items() for key in keys}

    def blame(self, error):
        """Why a piece has no result, or None if that is no matter of the pool.

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
    """InputError naming a worker that has other Surroundings, or that cannot tell its own."""
    replies = client.run(describe, on_error="return")
    for address, reply in sorted(replies.items()):
        if isinstance(reply, Exception):
            raise InputError(f"Worker {address} cannot load this project: "
                             f"{type(reply).__name__}: {reply}")
        check_worker(address, expected, reply)
