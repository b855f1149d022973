# SPDX-License-Identifier: Apache-2.0
"""Host side: kernel lowering, allocation, device, network runner, command line."""

from importlib import import_module

__all__ = [
    "Device",
    "DeviceError",
    "Images",
    "Inference",
    "InputError",
    "LayerRun",
    "MachineDevice",
    "Network",
    "Node",
    "Plan",
    "Prediction",
    "Refusal",
    "RefusalKind",
    "Session",
    "classify",
    "join_layers",
    "load_images",
    "load_model",
    "load_network",
    "open_device",
    "predict",
    "run_layer",
    "save_network",
]

#: Modules of the names, which are imported on first access: the command line needs few.
_MODULES = {
    "cycles.model":          ("Prediction", "predict"),
    "device.device":         ("Device", "DeviceError", "MachineDevice", "open_device"),
    "errors":                ("InputError", "Refusal", "RefusalKind"),
    "network.file":          ("load_network", "save_network"),
    "network.inputs.images": ("load_images",),
    "network.inference":     ("Inference", "classify"),
    "network.load":          ("load_model",),
    "network.network":       ("Images", "Network", "join_layers"),
    "network.session":       ("Session",),
    "plan.graph":            ("Node",),
    "plan.plan":             ("Plan",),
    "plan.run":              ("LayerRun", "run_layer"),
}


def __getattr__(name):
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
