# SPDX-License-Identifier: Apache-2.0
"""Our own core as a device: passes in numpy, size tiny."""

import xymac

TYPES = (("tflm", "int8"), ("mli-1", "fx8"), ("mli-2", "sa8"), ("xs3", "int8"))


class Core(xymac.Adapter):
    """Everything that the kit asks and a layer of the core computes."""

    name     = "xymac tiny"
    seconds  = 60.0
    supports = (*(xymac.Supports(operation, *kind, {"height": (4, 5), "channels": (1, 4, 5)})
                  for kind in TYPES
                  for operation in ("conv2d", "depthwise_conv2d", "fully_connected", "max_pool")),
                xymac.Supports("network", "tflm"))

    def __init__(self):
        self.device = xymac.open_device("machine", xymac.CORES["tiny"])

    def conv2d(self, case):
        """The output of a layer."""
        return xymac.run_layer(self.device, case.layer, *case.inputs).output.data

    depthwise_conv2d = fully_connected = max_pool = conv2d

    def network(self, case):
        """The outputs of all layers."""
        run = xymac.Session(case.layer, self.device).run(*case.inputs)
        return {name: run[name].data for name in case.layer.names}
