# SPDX-License-Identifier: Apache-2.0
"""One pass in plain loops over Python ints, word for word after the text of xymac.hdl.isa."""

from itertools import product

from xymac.hdl.isa import TABLES, AguMode, Memory, Op, RoundMode, Scale, Shape, Table, Width

from .memories import Memories, signed
from .slide import columns_of, is_blank, taps_of_slide

__all__ = ["reads_own_results", "run_pass"]

_SUMS = (Op.MAC, Op.SPREAD, Op.GATHER, Op.CROSS, Op.SLIDE)


class _Stop(Exception):
    pass


def _map(access, relative_outer, relative_taps, span=1):
    """Address of one access, or None outside the window."""
    length   = access.high - access.low + 1
    relative = access.base - access.low + relative_outer
    if access.mode is AguMode.MODULO:
        relative = relative % length + relative_taps
        if relative < 0:
            relative += length
        elif relative >= length:
            relative -= length
    else:
        relative += relative_taps
        if not 0 <= relative < length:
            return None
    if access.mode is AguMode.BIT_REVERSED:
        bits = length.bit_length() - 1
        relative = int(f"{relative:0{bits}b}"[::-1], 2) if bits else 0
    return access.low + relative if 0 <= relative <= length - span else None


def _product(pass_, old, x, y, lane):
    """What one step adds to one lane."""
    operands = pass_.operands
    ways  = range(old.ways)
    group = x + lane // old.ways if operands.x_shape is Shape.LANES else x
    group = group ^ lane // old.ways if pass_.accumulate.op is Op.CROSS else group
    if operands.y_shape is Shape.LANES:
        way = y % old.ways
        weights = {way: old.read(Memory.Y, operands.y_width, y // old.ways, way, lane)}
    else:
        weights = {way: old.read(Memory.Y, operands.y_width, y, way, lane) for way in ways}
    return sum(weight * (old.x_element(operands.x_width, group, lane % old.ways
                                       if operands.x_shape is Shape.LANES else way)
                         - operands.x_zero)
               for way, weight in weights.items())


def _combine(op, total, product):
    """What a lane holds after a step; None before the first."""
    if op in _SUMS:
        return total + product
    if total is None:
        return product
    return max(total, product) if op is Op.MAX else min(total, product)


def _round(value, shift, rounding):
    """``value / 2**shift``, ``shift`` above 0."""
    result, rest = divmod(value, 1 << shift)
    half = 1 << shift - 1
    ups  = (RoundMode.UP, RoundMode.TWICE)
    up   = rest > half or (rest == half and (rounding in ups or result % 2))
    return result + bool(up and rounding is not RoundMode.FLOOR)


def _scaled(pass_, total, parameters):
    """A wrapped sum in units of the output, by the records of its lane."""
    word, addend = parameters
    mul, pre, post = signed(word % (1 << 32), 32), word >> 32 & 31, word >> 37 & 63
    short = _round(total, pre, pass_.epilogue.rounding) if pre else total
    most  = (1 << 31) - 1 if pass_.epilogue.scale is Scale.BITS32 else (1 << 15) - 1
    least = -most if pass_.epilogue.scale is Scale.SYMMETRIC16 else -most - 1
    short = min(max(short, least), most)
    addend %= 1 << 32
    if pass_.epilogue.rounding is RoundMode.TWICE and not pass_.epilogue.addend:
        addend = 1 << 30 if post > 31 else 0
    if pass_.epilogue.rounding is RoundMode.TWICE:
        bits   = f"{addend:032b}"
        addend = int((bits[1] if short < 0 else "0") + bits[1:], 2)
    product = short * mul + signed(addend, 32)
    return _round(product, post, pass_.epilogue.rounding) if post else product


def _finish(pass_, total, parameters, tables):
    """Wrapped, shifted or scaled, rounded and clipped result, looked up if the pass says so."""
    epilogue = pass_.epilogue
    total = signed(total % (1 << 40), 40)
    if epilogue.scale is not Scale.NONE:
        result = _scaled(pass_, total, parameters)
    elif epilogue.shift <= 0:
        result = total << -epilogue.shift
    else:
        result = _round(total, epilogue.shift, epilogue.rounding)
    result = min(max(result, epilogue.clip[0]), epilogue.clip[1]) + epilogue.zero
    if epilogue.table is Table.NONE:
        return result
    values, offset = tables[epilogue.table]
    entry, way = divmod(result, 1 << epilogue.table_shift)
    entry = min(max(entry + offset, 0), len(values) - 2)
    here, there = values[entry:entry + 2]
    fall    = signed((here - there) % (1 << 16), 16) * way
    between = here - (_round(fall, epilogue.table_shift, epilogue.table_rounding)
                      if epilogue.table_shift
                      else fall)
    between = signed(between % (1 << 16), 16)
    return between if epilogue.z_width is Width.BITS16 else min(
        _round(between, 8, epilogue.table_rounding), 127)


def _dot(strides, indices):
    return sum(stride * index for stride, index in zip(strides, indices, strict=True))


def _hold(pass_, total):
    """What a lane holds of a sum, and whether its accumulator was too small for that."""
    epilogue = pass_.epilogue
    total = signed(total % (1 << 40), 40)
    value = total << -epilogue.shift if epilogue.shift <= 0 else _round(total, epilogue.shift,
                                                                   epilogue.rounding)
    if pass_.accumulate.acc_range.name != "BITS40":
        least = -(1 << 31) + (pass_.accumulate.acc_range.name == "SYMMETRIC32")
        return min(max(value, least), (1 << 31) - 1), False
    return signed(value % (1 << 40), 40), not -(1 << 39) <= value < 1 << 39


def _record_rows(pass_, config, a):
    """Rows of a record, and the first of the parameters and of the bias of an index."""
    rows  = -(-48 // (16 * config.ways))
    count = 1 + (pass_.epilogue.scale is not Scale.NONE) + pass_.epilogue.addend
    first = pass_.accumulate.bias_row + (0 if pass_.epilogue.once else a * count * rows)
    row   = first + (count - 1) * rows
    return rows, first, row + a * rows if pass_.epilogue.once else row


def _records(pass_, config, old, index, lanes):
    """Parameters and biases of the lanes; the core reads them once for an outermost index."""
    rows, first, row = _record_rows(pass_, config, index[0])
    if row + rows > config.y_rows:
        raise _Stop("Y_ACCESS")
    again, parameters = any(index[1:]), [None for _ in lanes]
    biases = [old.bias(row, lane, again) for lane in lanes]
    if pass_.epilogue.scale is not Scale.NONE:
        again |= pass_.epilogue.once and index[0] > 0
        parameters = [(old.bias(first, lane, again), pass_.epilogue.addend
                       and old.bias(first + rows, lane, again)) for lane in lanes]
    return parameters, biases


def _output(pass_, config, old, index, held):
    """Sums of the lanes of one output, and their parameters; _Stop names the fault."""
    operands = pass_.operands
    top, left = (at * axis.step - axis.pad
                 for at, axis in zip(index[1:], (pass_.loop.rows, pass_.loop.cols), strict=True))
    taps = taps_of_slide(pass_, index) if pass_.accumulate.op is Op.SLIDE else [
        tap for tap in product(*map(range, pass_.loop.taps))
        if 0 <= top + tap[0] < pass_.loop.rows.size and 0 <= left + tap[1] < pass_.loop.cols.size]
    if not taps:
        raise _Stop("EMPTY")
    lanes = range(pass_.epilogue.beats * config.ways)
    sums  = [0 if pass_.accumulate.op in _SUMS else None for _ in lanes]
    parameters = [None for _ in lanes]
    if pass_.accumulate.bias_row is not None:
        parameters, biases = _records(pass_, config, old, index, lanes)
        sums = biases if pass_.accumulate.op in _SUMS else sums
    if pass_.accumulate.resume:
        sums = [held[pass_.accumulate.entry + index[0], lane] for lane in lanes]
    span = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
    for tap in taps:
        if pass_.accumulate.floor and tap != taps[0] and tap == taps[-1]:
            sums = [total - total % 2**(pass_.accumulate.floor + 8) for total in sums]
        x = _map(operands.x, _dot(operands.x.outer, index), _dot(operands.x.taps, tap), span)
        y = _map(operands.y, _dot(operands.y.outer, index), _dot(operands.y.taps, tap))
        x = 0 if is_blank(pass_, index[2]) else x
        if x is None or y is None:
            raise _Stop("X_ACCESS" if x is None else "Y_ACCESS")
        sums = _step(pass_, old, sums, (index, tap), (x, y))
    return sums, parameters


def _step(pass_, old, sums, place, addresses):
    """Sums after a step."""
    if pass_.accumulate.op is Op.SLIDE:
        return _slid(pass_, old, sums, place, addresses[1])
    return [_combine(pass_.accumulate.op, total, _product(pass_, old, *addresses, lane))
            for lane, total in enumerate(sums)]


def _slid(pass_, old, sums, place, y):
    """Sums after a step of a slide; but for the last column as they were."""
    operands = pass_.operands
    x = None if is_blank(pass_, place[0][2]) else _map(
        operands.x, _dot(operands.x.outer, place[0]), _dot(operands.x.taps, place[1]))
    for lane in range(len(sums)):  # the reads of the step itself
        old.read(Memory.Y, operands.y_width, y, 0, lane)
        if x is not None:
            old.x_element(operands.x_width, x + lane // old.ways, lane % old.ways)
    if place[1][1] != pass_.loop.taps[1] - 1:
        return sums
    for way, read in columns_of(pass_, *place, old.ways):
        if read is not None:
            x = _map(operands.x, _dot(operands.x.outer, read[0]), _dot(operands.x.taps, read[1]))
            sums = [total + old.read(Memory.Y, operands.y_width, y, way, lane) * (
                old.x_element(operands.x_width, x + lane // old.ways, lane % old.ways, again=True)
                - operands.x_zero) for lane, total in enumerate(sums)]
    return sums


def _mac_outputs(pass_, config, old, held):
    """Outputs of a pass that is no gather: sums, parameters, entry, relative groups of Z."""
    epilogue = pass_.epilogue
    apart = epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
    for index in product(*map(range, pass_.loop.outer)):
        sums, parameters = _output(pass_, config, old, index, held)
        yield (sums, parameters, pass_.accumulate.entry + index[0],
               [(_dot(epilogue.z.outer, index), beat * apart) for beat in range(epilogue.beats)])


def _gather_outputs(pass_, config, old):
    """The same of a gather: an output whenever all lanes had their step, and at the end."""
    operands = pass_.operands
    sums, lane, group = [0] * config.lanes, 0, 0
    steps = [(index, tap) for index in product(*map(range, pass_.loop.outer))
             for tap in product(*map(range, pass_.loop.taps))]
    for number, (index, tap) in enumerate(steps):
        x = _map(operands.x, _dot(operands.x.outer, index), _dot(operands.x.taps, tap))
        if x is None:
            raise _Stop("X_ACCESS")
        y = operands.y.low + lane * config.ways + x % config.ways
        sums = [total + _product(pass_, old, x // config.ways, y, to)
                for to, total in enumerate(sums)]
        lane += 1
        if lane == config.lanes or number == len(steps) - 1:
            groups = -(-lane // config.ways)
            yield sums, [None] * config.lanes, 0, [(group + beat, 0) for beat in range(groups)]
            sums, lane, group = [0] * config.lanes, 0, group + 4


def run_pass(pass_, config, x, y, held=None, tables=None):
    """Run a pass without refusals; returns cells of X and Y, the fault's name or None, overflow.

    ``held`` are the sums that lanes hold, a dict by entry and lane; ``tables`` values and offsets
    of tables of the host by their ``Table``.
    """
    _, new, fault, overflow = _execute(pass_, config, (x, y), held, tables)
    return new.cells[Memory.X], new.cells[Memory.Y], fault, overflow


def reads_own_results(pass_, config):
    """Whether an output reads a byte that an earlier output of the pass has written."""
    x, y = ([0] * (rows * config.lanes) for rows in (config.x_rows, config.y_rows * config.ways))
    held = {(entry, lane): 0 for entry in range(64) for lane in range(config.lanes)}
    tables = dict.fromkeys(Table, ([0] * 9, 0))
    old, *_ = _execute(pass_, config, (x, y), held, tables)
    return old.late


def _execute(pass_, config, cells, held, tables):
    """Memories of the reads and of the writes, the fault's name or None, and the overflow."""
    held   = {} if held is None else held
    tables = {table: (samples.values, samples.offset)
              for table, samples in TABLES.items()} | (tables or {})
    new, overflow = Memories(config, *cells), False
    old = Memories(config, *cells, new.written)
    limit = 1 << (39 if pass_.accumulate.acc_range.name == "BITS40" else 31)
    fault = None
    try:
        outputs = (_gather_outputs(pass_, config, old) if pass_.accumulate.op is Op.GATHER
                   else _mac_outputs(pass_, config, old, held))
        for sums, parameters, entry, groups in outputs:
            for beat, (moved, tap) in enumerate(groups):
                group = _map(pass_.epilogue.z, moved, tap)
                if group is None:
                    raise _Stop("Z_ACCESS")
                for element in range(config.ways):
                    total = sums[beat * config.ways + element]
                    overflow |= not -limit <= total < limit
                    if pass_.accumulate.hold:
                        place = entry, beat * config.ways + element
                        held[place], lost = _hold(pass_, total)
                        overflow |= lost
                        continue
                    way, row = 0, group // 4
                    if pass_.epilogue.z_memory is Memory.Y:
                        row, way = divmod(row, config.ways)
                    result = _finish(pass_, total, parameters[beat * config.ways + element],
                                     tables)
                    new.write(pass_.epilogue.z_memory, pass_.epilogue.z_width, row, way,
                              group % 4 * config.ways + element, result)
    except _Stop as stop:
        fault = str(stop)
    return old, new, fault, overflow
