"""Host side: lowering of kernels to passes, allocation, device, network runner, command line."""

from .device import Device, DeviceError, MachineDevice, open_device
from .graph import Node
from .inference import Inference, classify
from .memory import AllocationError
from .model import Prediction, predict
from .network import Images, Network
from .network_file import load_images, load_network, save_network
from .plan import Plan
from .runner import LayerRun, run_layer

__all__ = [
    "AllocationError", "Device", "DeviceError", "Images", "Inference", "LayerRun", "MachineDevice",
    "Network", "Node", "Plan", "Prediction", "classify", "load_images", "load_network",
    "open_device", "predict", "run_layer", "save_network",
]
