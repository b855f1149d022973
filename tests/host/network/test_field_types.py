# SPDX-License-Identifier: Apache-2.0
"""Types of the fields of every kernel are known when a file is read, however they are written."""

from dataclasses import fields, is_dataclass

import pytest

from xymac.golden import tflm
from xymac.golden.layer import LayerBase
from xymac.host.network.fields import field_types
from xymac.host.network.kernels import ARRAYS, KERNELS

#: Layers that a compiled network can leave to the host.
HOST = [kind for kind in (getattr(tflm, name) for name in tflm.__all__)
        if isinstance(kind, type) and issubclass(kind, LayerBase) and is_dataclass(kind)]


@pytest.mark.parametrize("kind", [*KERNELS.values(), *ARRAYS.values(), *HOST],
                         ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_types_are_classes_and_no_texts(kind):
    types = field_types(kind)

    assert list(types) == [field.name for field in fields(kind)]
    assert not any(isinstance(each, str) for each in types.values())
