# SPDX-License-Identifier: Apache-2.0
"""Layers that X or Y cannot hold, cut into tiles that they can."""

from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf

from xymac.hdl.isa import Memory
from xymac.host.ir.tile import Tile, whole
from xymac.host.lower.registry import find_lowering

from .carried import CarriedPlan
from .graph import Node
from .plan import Plan
from .rows import AllocationError
from .search.plan import plan_search

__all__ = ["PlannedTile", "plan_tiles"]

_FURTHER = 2  #: Further tiles that are tried.
_CELLS   = 4  #: Cells of constants that the host writes for a cycle, see ``writing_cost``.


@dataclass(frozen=True)
class PlannedTile:
    """A Plan of a tile of a layer.

    Parameters
    ----------
    plan : Plan, CarriedPlan, or SearchPlan
    sources : tuple of tuples, slices of each input of the layer, None for one that it has none of
    target : tuple, slices of the output of the layer
    states : tuple of tuples, slices of its states; empty for all of them
    """

    plan:    Plan
    sources: tuple
    target:  tuple
    states:  tuple = ()

    @classmethod
    def of(cls, tile, plan):
        """That of a Tile of the layer."""
        return cls(plan, tile.sources, tile.target, tile.states)


def plan_tiles(config, node, inputs, error, *, c_order=False):
    """PlannedTiles that together make the output of a layer, as few as there can be, or a few more
    where these are faster: a list.

    A tile that does not fit either is cut again, along another dimension or because the other
    memory is too small for it.

    Parameters
    ----------
    config : CoreConfig
    node : Node, whose layer does not fit as a whole
    inputs : Tensors in the format of its inputs
    error : AllocationError of the whole; the one that is raised if a tile cannot be cut
    c_order : bool, see ``Plan``
    """
    lowering = find_lowering(node.layer, inputs, config.ways, core=config.capabilities)
    every    = Tile(node.layer, tuple(whole(x.shape) for x in inputs), whole(lowering.output.shape))
    make     = partial(_make_plan, config, node.name, lowering.carried, c_order=c_order)
    in_x     = error.memory is Memory.X
    if in_x and not _are_cut(lowering, inputs) and (
            plan := _plan_parts(make, every, inputs, config.x_rows)):
        return [PlannedTile.of(every, plan)]
    if lowering.search and (plan := plan_search(config, node, lowering, c_order=c_order)):
        return [PlannedTile.of(every, plan)]
    plan_tile = partial(_plan_tile, make, inputs, {})
    tiles, outcomes = None, []
    for tiles in _cuts(lowering, inputs, error.memory):
        outcomes = list(_plan_tiles(plan_tile, tiles, error.memory))
        if len(outcomes) == len(tiles):
            break
    if in_x and (tiles is None or len(outcomes) < len(tiles)):
        tiles, outcomes = _plan_channels(plan_tile, lowering, inputs) or (tiles, outcomes)
    unfit = tiles is None or (lowering.handed_on and len(outcomes) < len(tiles))
    if in_x and unfit and (plan := _plan_parts(make, every, inputs, 0)):
        return [PlannedTile.of(every, plan)]
    if tiles is None:
        raise error
    outcomes += [plan_tile(tile) for tile in tiles[len(outcomes):]]
    if in_x and lowering.written_layouts():
        tiles, outcomes = _try_further(plan_tile, lowering, tiles, outcomes)
    return list(_cut_again(zip(tiles, outcomes, strict=True), inputs, partial(
        _plan_again, config, node, c_order)))


def _try_further(plan_tile, lowering, tiles, outcomes):
    """Tiles and their Plans, some more of them where their inputs then lie so that all together
    take fewer cycles, the writing of inputs and constants counted."""
    best = _cost(outcomes), tiles, outcomes
    for count in range(len(tiles) + 1, len(tiles) + 1 + _FURTHER):
        others = lowering.cut(count)
        if others is None:
            break
        made = [plan_tile(tile) for tile in others]
        best = min(best, (_cost(made), others, made), key=lambda each: each[0])
    return best[1:]


def _cost(outcomes):
    """Cycles of Plans, and those that writing inputs and constants counts; infinite where a tile
    has none."""
    if not all(isinstance(outcome, Plan) for outcome in outcomes):
        return inf
    costs = {id(plan): plan.cost + sum(
        values.cells.size for load in plan.loads for values in load.constants) // _CELLS
        for plan in outcomes}
    return sum(costs[id(plan)] for plan in outcomes)


def _cut_again(outcomes, inputs, plan_again):
    """PlannedTiles of tiles and their outcomes, those that do not fit cut into tiles themselves."""
    made = {}
    for tile, outcome in outcomes:
        if not isinstance(outcome, AllocationError):
            yield PlannedTile.of(tile, outcome)
            continue
        parts = _take(tile, inputs)
        key   = _identify(tile.layer, parts)
        if key not in made:
            made[key] = plan_again(tile.layer, parts, outcome)
        yield from (_place(tile, part) for part in made[key])


def _plan_again(config, node, c_order, layer, inputs, error):
    """PlannedTiles of a tile of a layer."""
    return plan_tiles(config, replace(node, layer=layer), inputs, error, c_order=c_order)


def _make_plan(config, name, carried, layer, *inputs, c_order, part_input=None):
    """The Plan of a tile of a layer of that name."""
    own = Node(layer, tuple(range(len(inputs))), name)
    if carried:
        return CarriedPlan(config, own, carried, *inputs, c_order=c_order, part_input=part_input)
    return Plan(config, [own], *inputs, c_order=c_order, part_input=part_input)


def _are_cut(lowering, inputs):
    """Whether tiles do not need all of the inputs."""
    tiles = lowering.cut(2) or lowering.cut(1) or []
    return any(x.data.size > part.data.size for tile in tiles
               for x, part in zip(inputs, _parts(tile, inputs), strict=True) if part is not None)


def _plan_parts(make, every, inputs, most):
    """The Plan of the whole layer that writes its input part by part if it takes more than ``most``
    rows of X; or None."""
    try:
        return make(every.layer, *inputs, part_input=most)
    except AllocationError:
        return None


def _cuts(lowering, inputs, memory):
    """Lists of more and more tiles, in longer steps where they are many; of one only if that leaves
    out some of the inputs."""
    if memory is Memory.X and (tiles := lowering.cut(1)) and any(
            part is None or part.data.size < x.data.size
            for part, x in zip(_parts(tiles[0], inputs), inputs, strict=True)):
        yield tiles
    count = 2
    while tiles := lowering.cut(count, constants=memory is Memory.Y):
        yield tiles
        count += 1 + count // 9


def _plan_channels(plan_tile, lowering, inputs):
    """Tiles of fewer constants that take fewer elements of an input, as those of some channels do,
    and their Plans: the fewest that X can hold, or None."""
    for tiles in _cuts(lowering, inputs, Memory.Y):
        if all(part is None or part.data.size == x.data.size
               for part, x in zip(_parts(tiles[0], inputs), inputs, strict=True)):
            return None
        outcomes = list(_plan_tiles(plan_tile, tiles, Memory.X))
        if len(outcomes) == len(tiles):
            return tiles, outcomes
    return None


def _plan_tiles(plan_tile, tiles, memory):
    """The Plan of every tile, or why there is none, up to the first that ``memory`` cannot hold."""
    for tile in tiles:
        outcome = plan_tile(tile)
        if isinstance(outcome, AllocationError) and outcome.memory is memory:
            return
        yield outcome


def _plan_tile(make, inputs, made, tile):
    """The Plan of a tile, or the AllocationError that says why there is none.

    Tiles of equal layers and shapes have one Plan: the dict ``made``, by layer and shapes.
    """
    parts = _take(tile, inputs)
    key   = _identify(tile.layer, parts)
    if key not in made:
        try:
            plan = make(tile.layer, *parts)
        except AllocationError as error:
            plan = error
        made[key] = plan, tile.layer  # which lives as long as ids of its fields stand for these
    plan, _ = made[key]
    return plan


def _identify(layer, parts):
    """What is equal for layers of one kind with equal fields, of which arrays are the same ones,
    and inputs of the same shapes."""
    return (type(layer), *(_key(getattr(layer, field.name)) for field in fields(layer)),
            *(part.shape for part in parts))


def _key(value):
    """A value that can be a key, the id of any other one."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def _take(tile, inputs):
    """The parts of the inputs that a tile takes."""
    return [part for part in _parts(tile, inputs) if part is not None]


def _parts(tile, inputs):
    """What a tile takes of each input, or None."""
    return [x.take(slices) if slices else None if slices is None else x
            for x, slices in zip(inputs, tile.sources, strict=True)]


def _place(tile, part):
    """A PlannedTile of a tile as one of the whole."""
    taken   = iter(part.sources)
    sources = tuple(None if slices is None else _join(slices, next(taken))
                    for slices in tile.sources)
    states  = tuple(map(_join, tile.states, part.states)) or tile.states or part.states
    return PlannedTile(part.plan, sources, _join(tile.target, part.target), states)


def _join(outer, inner):
    """Slices of slices; None stays None."""
    if inner is None:
        return None
    return tuple(slice(first.start + second.start, first.start + second.stop)
                 for first, second in zip(outer, inner, strict=True))
