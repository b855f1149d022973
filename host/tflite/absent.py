# SPDX-License-Identifier: Apache-2.0
"""Operators whose file has no table of options: tflite-micro leaves their fields at 0.

Source: ``flatbuffer_conversions.cc`` of TensorFlow Lite for Microcontrollers, which allocates each
structure with zeros and fills it only from a table. Schema defaults equal 0 except for dilations,
and for ``pot_scale_int16``, which int16 kernels ignore.
"""

from xymac.host.errors import InputError

from . import options
from .codes import TENSOR_TYPE

__all__ = ["options_without_table"]

#: Options that compute nothing with fields of 0: no stride, window, block, rank, mode or count.
_NEEDED = frozenset((
    options.CallOnceOptions, options.Conv2DOptions, options.DepthToSpaceOptions,
    options.DepthwiseConv2DOptions, options.MirrorPadOptions, options.PackOptions,
    options.Pool2DOptions, options.SVDFOptions, options.SpaceToDepthOptions,
    options.TransposeConvOptions, options.UnidirectionalSequenceLSTMOptions,
    options.UnpackOptions, options.VarHandleOptions))
#: Fields that tflite-micro never reads: it takes the type of the output tensor.
_UNREAD = {options.ArgMaxOptions: "output_type", options.ArgMinOptions: "output_type",
           options.ShapeOptions: "out_type"}


def options_without_table(subject, kind):
    """Options of class ``kind`` for an operator without a table.

    InputError, which begins with ``subject``, if the operator computes nothing without its table.
    """
    if kind in _NEEDED:
        raise InputError(f"{subject} must have its {kind.__name__}, not none")
    field = _UNREAD.get(kind)
    return kind(**{field: TENSOR_TYPE.INT32}) if field else kind()
