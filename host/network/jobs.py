# SPDX-License-Identifier: Apache-2.0
"""Distribute images over processes, each with its own device."""

import atexit
from contextlib import ExitStack
from time import perf_counter

from xymac.host.cluster import Workers, count_cores
from xymac.host.device.device import DeviceError

from .inference import Inference, each_input, run_image
from .session import Session

__all__ = ["classify_with_jobs"]

START = 1.0  #: Start time of other processes, s.


def classify_with_jobs(network, images, *, device=None, opener=None, jobs=None,
                       progress=lambda: None, reset_states=False):
    """``classify`` in several processes; the Inference differs only in its times.

    Parameters
    ----------
    device : this process's open Device, or None for only the golden kernels
    opener : picklable function without arguments that opens an equal device
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
        _spread((network, opener, images, reset_states), rest, inference, progress)
    return inference


def _run_here(session, images, inference, jobs, progress):
    """Add the runs of all images; only of the first image if the others justify more processes."""
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


def _spread(work, rest, inference, progress):
    """Add the runs of the images ``rest`` in order; each process runs an image at a time."""
    runs, begin = {}, None
    with Workers(inference.jobs, "A process that classified inputs", begin=_Here.begin,
                 arguments=work, error=DeviceError) as workers:
        for index, (run, seconds) in workers.run(_Here.run, rest):
            if begin is None:
                begin = perf_counter() - seconds
            runs[index] = run
            progress()
        inference.elapsed += perf_counter() - begin
    for index in rest:
        inference.add(runs[index])


class _Here:
    """A process of ``Workers``: its arguments, and from its first image on its Session."""

    session = None

    @classmethod
    def begin(cls, network, opener, images, reset):
        cls.network, cls.opener, cls.images, cls.reset = network, opener, images, reset

    @classmethod
    def run(cls, index):
        """(ImageRun of an image, seconds)."""
        if cls.session is None:
            stack = ExitStack()
            atexit.register(stack.close)
            device = stack.enter_context(cls.opener()) if cls.opener else None
            cls.session = Session(cls.network, device, reset_states=cls.reset)
        begin = perf_counter()
        return run_image(cls.session, cls.images[index], index), perf_counter() - begin
