# SPDX-License-Identifier: Apache-2.0
"""Base class for lowerings from a layer class to passes: the contract of every family."""

from abc import ABC, abstractmethod

from xymac.host.ir.operation import Operation
from xymac.host.ir.tile import Tile, along, cut_elements, cut_evenly, longest

__all__ = ["Lowering"]


class Lowering(ABC):
    """Lower a single layer to passes; the constructor analyses the layer.

    A plan calls the methods in this order: ``source_layouts`` for all layers from last to first,
    ``written_layouts`` for an input's only reader, ``refuses`` and ``target_layout`` from first to
    last, ``constants``, ``passes``. It calls the last two again with other rows if memory cannot
    hold all outputs. Analysis that needs only the layer and its input formats belongs in
    ``__init__``.

    A subclass lists in ``forms`` the ``host.ir`` form classes it lowers, or in ``layers`` the layer
    classes. ``host.lower.registry`` lists the built-in lowerings; other packages register theirs as
    entry points of the group ``xymac.lowerings``.

    Parameters
    ----------
    layer : ``xymac.golden.layer.Layer``, its class in ``layers``, that has accepted its inputs
    inputs : Tensors in the input format, with any values
    ways : int, elements per X memory vector

    Attributes
    ----------
    form : the layer's form, its class in ``forms``; None for a class with ``layers``
    output : Tensor, zeros in the output format
    states : tuple of Tensor, the layer's persistent state between runs, with its initial values.
        The states follow the other inputs, and passes update each at its own address
    carried : tuple of str, layer fields that are constants of the passes and change between tiles:
        the output at the previous step, and the cell state if present
    tables : tuple of OwnTable, set once the passes exist; the first codes of ``OWN_TABLES`` in the
        passes refer to them
    needs_tables : bool, class attribute: requires a core with writable tables
    needs_heap : bool, class attribute: requires a core with a heap
    writes_runs : bool, class attribute: passes write only the output runs, without padding, so
        it can be part of a larger tensor
    takes_strips : bool, class attribute: ``refuses`` checks for a StripLayout input
    takes_turns : bool, accepts its only input as an InterleavedLayout if ``refuses`` does
    fixed : tuple of int, dimensions that tiles do not divide; tiles along other dimensions are
        alike. None for layers with unlike tiles, or without tiles
    by_turns : Lowering that writes the output in an InterleavedLayout in fewer cycles, or None
    is_view : bool, class attribute: the output is the input under another layout, without passes;
        such a class has ``view_of(sources)``, which returns that layout at the rows of the placed
        input
    core : ``hdl.capabilities.Capabilities`` that the passes may use, or None for a core
        with all functions

    Raises Refusal if passes cannot compute the layer exactly.
    """

    layers = ()
    forms  = ()
    form   = None
    states = ()
    carried = ()
    writes_runs = False
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
        """The class called with ``arguments``, its attributes ``core`` and ``form`` set before
        ``__init__``."""
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
        """Whether the core's lanes form products at the same time."""
        return self.core is None or self.core.parallel

    @classmethod
    def takes(cls, what, inputs):
        """Whether this lowering accepts ``what`` with these inputs.

        ``what`` is a form whose class is in ``forms``, or a layer whose class is in ``layers``.
        """
        return True

    @abstractmethod
    def source_layouts(self, preferred) -> tuple:
        """Preferred input layouts: unplaced TensorLayouts.

        ``preferred`` is the output TensorLayout that readers prefer, or None.
        """

    def written_layouts(self):
        """Host-packed layouts for the only input, with fewer cycles than ``source_layouts``.

        TensorLayouts by increasing cycles. No core writes them: the host packs the input.
        """
        return ()

    def reads_strips(self, layout):
        """Whether it takes its only input pixel by pixel out of the StripLayout ``layout``, without
        passes on such strips."""
        return False

    def refuses(self, sources):
        """The Refusal for input layouts that the layer cannot read, or None; see ``target_layout``.
        """
        return None

    @abstractmethod
    def target_layout(self, sources):
        """Unplaced output layout for inputs with the unplaced TensorLayouts ``sources``.

        ``refuses`` has accepted the layouts.
        """

    def find_target(self, sources):
        """``target_layout``, or the Refusal for these layouts."""
        return self.refuses(sources) or self.target_layout(sources)

    @abstractmethod
    def constants(self, sources):
        """``Constants`` for inputs with the unplaced layouts ``sources``."""

    def pack_once(self, sources, target=None):
        """``constants``, cached for equal layouts at any rows; ``target`` is ``target_layout``.

        A plan that replaces another may have placed the output elsewhere.
        """
        sources = tuple([source.at(0) for source in sources])
        lie     = sources, target or self.target_layout(sources)
        if self._packed is None or self._packed[0] != lie:
            self._packed = lie, self.constants(sources)
        return self._packed[1]

    def weigh_constants(self, sources, cycles):
        """Take the constants with the fewest cycles from now on, if writing a word takes ``cycles``
        (0 to inf); whether they change.

        ``sources`` are unplaced input layouts.
        """
        return False

    @abstractmethod
    def passes(self, sources, target, constants):
        """List of passes without ``wait`` and ``last``.

        All TensorLayouts are placed, and so are the Constants. ValueError naming the field if a
        loop or a stride does not fit.
        """

    def can_overwrite(self, sources, target):
        """Whether the output can overwrite the only input.

        It can if each vector is read only once, by the pass writing it.
        """
        return False

    def inputs_in_place(self, sources, target):
        """Input TensorLayouts as output parts; None for an input that must be moved.

        An input computed in place in the output needs no pass to move it.
        """
        return (None,) * len(sources)

    def cut(self, count, *, constants=False):
        """The layer as ``count`` Tiles that together compute its output, or None if it has fewer.

        With ``constants``, every tile has fewer constants than the layer. Tiles for a form with
        ``split`` divide a dimension of ``tile_axes``, the first with the lowest ``cost_of``; other
        tiles divide the longest dimension that is not ``fixed``.
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
        """Output dimensions that tiles divide, for a form with ``split``, by preference, each with
        the unit that every tile end but the last is a multiple of: by default the longest.
        """
        return longest(self.output.shape)

    def constant_axes(self):
        """``tile_axes`` along which the form has different constants; none by default."""
        return []

    def tile_ranges(self, axis, count, unit):
        """``count`` ranges (first, end) of an output dimension; None if it has too few indices."""
        return cut_evenly(self.output.shape[axis], count, unit)

    @staticmethod
    def cost_of(tiles):
        """Rank of some Tiles among other lists, the lowest first; equal by default."""
        return 0

    def _tile(self, axis, first, end):
        """Tile with output indices ``first`` to ``end`` in a dimension."""
        form, sources = self.form.split(axis, first, end, *(x.shape for x in self.inputs))
        target = along(self.output.shape, axis, first, end)
        taken  = sum(slices is not None for slices in sources)
        return Tile(Operation.part(form, self.output, target, taken), sources, target)

    @property
    def handed_on(self):
        """Initial Tensors for the first tile, passed on from each tile to the next.

        These are the states, or the ``carried`` fields.
        """
        return self.states or tuple(getattr(self.layer, name) for name in self.carried)

    @property
    def search(self):
        """``Search`` for plans searching the only input in parts; None for other layers."""
        return None

    def state_layout(self, target, constants):
        """Placed TensorLayout for the new cell state, or None without state."""
        return None
