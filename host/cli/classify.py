# SPDX-License-Identifier: Apache-2.0
"""Image inference as the command line asks for it: backend, processes, progress."""

from contextlib import ExitStack
from functools import partial

from xymac.hdl.config import find_size
from xymac.host.cluster import count_cores
from xymac.host.device.device import load_device, open_device
from xymac.host.errors import InputError
from xymac.host.network.jobs import classify_with_jobs

from .command import GOLDEN, processes
from .progress import show_progress
from .waves import open_waves

__all__ = ["add_jobs", "check_jobs", "classify_images"]


def add_jobs(parser):
    """Add ``--jobs``."""
    parser.add_argument("--jobs", metavar="N", type=processes,
                        help=f"processes that share the images, each with its own core "
                             f"(default: {count_cores()}, one per CPU core, if there "
                             f"are enough images)")


def check_jobs(options, network):
    """Set ``options.jobs``; InputError if a single resource would be shared by several processes.
    """
    waves = getattr(options, "waves", None)
    reasons = {
        "the waveforms are one file": waves,
        "there is one board": options.backend != GOLDEN and load_device(options.backend).exclusive,
        "states stay from image to image (see --reset-states)":
            network.has_states and not options.reset_states}
    for what, given in reasons.items():
        if given:
            if options.jobs not in (None, 1):
                raise InputError(f"--jobs must be 1 where {what}, not {options.jobs}")
            options.jobs = 1


def classify_images(options, network, images, extra, console):
    """Inference of Images with the backend and a progress bar; ``extra`` are device options."""
    with ExitStack() as stack:
        if getattr(options, "waves", None):
            extra["waves"] = stack.enter_context(open_waves(options))
        device = opener = None
        if options.backend != GOLDEN:
            opener = partial(open_device, options.backend, find_size(options.size), **extra)
            with console.status(f"Preparing {options.backend}, size {options.size}"):
                device = stack.enter_context(opener())
        advance = stack.enter_context(show_progress(console, "classifying", images.count))
        return classify_with_jobs(network, images.data, device=device, opener=opener,
                                  jobs=options.jobs, progress=advance,
                                  reset_states=options.reset_states)
