"""Images of a network shared by processes, each with a device of its own."""

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from time import perf_counter

from host.device.device import DeviceError

from .inference import Inference, each_input, run_image
from .network import Network
from .session import Session

__all__ = ["classify_with_jobs", "count_cores"]

START  = 1.0      #: Seconds until other processes have loaded what they need.
_READY = "ready"  # the first thing that a process says


def count_cores():
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def classify_with_jobs(network, images, *, device=None, opener=None, jobs=None,
                       progress=lambda: None, reset_states=False):
    """Classify ``images`` like ``classify``, in several processes: an Inference that differs in
    its times alone.

    Parameters
    ----------
    device : Device that is open in this process, or None for the golden kernels alone
    opener : function without arguments that opens another one of its kind, and can be pickled
    jobs : int, processes; None for one a core if that saves time, which the first image tells, and
        for one where states stay from one image to the next
    reset_states : bool, they do not
    progress : called after each image
    """
    inference = Inference()
    images    = list(each_input(images))
    session   = Session(network, device, reset_states=reset_states)
    if network.has_states and not reset_states:
        jobs = 1
    if jobs is None or jobs == 1:
        _run_here(session, images, inference, jobs, progress)
    rest = range(len(inference.predictions), len(images))
    if rest:
        inference.jobs = min(jobs or count_cores(), len(rest))
        _spread(_Work(network, opener, images, reset_states), rest, inference, progress)
    return inference


def _run_here(session, images, inference, jobs, progress):
    """Add the runs of all images, or of the first one if the rest is worth other processes."""
    begin = perf_counter()
    for index, inputs in enumerate(images):
        inference.add(run_image(session, inputs, index))
        inference.elapsed = perf_counter() - begin
        progress()
        if jobs is None and index == 0 and _is_worth(inference.elapsed, len(images) - 1):
            break


def _is_worth(seconds, images):
    """Whether so many images of so many seconds are done sooner by a process on every core."""
    return seconds * (images - images / max(min(count_cores(), images), 1)) > START


@dataclass(frozen=True, eq=False)
class _Work:
    """What the processes share; see ``classify_with_jobs``."""

    network: Network
    opener:  Callable | None
    images:  list
    reset:   bool

    def select(self, indices):
        """The same with these images alone."""
        return _Work(self.network, self.opener, [self.images[index] for index in indices],
                     self.reset)

    def run(self, indices, tell):
        """Run the images, whose numbers are ``indices``, and tell the ImageRun of each."""
        with self.opener() if self.opener else nullcontext() as device:
            session = Session(self.network, device, reset_states=self.reset)
            tell(_READY)
            for index, inputs in zip(indices, self.images, strict=True):
                tell(run_image(session, inputs, index))


def _spread(work, rest, inference, progress):
    """Add the runs of the images ``rest`` of ``work``, in their order, each a job in turn."""
    shares = [[*rest[job::inference.jobs]] for job in range(inference.jobs)]
    with _processes(work, shares) as awaited:
        runs, begin = {}, None
        while awaited:
            for connection in wait(list(awaited)):
                answer = _receive(connection)
                if begin is None:
                    begin = perf_counter()
                if answer == _READY:
                    continue
                indices = awaited[connection]
                runs[indices.pop(0)] = answer
                progress()
                if not indices:
                    del awaited[connection]
        inference.elapsed += perf_counter() - begin
    for index in rest:
        inference.add(runs[index])


def _receive(connection):
    """The next thing that a process says; raises what it raised."""
    try:
        answer = connection.recv()
    except EOFError as error:
        raise DeviceError("A process that classified inputs was ended from outside") from error
    if isinstance(answer, Exception):
        raise answer
    return answer


@contextmanager
def _processes(work, shares):
    """Processes that run a share of the images each: indices still awaited, by connection.

    They end with the context; an interrupt is heard here alone.
    """
    context, processes, awaited = multiprocessing.get_context("spawn"), [], {}
    try:
        with _interrupts_held():
            for indices in shares:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, daemon=True, args=(
                    theirs, work.select(indices), indices))
                process.start()
                theirs.close()
                processes.append(process)
                awaited[ours] = [*indices]
        yield awaited
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    finally:
        for process in processes:
            process.join()


@contextmanager
def _interrupts_held():
    """Interrupts come after this; processes that are started meanwhile never hear of them."""
    if (not hasattr(signal, "pthread_sigmask")
            or threading.current_thread() is not threading.main_thread()):
        yield
        return
    resource_tracker.ensure_running()  # its start would let the interrupts through
    came   = []
    usual  = signal.signal(signal.SIGINT, lambda *call: came.append(call))  # for other threads
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})      # for the processes
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, usual)
    if came and callable(usual):
        usual(*came[0])


def _work(connection, work, indices):
    """What a process does: run images and send what comes of each, or what was raised."""
    try:
        work.run(indices, connection.send)
    except Exception as error:  # sent, and raised again where the user is
        error.add_note(f"In a process that classified inputs:\n{traceback.format_exc()}")
        connection.send(error)
