# SPDX-License-Identifier: Apache-2.0
"""What turns one kind of layer into passes: the contract of every family."""

from abc import ABC, abstractmethod

from xymac.host.ir.tile import cut_elements

__all__ = ["Lowering"]


class Lowering(ABC):
    """One layer on its way to passes, analysed once: when this is made.

    A plan asks in this order: ``source_layouts`` of all layers from the last one to the first,
    ``written_layouts`` of the only reader of an input, ``target_layout`` from the first one to the
    last, ``constants``, ``passes``. The last two are asked again with other rows where outputs
    cannot all be kept; what depends on the layer and the format of its inputs alone belongs into
    ``__init__``.

    A subclass names in ``forms`` the kinds of forms of ``host.ir`` that it takes, or in ``layers``
    the classes of layers. ``host.lower.registry`` lists ours; those of other packages are entry
    points of the group ``xymac.lowerings``.

    Parameters
    ----------
    layer : ``xymac.golden.layer.Layer``, of one of ``layers``, that has accepted its inputs
    inputs : Tensors in the format of the inputs, whatever their values
    ways : int, elements of a group of X memory

    Attributes
    ----------
    form : form of the layer, of one of ``forms``; None for a class that names ``layers``
    output : Tensor of zeros in the format of the output
    states : tuple of Tensor that the layer keeps from run to run, the first time what they are now.
        They are inputs behind the others, each with a place of its own that the passes change
    carried : tuple of str, fields of the layer that the passes have as constants and that change
        from one tile to the next: the output of the step before, and the cell if there is one
    tables : tuple of OwnTable, when there are passes: the first codes of ``OWN_TABLES`` there stand
        for them
    needs_tables : bool, of the class: only for a core whose tables can be written
    needs_heap : bool, of the class: only for a core that ranks elements
    writes_runs : bool, of the class: the output is written run by run, with nothing around it, so
        that it can be a part of a larger tensor
    takes_strips : bool, of the class: ``target_layout`` knows whether it takes a StripLayout
    takes_turns : bool, it takes its only input out of an InterleavedLayout where ``target_layout``
        does
    fixed : tuple of int, dimensions of which every part has all indices; parts along others are
        made alike. None for layers whose parts differ, or that have none
    by_turns : Lowering that makes the output in an InterleavedLayout in fewer cycles, or None
    is_view : bool, of the class: the output is the input under another layout, without passes;
        such a class has ``view_of(sources)``, that layout at the rows of the placed input
    core : ``hdl.capabilities.Capabilities`` of the core that runs the passes, or None for one that
        has all functions

    NoPassesError where the layer cannot be exact as passes.
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
        """Whether lanes of the core form products at the same time."""
        return self.core is None or self.core.parallel

    @classmethod
    def takes(cls, what, inputs):
        """Whether this lowering is for ``what`` with such inputs: a form of a kind of ``forms``, or
        a layer of a class of ``layers``."""
        return True

    @abstractmethod
    def source_layouts(self, preferred):
        """Where the inputs best lie: a tuple of TensorLayouts, not placed yet.

        ``preferred`` is the TensorLayout that readers would like the output to have, or None.
        """

    def written_layouts(self):
        """Further TensorLayouts of the only input that take fewer cycles than those of
        ``source_layouts``, fewest first, and that no core makes: for an input that the host writes.
        """
        return ()

    def reads_strips(self, layout):
        """Whether it takes its only input pixel by pixel out of the StripLayout ``layout``, and has
        no passes on such strips."""
        return False

    @abstractmethod
    def target_layout(self, sources):
        """Where the output goes for inputs that lie at the TensorLayouts ``sources``, not placed.

        ValueError if the layer cannot take them where they lie.
        """

    @abstractmethod
    def constants(self, sources):
        """``Constants`` for inputs that lie at ``sources``, not placed."""

    def pack_once(self, sources):
        """The same as ``constants``, made once for tensors that lie alike, whatever their rows: a
        plan that gives way to another may have wanted the output elsewhere."""
        sources = tuple(source.at(0) for source in sources)
        lie     = sources, self.target_layout(sources)
        if self._packed is None or self._packed[0] != lie:
            self._packed = lie, self.constants(sources)
        return self._packed[1]

    @abstractmethod
    def passes(self, sources, target, constants):
        """Passes without ``wait`` and ``last``: a list of Pass.

        All TensorLayouts are placed, and so are the Constants. ValueError naming the field if a
        loop or a stride does not fit.
        """

    def can_overwrite(self, sources, target):
        """Whether the output can take the place of the only input.

        So it can if every group is read once, by the pass that writes it.
        """
        return False

    def inputs_in_place(self, sources, target):
        """TensorLayouts of the inputs as parts of the output; None for one that has to be moved.

        What is made as a part of the output takes no pass to get there.
        """
        return (None,) * len(sources)

    def cut(self, count, *, constants=False):
        """The layer as ``count`` Tiles that together make its output, or None if there are not so
        many; with ``constants`` such of which each has fewer constants than the layer.

        By default along the longest dimension that is not ``fixed``.
        """
        fixed = self.fixed
        if fixed is None and self.layer.by_element:
            fixed = ()
        if constants or fixed is None:
            return None
        return cut_elements(self.layer, self.inputs, self.output, count, fixed)

    @property
    def handed_on(self):
        """What the first tile begins with and hands on to the next: states, or what is
        ``carried``, a tuple of Tensors."""
        return self.states or tuple(getattr(self.layer, name) for name in self.carried)

    @property
    def search(self):
        """How plans can search the only input in parts, a ``Search``; None for other layers."""
        return None

    def state_layout(self, target, constants):
        """Placed TensorLayout of the new state of a cell, or None where there is no state."""
        return None
