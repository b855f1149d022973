# SPDX-License-Identifier: Apache-2.0
"""Base class for lowerings from a layer class to passes: the contract of every family."""

from abc import ABC, abstractmethod

from xymac.host.ir.operation import Operation
from xymac.host.ir.tile import Tile, along, cut_elements, cut_evenly, longest

__all__ = ["Lowering"]


class Lowering(ABC):
    """Lower a single layer to passes; the constructor analyses the layer.

    A plan calls the methods in this order: ``source_layouts`` for all layers from last to first,
    ``written_layouts`` for the only reader of an input, ``refuses`` and ``target_layout`` from
    first to last, ``constants``, ``passes``. It calls the last two again with other rows if memory
    cannot hold all outputs. Analysis of the layer and its input formats alone belongs in
    ``__init__``.

    A subclass lists the ``host.ir`` form classes it lowers in ``forms``, or the layer classes in
    ``layers``. ``host.lower.registry`` lists the built-in lowerings; other packages register theirs
    as entry points in the group ``xymac.lowerings``.

    Parameters
    ----------
    layer : ``xymac.golden.layer.Layer`` whose ``check`` accepts ``inputs``
    inputs : Tensors in the input formats, with any values
    ways : int, elements per X memory vector

    Attributes
    ----------
    form : the layer's ``host.ir`` form, an instance of a class in ``forms``; None for a class with
        ``layers``
    output : Tensor, zeros in the output format
    states : tuple of Tensor, initial values of the states that persist between runs. The states
        follow the other inputs; passes update each state at its own address
    carried : tuple of str, names of layer fields that passes read as constants and every tile sets
        for the next: the output at the previous step, and the cell state if present
    tables : tuple of OwnTable, set once the passes exist; passes refer to them by the first codes
        of ``OWN_TABLES``
    needs_tables : bool, class attribute: whether passes need writable tables
    needs_heap : bool, class attribute: whether passes need a heap
    writes_runs : bool, class attribute: whether passes write only the output elements, without
        padding, so the output can be part of a larger tensor
    changes_parts : bool, class attribute: whether passes write over inputs within the output, see
        ``inputs_in_place``
    takes_strips : bool, class attribute: whether the input may be a StripLayout; ``refuses`` checks
    takes_turns : bool, whether the only input may be an InterleavedLayout; ``refuses`` checks
    fixed : tuple of int, output dimensions that tiles do not divide; tiles along other dimensions
        differ only in position. None if tiles differ otherwise, or without tiles
    by_turns : Lowering that writes the output in an InterleavedLayout in fewer cycles, or None
    is_view : bool, class attribute: whether the output is the input under another layout, without
        passes. Such a class has ``view_of(sources)``, which returns this layout at the placed
        input's rows
    core : ``hdl.capabilities.Capabilities`` of the core, or None for a core with all functions

    Raises Refusal if passes cannot compute the layer exactly.
    """

    layers = ()
    forms  = ()
    form   = None
    states = ()
    carried = ()
    writes_runs = False
    changes_parts = False
    is_view     = False
    fixed       = None
    takes_strips = False
    takes_turns  = False
    by_turns     = None
    core        = None
    tables      = ()
    needs_tables = False
    needs_heap   = False
    _packed     = None

    @classmethod
    def for_core(cls, core, *arguments, form=None):
        """Construct the class with ``arguments``; ``__init__`` finds ``core`` and ``form`` set."""
        lowering = cls.__new__(cls)
        lowering.core, lowering.form = core, form
        lowering.__init__(*arguments)
        return lowering

    def __init__(self, layer, inputs, ways):
        self.layer  = layer
        self.inputs = tuple(inputs)
        self.ways   = ways
        self.output = layer.output_like(*inputs)

    def can(self, code):
        """Whether the core has ``code``, an Op or a Reduce."""
        return self.core is None or self.core.supports(code)

    @property
    def parallel(self):
        """Whether the core's lanes multiply in parallel."""
        return self.core is None or self.core.parallel

    @classmethod
    def takes(cls, operation, inputs):
        """Whether this lowering accepts ``operation`` with the Tensors ``inputs``.

        ``operation`` is an instance of a class in ``forms``, or of a class in ``layers``.
        """
        return True

    @abstractmethod
    def source_layouts(self, preferred) -> tuple:
        """Preferred input layouts: unplaced TensorLayouts.

        ``preferred`` is the output TensorLayout that readers prefer, or None.
        """

    def written_layouts(self):
        """Host-packed layouts for the only input, with fewer cycles than ``source_layouts``.

        A sequence of TensorLayouts by increasing cycles. Only the host can write these layouts.
        """
        return ()

    def reads_strips(self, layout):
        """Whether passes read single pixels of the only input from the StripLayout ``layout``, not
        whole strips.
        """
        return False

    def refuses(self, sources):
        """The Refusal for ``sources`` that the layer cannot read, or None."""
        return None

    @abstractmethod
    def target_layout(self, sources):
        """Unplaced output layout for inputs with the unplaced TensorLayouts ``sources``.

        ``refuses`` has accepted the layouts.
        """

    def find_target(self, sources):
        """``target_layout``, or the Refusal for ``sources``."""
        return self.refuses(sources) or self.target_layout(sources)

    @abstractmethod
    def constants(self, sources):
        """``Constants`` for inputs with the unplaced layouts ``sources``."""

    def pack_once(self, sources, target=None):
        """``constants``, cached for layouts that differ only in their rows.

        ``target`` is ``target_layout``; a second plan may have chosen another output layout.
        """
        sources = tuple([source.at(0) for source in sources])
        lie     = sources, target or self.target_layout(sources)
        if self._packed is None or self._packed[0] != lie:
            self._packed = lie, self.constants(sources)
        return self._packed[1]

    def weigh_constants(self, sources, cycles):
        """Choose the constants with the fewest cycles from now on; returns whether they change.

        Writing a word of them takes ``cycles``, 0 to inf; ``sources`` are unplaced input layouts.
        """
        return False

    @abstractmethod
    def passes(self, sources, target, constants):
        """List of passes without ``wait`` and ``last``.

        All TensorLayouts and the Constants are placed. ValueError with the field name if a loop
        count or a stride does not fit its field.
        """

    def can_overwrite(self, sources, target):
        """Whether the output can overwrite the only input.

        It can if each input vector is read only once, by the pass that overwrites it.
        """
        return False

    def inputs_in_place(self, sources, target):
        """A TensorLayout per input within the output; None for an input that a pass must move.

        A producer that writes its output there saves the pass.
        """
        return (None,) * len(sources)

    def cut(self, count, *, constants=False):
        """Cut the layer into ``count`` Tiles; None if it cannot be cut into so many.

        With ``constants``, every tile has fewer constants than the layer. If the form has
        ``split``, tiles divide the dimension of ``tile_axes`` with the lowest ``cost_of``, the
        first among equals; otherwise the longest dimension that is not ``fixed``.
        """
        fixed = self.fixed
        if hasattr(self.form, "split"):
            ranges = [(axis, self.tile_ranges(axis, count, unit)) for axis, unit in (
                self.constant_axes() if constants else self.tile_axes())]
            return min(([self._tile(axis, *each) for each in parts]
                        for axis, parts in ranges if parts), key=self.cost_of, default=None)
        if fixed is None and self.layer.by_element:
            fixed = ()
        if constants or fixed is None:
            return None
        return cut_elements(self.layer, self.inputs, self.output, count, fixed)

    def tile_axes(self):
        """(output dimension, unit) pairs along which tiles divide a form with ``split``.

        The preferred dimension comes first; tiles begin at multiples of the unit. By default the
        longest dimension.
        """
        return longest(self.output.shape)

    def constant_axes(self):
        """The ``tile_axes`` along which tiles have different constants; none by default."""
        return []

    def tile_ranges(self, axis, count, unit):
        """``count`` ranges (first, end) of an output dimension; None if it is too short."""
        return cut_evenly(self.output.shape[axis], count, unit)

    @staticmethod
    def cost_of(tiles):
        """Sort key of a list of Tiles, lower is better; equal by default."""
        return 0

    def _tile(self, axis, first, end):
        """The Tile with output indices ``first`` to ``end`` along a dimension."""
        form, sources = self.form.split(axis, first, end, *(x.shape for x in self.inputs))
        target = along(self.output.shape, axis, first, end)
        taken  = sum(slices is not None for slices in sources)
        return Tile(Operation.part(form, self.output, target, taken), sources, target)

    @property
    def handed_on(self):
        """Tensors that each tile passes to the next: the states, or the ``carried`` fields.

        The values are the first tile's.
        """
        return self.states or tuple(getattr(self.layer, name) for name in self.carried)

    @property
    def search(self):
        """The ``Search`` of a layer whose plan searches its only input in parts; else None."""
        return None

    def state_layout(self, target, constants):
        """Placed TensorLayout of the new cell state; None without a cell state."""
        return None
