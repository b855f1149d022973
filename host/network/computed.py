# SPDX-License-Identifier: Apache-2.0
"""Layers that the host computes as steps of a driver, and back."""

from xymac.golden import tflm
from xymac.golden.layer import LayerBase

from .fields import decode_fields, encode

__all__ = ["describe_layer", "layer_of_step"]

_KINDS = {name: getattr(tflm, name) for name in tflm.__all__}
_KINDS = {name: kind for name, kind in _KINDS.items()
          if isinstance(kind, type) and issubclass(kind, LayerBase)}


def describe_layer(network, index, arrays):
    """Step of layer ``index`` of a Network; its arrays are put into the dict ``arrays``."""
    node   = network.nodes[index]
    layer  = node.layer
    target = network.first + index
    if isinstance(layer, tflm.Quantize | tflm.Dequantize):
        what = "quantise" if isinstance(layer, tflm.Quantize) else "dequantise"
        return {"do": what, "value": node.sources[0], "to": target}
    if isinstance(layer, tflm.Reshape | tflm.ExpandDims | tflm.Squeeze):
        return {"do": "copy", "value": node.sources[0], "to": target}
    fields = {name: encode(getattr(layer, name), f"host{index}.{name}", arrays)
              for name in layer.__dataclass_fields__}
    return {"do": "compute", "kernel": type(layer).__name__, "fields": fields,
            "values": list(node.sources), "to": target}


def layer_of_step(step, arrays):
    """The golden layer of a step ``compute`` with arrays of the dict ``arrays``; InputError or
    KeyError if it makes no sense."""
    kind = _KINDS[step["kernel"]]
    return kind(**decode_fields(kind, step["fields"], arrays, tflm.Tensor))
