# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of MLI 1.x in plain loops over Python ints."""

from tests.support.naive.mli1 import clip, divide, wrap40
from xymac.golden.mli1 import Act, RnnMode
from xymac.golden.mli1.lut import SIGMOID, TANH

__all__ = ["NaiveCell"]


class NaiveCell:
    """Plain loops of one call; ``overflow`` tells whether a sum left the library's accumulator."""

    def __init__(self, layer, x):
        self.layer, self.bits = layer, x.bits
        self.wide     = layer.weights.bits == 16
        self.x_frac   = x.frac_bits
        self.overflow = False
        frames = [x.data.ravel().tolist()]
        if layer.mode is not RnnMode.ONE_TO_ONE:
            frames = [x.data[step].ravel().tolist() for step in range(x.shape[0])]
        self.frames = frames

    def seen(self, acc, bits=None):
        """The low 40 bits of a sum that may leave the accumulator."""
        bits = bits or (40 if self.wide else 32)
        self.overflow |= not -2 ** (bits - 1) <= acc < 2 ** (bits - 1)
        return wrap40(acc)

    def table(self, act, value, frac_bits):
        """Activation of one value."""
        table = TANH if act is Act.TANH else SIGMOID
        shift = frac_bits - table.frac_bits
        if shift > 15:
            value, shift = value // 2 ** (shift - 15), 15
        last = len(table.values) - 1
        if shift > 0:
            index = max(0, min(value // 2 ** shift + table.offset, last - 1))
            fall  = (table.values[index] - table.values[index + 1]) * (value % 2 ** shift)
            out   = table.values[index] - divide(fall, shift, self.layer.rounding, 32)
        else:
            index = clip(clip(value * 2 ** -shift, 16) + table.offset, 16)
            out   = table.values[max(0, min(index, last))]
        return out if self.bits == 16 else divide(out, 8, self.layer.rounding, 8)

    def dense(self, weights, bias, frame, h, out_frac):
        """One dot product of input and previous output."""
        layer = self.layer
        acc = bias * 2 ** (self.x_frac + layer.weights.frac_bits - layer.bias.frac_bits)
        if not self.wide and layer.bias.bits == 8:
            acc = clip(acc, 32)
        acc += sum(w * v for w, v in zip(weights[:len(frame)], frame, strict=True))
        acc, shift = self.seen(acc), self.x_frac - layer.h.frac_bits
        if not self.wide:
            acc = divide(acc, shift, layer.rounding, 32)
        elif shift > 0:
            acc //= 2 ** shift
        else:
            acc = self.seen(acc * 2 ** -shift)
        acc = self.seen(acc + sum(w * v for w, v in zip(weights[len(frame):], h, strict=True)))
        return divide(acc, layer.h.frac_bits + layer.weights.frac_bits - out_frac, layer.rounding,
                      self.bits)

    def basic(self):
        """Outputs of every step."""
        layer, h = self.layer, self.layer.h.data.tolist()
        rows   = layer.weights.data.reshape(-1, layer.weights.shape[-1]).tolist()
        biases = layer.bias.data.ravel().tolist()
        middle = layer.out_frac_bits if layer.act is Act.NONE else self.bits - 4
        outputs = []
        for frame in self.frames:
            h = [self.dense(row, bias, frame, h, middle)
                 for row, bias in zip(rows, biases, strict=True)]
            if layer.act is not Act.NONE:
                h = [self.table(layer.act, value, middle) for value in h]
            outputs.append(h)
        return outputs

    def lstm(self):
        """Outputs of every step, and the last cell state."""
        layer, unit, rounding = self.layer, self.bits - 1, self.layer.rounding
        h, cell, c_frac = layer.h.data.tolist(), layer.cell.data.tolist(), layer.cell.frac_bits
        outputs = []
        for frame in self.frames:
            new = []
            for n, old in enumerate(cell):
                i, g, f, o = (
                    self.table(act, self.dense(layer.weights.data[gate, n].tolist(),
                                               int(layer.bias.data[gate, n]), frame, h,
                                               self.bits - 4), self.bits - 4)
                    for gate, act in enumerate((Act.SIGM, Act.TANH, Act.SIGM, Act.SIGM)))
                acc = divide(i * g, unit - c_frac, rounding, 32) + f * old
                acc = self.seen(acc, 32)
                cell[n] = divide(acc, unit, rounding, self.bits)
                if layer.act is Act.NONE:
                    new.append(divide(cell[n] * o, c_frac + unit - layer.h.frac_bits, rounding,
                                      self.bits))
                else:
                    new.append(divide(self.table(layer.act, cell[n], c_frac) * o, unit, rounding,
                                      self.bits))
            h = new
            outputs.append(h)
        return outputs, cell
