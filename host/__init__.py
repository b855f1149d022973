"""Host side: lowering of kernels to passes, allocation, device, network runner, command line."""

from host.cycles.model import Prediction, predict
from host.device.device import Device, DeviceError, MachineDevice, open_device
from host.network.file import load_images, load_network, save_network
from host.network.inference import Inference, classify
from host.network.network import Images, Network
from host.plan.graph import Node
from host.plan.plan import Plan
from host.plan.rows import AllocationError
from host.plan.run import LayerRun, run_layer

__all__ = [
    "AllocationError", "Device", "DeviceError", "Images", "Inference", "LayerRun", "MachineDevice",
    "Network", "Node", "Plan", "Prediction", "classify", "load_images", "load_network",
    "open_device", "predict", "run_layer", "save_network",
]
