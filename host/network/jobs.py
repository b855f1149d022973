# SPDX-License-Identifier: Apache-2.0
"""Network images distributed over processes, each with its own device."""

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

from xymac.host.device.device import DeviceError

from .inference import Inference, each_input, run_image
from .network import Network
from .session import Session

__all__ = ["classify_with_jobs", "count_cores"]

START  = 1.0      #: Start time of other processes, s.
_READY = "ready"  # first message of a process


def count_cores():
    """CPU core count available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def classify_with_jobs(network, images, *, device=None, opener=None, jobs=None,
                       progress=lambda: None, reset_states=False):
    """``classify`` in several processes: an Inference that differs only in its times.

    Parameters
    ----------
    device : this process's open Device, or None for only the golden kernels
    opener : picklable function without arguments, to open another such device
    jobs : int, process count; None for a process per CPU core if the first image's time justifies
        it; 1 if states persist between images
    reset_states : bool, whether states are reset for every image
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
    """Add all images' runs, or only the first image's if the others justify more processes."""
    begin = perf_counter()
    for index, inputs in enumerate(images):
        inference.add(run_image(session, inputs, index))
        inference.elapsed = perf_counter() - begin
        progress()
        if jobs is None and index == 0 and _is_worth(inference.elapsed, len(images) - 1):
            break


def _is_worth(seconds, images):
    """Whether ``count`` images with ``seconds`` each finish sooner in a process per CPU core."""
    return seconds * (images - images / max(min(count_cores(), images), 1)) > START


@dataclass(frozen=True, eq=False)
class _Work:
    """The processes' common data; see ``classify_with_jobs``."""

    network: Network
    opener:  Callable | None
    images:  list
    reset:   bool

    def select(self, indices):
        """The same work with only the given images."""
        return _Work(self.network, self.opener, [self.images[index] for index in indices],
                     self.reset)

    def run(self, indices, tell):
        """Run the images with the numbers ``indices`` and report each ImageRun."""
        with self.opener() if self.opener else nullcontext() as device:
            session = Session(self.network, device, reset_states=self.reset)
            tell(_READY)
            for index, inputs in zip(indices, self.images, strict=True):
                tell(run_image(session, inputs, index))


def _spread(work, rest, inference, progress):
    """Add the images ``rest``'s runs in order; processes take images in turn."""
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
    """A process's next message; raises its exception."""
    try:
        answer = connection.recv()
    except EOFError as error:
        raise DeviceError("A process that classified inputs was ended from outside") from error
    if isinstance(answer, Exception):
        raise answer
    return answer


@contextmanager
def _processes(work, shares):
    """Processes for part of the images each: pending indices by connection.

    The processes end with the context; interrupts reach only this process.
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
    """Defer interrupts to the context's end; processes started within never receive them."""
    if (not hasattr(signal, "pthread_sigmask")
            or threading.current_thread() is not threading.main_thread()):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock interrupts
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
    """A process's main function: run images and send each result or exception."""
    try:
        work.run(indices, connection.send)
    except Exception as error:  # sent, and raised again in the parent
        error.add_note(f"In a process that classified inputs:\n{traceback.format_exc()}")
        connection.send(error)
