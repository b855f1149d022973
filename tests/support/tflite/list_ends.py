# SPDX-License-Identifier: Apache-2.0
"""Networks whose variables, copies and host computations lie at the ends of a command list."""

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .moves import ints
from .networks import value

__all__ = ["COMPUTED", "LIST_ENDS"]

FLOAT32 = TENSOR_TYPE.FLOAT32
SHAPE   = (1, 2, 3)
KIND    = {"scale": 0.5, "zero_point": 3}


class _Maker:
    """Collects tensors and operators; a variable is read where it is made, and set last."""

    def __init__(self):
        self.tensors, self.operators, self._assigned = [], [], []

    def add(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def real(self, shape=SHAPE):
        return self.add(Tensor(f"t{len(self.tensors)}", shape, FLOAT32))

    def byte(self, shape=SHAPE, **kind):
        return self.add(value(f"t{len(self.tensors)}", shape, **KIND | kind))

    def make(self, name, inputs, output, given=None):
        self.operators.append(Operator(name, tuple(inputs), (output,), given))
        return output

    def reshape(self, source, shape):
        old = self.tensors[source]
        to  = self.real(shape) if old.type == FLOAT32 else self.byte(
            shape, scale=old.scales[0], zero_point=old.zero_points[0])
        return self.make("RESHAPE", (source, self.add(ints("shape", shape))), to,
                         options.ReshapeOptions(shape))

    def variable(self, **kind):
        """The handle and what is read of it."""
        handle = self.add(Tensor("v", (), TENSOR_TYPE.RESOURCE))
        self.make("VAR_HANDLE", (), handle, options.VarHandleOptions("", f"v{handle}"))
        return handle, self.make("READ_VARIABLE", (handle,), self.byte(**kind))

    def assign(self, handle, source):
        self._assigned.append(Operator("ASSIGN_VARIABLE", (handle, source), ()))

    def model(self, inputs, outputs):
        return Model(tuple(self.tensors), (*self.operators, *self._assigned), inputs, outputs)


def host_into_state(flat=False):
    """An input that the host quantises is kept, and the core reads the value before it."""
    m = _Maker()
    x = m.real((6,) if flat else SHAPE)
    q = m.make("QUANTIZE", (m.reshape(x, SHAPE) if flat else x,), m.byte())
    handle, old = m.variable()
    y = m.make("RELU", (old,), m.byte())
    m.assign(handle, q)
    return m.model((x,), (y, q) if flat else (y,))


def host_into_two_states():
    """The same value is kept twice; the second comes out as it was."""
    m = _Maker()
    x = m.real()
    q = m.make("QUANTIZE", (x,), m.byte())
    (one, first), (two, second) = m.variable(), m.variable()
    y = m.make("RELU", (first,), m.byte())
    m.assign(one, q)
    m.assign(two, q)
    return m.model((x,), (y, second))


def input_into_state():
    """An input is kept, and the core reads the value before it."""
    m = _Maker()
    x = m.byte()
    handle, old = m.variable()
    y, z = (m.make("RELU", (each,), m.byte()) for each in (old, x))
    m.assign(handle, x)
    return m.model((x,), (y, z))


def output_into_state():
    """An output that the host computes is kept, in another shape, and the core reads it."""
    m = _Maker()
    x = m.byte()
    handle, old = m.variable(scale=0.25)
    y = m.make("ADD", (x, old), m.byte(scale=1.0), options.AddOptions(ACTIVATION.NONE))
    r = m.reshape(m.make("DEQUANTIZE", (y,), m.real()), (6,))
    q = m.make("QUANTIZE", (r,), m.byte((6,), scale=0.25))
    m.assign(handle, m.reshape(q, SHAPE))
    return m.model((x,), (r, y))


def copies_at_ends():
    """Copies before QUANTIZE and behind DEQUANTIZE, whose values come out."""
    m = _Maker()
    x = m.real((6,))
    a = m.reshape(m.reshape(x, SHAPE), (3, 2))
    y = m.make("RELU", (m.make("QUANTIZE", (a,), m.byte((3, 2))),), m.byte((3, 2)))
    return m.model((x,), (m.reshape(m.make("DEQUANTIZE", (y,), m.real((3, 2))), SHAPE), y))


def no_dimension():
    """Values without a dimension."""
    m = _Maker()
    x = m.byte(())
    handle, old = m.variable(shape=())
    y = m.make("RELU", (x,), m.byte(()))
    z = m.make("ADD", (y, old), m.byte((), scale=1.0), options.AddOptions(ACTIVATION.NONE))
    m.assign(handle, y)
    return m.model((x,), (z,))


def old_state_behind():
    """The host selects between an output and the value that was kept before the run."""
    m = _Maker()
    x = m.byte()
    handle, old = m.variable()
    y = m.make("RELU", (x,), m.byte())
    c = m.make("CAST", (y,), m.add(Tensor("c", SHAPE, TENSOR_TYPE.BOOL)))
    z = m.make("SELECT_V2", (c, old, y), m.byte())
    m.assign(handle, y)
    return m.model((x,), (z,))


#: Functions that make a Model, by name; C computes all but the COMPUTED.
COMPUTED  = {"old state behind": old_state_behind}
LIST_ENDS = {"host into state": host_into_state,
             "flat host into state": lambda: host_into_state(flat=True),
             "host into two states": host_into_two_states, "input into state": input_into_state,
             "output into state": output_into_state, "copies at ends": copies_at_ends,
             "no dimension": no_dimension}
