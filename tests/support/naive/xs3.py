# SPDX-License-Identifier: Apache-2.0
"""XS3 kernels as plain loops over Python ints: slow, obvious, no code shared with golden."""

import numpy as np


def sat(value, bits):
    """``value`` within plus or minus ``2**(bits-1) - 1``."""
    highest = 2 ** (bits - 1) - 1
    return max(-highest, min(value, highest))


def rsh(value, shift):
    """``value / 2**shift``, halves up."""
    return value if shift == 0 else (value + 2 ** (shift - 1)) // 2 ** shift


def ashr(value, shift, bits):
    """``value / 2**shift``, down, saturated; any sign of ``shift``."""
    return sat(value // 2 ** shift if shift >= 0 else value * 2 ** -shift, bits)


def total(bias, blocks):
    """Sum of lists of (a, b) products, saturated to 32 bits after each list."""
    acc = bias
    for block in blocks:
        acc = sat(acc + sum(a * b for a, b in block), 32)
    return acc


def column(bso, channel):
    """Bias, shift 1, scale, offset scale, offset, shift 2 of a channel."""
    raw  = [int(value) for value in bso[channel // 16, :, channel % 16]]
    high, low, *rest = [value - 65536 if value >= 32768 else value for value in raw]
    return high * 65536 + low % 65536, *rest


def output(acc, bso, channel, *, bits=8, low=-128, final_shift=False):
    """One output of an accumulator."""
    _, shift1, scale, offset_scale, offset, shift2 = column(bso, channel)
    product = sat(sat(sat(rsh(acc, shift1), 16) * scale, 32) + offset_scale * offset, 32)
    if bits == 16:
        return sat(rsh(product, shift2), 16)
    value = rsh(sat(rsh(product, shift2), 16), 8) if final_shift else rsh(product, shift2)
    return max(low, min(value, 127))


def pairs(a, b):
    """Blocks of at most 32 products of two sequences, the short one last."""
    products = list(zip(a, b, strict=True))
    return [products[start:start + 32] for start in range(0, len(products), 32)]


def fully_connected(x, weights, bso, **options):
    out = []
    for channel, row in enumerate(weights.tolist()):
        first = len(row) % 32
        parts = [list(zip(x.tolist()[:first], row[:first], strict=True))]
        parts += pairs(x.tolist()[first:], row[first:])
        out.append(output(total(column(bso, channel)[0], parts), bso, channel, **options))
    return np.array(out)


def fc_deepin(x, weights, bias, shifts, scales, bits):
    out = []
    for channel, row in enumerate(weights.tolist()):
        acc   = total(int(bias[channel]), pairs(x.tolist(), row))
        value = sat(rsh(sat(rsh(acc, int(shifts[channel])), 16) * int(scales[channel]), 14), 16)
        out.append(value if bits == 16 else sat(rsh(value, 8), 8))
    return np.array(out)


def conv2d_1x1(x, weights, bso, **options):
    out = np.zeros((*x.shape[:2], len(weights)), np.int64)
    for row, col, channel in np.ndindex(out.shape):
        acc = total(column(bso, channel)[0],
                    pairs(x[row, col].tolist(), weights[channel].tolist()))
        out[row, col, channel] = output(acc, bso, channel, **options)
    return out


def _pixel(x, row, col, zero_point):
    inside = 0 <= row < x.shape[0] and 0 <= col < x.shape[1]
    return x[row, col].tolist() if inside else [zero_point] * x.shape[2]


def _rows_in_order(first, count, height):
    rows = list(range(count))
    above  = [i for i in rows if first + i < 0]
    below  = [i for i in rows if first + i >= height]
    return above + below + [i for i in rows if 0 <= first + i < height]


def _conv2d(x, weights, bso, window, zero_point, blocks_of_row, options):
    out = np.zeros((*window.out, len(weights)), np.int64)
    for row, col, channel in np.ndindex(out.shape):
        top  = window.start[0] + row * window.stride[0]
        left = window.start[1] + col * window.stride[1]
        parts = []
        for i in _rows_in_order(top, weights.shape[1], x.shape[0]):
            pixels = [_pixel(x, top + i, left + j, zero_point) for j in range(weights.shape[2])]
            parts += blocks_of_row(pixels, weights[channel, i].tolist())
        acc = total(column(bso, channel)[0], parts)
        out[row, col, channel] = output(acc, bso, channel, **options)
    return out


def conv2d_deep(x, weights, bso, window, zero_point, **options):
    def by_column(pixels, row):
        return [block for pixel, weight in zip(pixels, row, strict=True)
                for block in pairs(pixel, weight)]

    return _conv2d(x, weights, bso, window, zero_point, by_column, options)


def conv2d_shallowin(x, weights, bso, window, zero_point, **options):
    def at_once(pixels, row):
        return [[(a, b) for pixel, weight in zip(pixels, row, strict=True)
                 for a, b in zip(pixel, weight, strict=True)]]

    return _conv2d(x, weights, bso, window, zero_point, at_once, options)


def conv2d_depthwise(x, weights, bso, window, zero_point, **options):
    out = np.zeros((*window.out, x.shape[2]), np.int64)
    for row, col, channel in np.ndindex(out.shape):
        acc = column(bso, channel)[0]
        for i, j in np.ndindex(weights.shape[:2]):
            pixel = _pixel(x, window.start[0] + row * window.stride[0] + i,
                           window.start[1] + col * window.stride[1] + j, zero_point)
            acc = sat(acc + pixel[channel] * int(weights[i, j, channel]), 32)
        out[row, col, channel] = output(acc, bso, channel, **options)
    return out


def pool(x, kernel, window, reduce):
    """``reduce`` of the list of elements under every window, row by row."""
    out = np.zeros((*window.out, x.shape[2]), np.int64)
    for row, col, channel in np.ndindex(out.shape):
        top, left = (window.start[axis] + (row, col)[axis] * window.stride[axis] for axis in (0, 1))
        out[row, col, channel] = reduce([int(x[top + i, left + j, channel])
                                         for i, j in np.ndindex(kernel)])
    return out


def mean(values, low=-128):
    """Mean of a window as ``avgpool2d`` takes it."""
    count, bits = len(values), 0
    while 2 ** bits < count:
        bits += 1
    scale, shift = 1, bits
    if 2 ** bits != count:
        scale, shift = rsh(2 ** 31 // count, 25 - bits), bits + 6
    return max(low, min(rsh(scale * sum(values), shift), 127))


def global_mean(x, bias, scale, shift, low):
    out = []
    for channel in range(x.shape[2]):
        acc = total(bias, [[(int(value), scale)] for value in x[:, :, channel].ravel()])
        out.append(max(low, min(rsh(acc, shift), 127)))
    return np.array(out)


def add_elementwise(a, b, shifts, scales, bias, shift, low):
    out = []
    for values in zip(a.tolist(), b.tolist(), strict=True):
        acc = total(bias, [[(ashr(value, by, 16), scale)]
                           for value, by, scale in zip(values, shifts, scales, strict=True)])
        out.append(max(low, min(rsh(acc, shift), 127)))
    return np.array(out)


def mul_elementwise(a, b, zeros, scale, bias, shift):
    out = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        value = (x + zeros[0] + 1) * (y + zeros[1] + 1) // 2
        value = ashr(sat(rsh(value * scale, 14) + bias, 16), shift, 16)
        out.append(max(-128, min(rsh(value, 8), 127)))
    return np.array(out)


def output_transform(acc, params, channels, final_shift, initial_shift, low):
    """One row of accumulators; ``initial_shift`` None takes those in ``params``."""
    out, kinds = [], 3 if initial_shift is None else 2
    for channel in range(channels):
        group, lane = divmod(channel, 16)
        held  = min(16, channels - 16 * group)
        start = 16 * group * kinds
        *first, scale, bias = [int(params[start + kind * held + lane]) for kind in range(kinds)]
        by    = first[0] if first else initial_shift
        value = sat(rsh(int(acc[channel]), max(by, 0)), 16)
        value = ashr(value, by, 16) if by < 0 else value
        value = sat(sat(rsh(value * scale, 14), 16) + bias, 16)
        out.append(max(low, min(rsh(ashr(value, final_shift, 16), 8), 127)))
    return np.array(out)
