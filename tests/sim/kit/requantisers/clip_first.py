# SPDX-License-Identifier: Apache-2.0
"""One of the requantisers."""

from tests.sim.kit.requantisers.device import Requantiser


class ClipFirst(Requantiser):
    which = 3
