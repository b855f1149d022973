# SPDX-License-Identifier: Apache-2.0
"""Cut layers larger than X or Y into tiles."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from xymac.hdl.isa import Memory
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.tile import Tile, whole
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.plan import Plan
from xymac.host.plan.search.plan import SearchPlan, plan_search

from .carried import CarriedPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.plan.graph import Node
    from xymac.host.plan.search.ranks import RankPlan

    TilePlan = Plan | CarriedPlan | SearchPlan | RankPlan

__all__ = ["PlannedTile", "identify", "plan_tiles"]

_FURTHER = 2  #: Additional tiles to try.
_CELLS   = 4  #: Constant words that the host writes per counted cycle; see ``writing_cost``.


@dataclass(frozen=True)
class PlannedTile:
    """A planned layer tile.

    Parameters
    ----------
    plan : Plan, CarriedPlan, SearchPlan or RankPlan
    sources : tuple of slice tuples, one per layer input; None for an input without reads
    target : tuple of slices in the layer's output
    states : tuple of slice tuples, one per state; empty for whole states
    """

    plan:    TilePlan
    sources: tuple[tuple[slice, ...] | None, ...]
    target:  tuple[slice, ...]
    states:  tuple[tuple[slice, ...], ...] = ()

    @classmethod
    def of(cls, tile: Tile, plan: TilePlan) -> PlannedTile:
        """PlannedTile from a Tile and its plan."""
        return cls(plan, tile.sources, tile.target, tile.states)


def plan_tiles(config: CoreConfig, node: Node, inputs: Sequence[Array], refusal: Refusal, *,
               c_order: bool = False) -> list[PlannedTile] | Refusal:
    """PlannedTile list for a layer: the fewest, or a few more if these are faster.

    A tile that does not fit is cut again, along another dimension or for the other memory.

    Parameters
    ----------
    config : CoreConfig
    node : Node, whose layer does not fit as a whole
    inputs : Tensors in the input formats
    refusal : the whole layer's Refusal, returned if the layer cannot be cut
    c_order : bool, see ``Plan``
    """
    lowering = find_lowering(node.layer, inputs, config.ways, core=config.capabilities)
    every    = Tile(node.layer, tuple(whole(x.shape) for x in inputs), whole(lowering.output.shape))
    node     = replace(node, label=node.title)  # its tiles may be layers of other classes
    make     = partial(_make_plan, config, node, lowering.carried, c_order=c_order)
    kind     = refusal.kind
    in_x     = kind is RefusalKind.X_MEMORY
    if in_x and not _are_cut(lowering, inputs) and (
            plan := _plan_parts(make, every, inputs, config.x_rows)):
        return [PlannedTile.of(every, plan)]
    if lowering.search and (plan := plan_search(config, node, lowering, c_order=c_order)):
        return [PlannedTile.of(every, plan)]
    plan_tile = partial(_plan_tile, make, inputs, {})
    tiles, outcomes = None, []
    for tiles in _cuts(lowering, inputs, constants=kind is RefusalKind.Y_MEMORY and not _shrinks(
            config, lowering, inputs)):
        outcomes = list(_plan_tiles(plan_tile, tiles, kind))
        if len(outcomes) == len(tiles):
            break
    if in_x and (tiles is None or len(outcomes) < len(tiles)):
        tiles, outcomes = _plan_channels(plan_tile, lowering, inputs) or (tiles, outcomes)
    unfit = tiles is None or (lowering.handed_on and len(outcomes) < len(tiles))
    if in_x and unfit and (plan := _plan_parts(make, every, inputs, 0)):
        return [PlannedTile.of(every, plan)]
    if tiles is None:
        return refusal
    outcomes += [plan_tile(tile) for tile in tiles[len(outcomes):]]
    if in_x and lowering.written_layouts():
        tiles, outcomes = _try_further(plan_tile, lowering, tiles, outcomes)
    return _cut_again(zip(tiles, outcomes, strict=True), inputs, partial(
        _plan_again, config, node, c_order))


def _try_further(plan_tile, lowering, tiles, outcomes):
    """(Tiles, Plans) with the lowest cost among the given tiles and up to ``_FURTHER`` more."""
    best = _cost(outcomes), tiles, outcomes
    for count in range(len(tiles) + 1, len(tiles) + 1 + _FURTHER):
        others = lowering.cut(count)
        if others is None:
            break
        made = [plan_tile(tile) for tile in others]
        best = min(best, (_cost(made), others, made), key=lambda each: each[0])
    return best[1:]


def _cost(outcomes):
    """Cycles for all Plans, including input and constant writes; infinite if a tile has no Plan."""
    if not all(isinstance(outcome, Plan) for outcome in outcomes):
        return inf
    costs = {id(plan): plan.cost + sum(
        values.cells.size for load in plan.loads for values in load.constants) // _CELLS
        for plan in outcomes}
    return sum(costs[id(plan)] for plan in outcomes)


def _cut_again(outcomes, inputs, plan_again):
    """PlannedTile list; tiles that do not fit are cut again. A Refusal for a tile that cannot be
    cut.
    """
    made, planned = {}, []
    for tile, outcome in outcomes:
        if not isinstance(outcome, Refusal):
            planned.append(PlannedTile.of(tile, outcome))
            continue
        parts = _take(tile, inputs)
        key   = identify(tile.layer, parts)
        if key not in made:
            made[key] = plan_again(tile.layer, parts, outcome)
        if isinstance(made[key], Refusal):
            return made[key]
        planned += [_place(tile, part) for part in made[key]]
    return planned


def _plan_again(config, node, c_order, layer, inputs, refusal):
    """PlannedTile list for an oversized tile, or a Refusal."""
    return plan_tiles(config, replace(node, layer=layer), inputs, refusal, c_order=c_order)


def _make_plan(config, node, carried, layer, *inputs, c_order, part_input=None):
    """A Plan or Refusal for ``layer``, a tile of a Node's layer."""
    own = replace(node, layer=layer, sources=tuple(range(len(inputs))))
    if carried:
        return CarriedPlan.of(config, own, carried, *inputs, c_order=c_order,
                              part_input=part_input)
    return Plan.of(config, [own], *inputs, c_order=c_order, part_input=part_input, reloads=True)


def _are_cut(lowering, inputs):
    """Whether tiles read less than the whole inputs."""
    tiles = lowering.cut(2) or lowering.cut(1) or []
    return any(x.data.size > part.data.size for tile in tiles
               for x, part in zip(inputs, _parts(tile, inputs), strict=True) if part is not None)


def _plan_parts(make, every, inputs, most):
    """Plan for the whole layer with its input in parts if it exceeds ``most`` X rows; None if it
    does not fit.
    """
    plan = make(every.layer, *inputs, part_input=most)
    return None if isinstance(plan, Refusal) else plan


def _shrinks(config, lowering, inputs):
    """Whether a layer whose tiles have all its constants needs fewer Y rows for a tile: its inputs
    or intermediate results lie there.
    """
    if lowering.cut(2, constants=True) or not (tiles := lowering.cut(2)):
        return False
    part = find_lowering(tiles[0].layer, _take(tiles[0], inputs), config.ways,
                         core=config.capabilities)
    return _rows_in_y(part) < _rows_in_y(lowering)


def _rows_in_y(lowering):
    sources = lowering.source_layouts(None)
    return lowering.constants(sources).y_rows + sum(
        source.rows for source in sources if source.memory is Memory.Y)


def _cuts(lowering, inputs, *, constants):
    """Yield ever longer tile lists, with larger increments for long lists.

    With ``constants``, every tile has fewer constants than the layer. Otherwise a single tile is
    listed only if it reads less than the whole inputs.
    """
    if not constants and (tiles := lowering.cut(1)) and any(
            part is None or part.data.size < x.data.size
            for part, x in zip(_parts(tiles[0], inputs), inputs, strict=True)):
        yield tiles
    count = 2
    while tiles := lowering.cut(count, constants=constants):
        yield tiles
        count += 1 + count // 9


def _plan_channels(plan_tile, lowering, inputs):
    """(Tiles, Plans) cut by channels, with fewer constants and inputs per tile: the fewest fitting
    X, or None.
    """
    for tiles in _cuts(lowering, inputs, constants=True):
        if all(part is None or part.data.size == x.data.size
               for part, x in zip(_parts(tiles[0], inputs), inputs, strict=True)):
            return None
        outcomes = list(_plan_tiles(plan_tile, tiles, RefusalKind.X_MEMORY))
        if len(outcomes) == len(tiles):
            return tiles, outcomes
    return None


def _plan_tiles(plan_tile, tiles, kind):
    """Yield each tile's Plan or Refusal, up to the first Refusal of ``kind``."""
    for tile in tiles:
        outcome = plan_tile(tile)
        if isinstance(outcome, Refusal) and outcome.kind is kind:
            return
        yield outcome


def _plan_tile(make, inputs, made, tile):
    """A tile's Plan or Refusal.

    Tiles with equal layers and shapes share a Plan, from the cache ``made`` with keys by layer and
    shapes.
    """
    parts = _take(tile, inputs)
    key   = identify(tile.layer, parts)
    if key not in made:
        # The layer stays alive, so its fields' ids stay unique.
        made[key] = make(tile.layer, *parts), tile.layer
    plan, _ = made[key]
    return plan


def identify(layer: Any, parts: Sequence[Array]) -> tuple:
    """Cache key: layer class, field values (array identities) and input shapes."""
    return (type(layer), *(_key(getattr(layer, field.name)) for field in fields(layer)),
            *(part.shape for part in parts))


def _key(value):
    """The value if it is hashable, else its id."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value


def _take(tile, inputs):
    """List of a tile's input parts."""
    return [part for part in _parts(tile, inputs) if part is not None]


def _parts(tile, inputs):
    """List with a tile's part of each input, or None."""
    return [x.take(slices) if slices else None if slices is None else x
            for x, slices in zip(inputs, tile.sources, strict=True)]


def _place(tile, part):
    """A PlannedTile within a tile as a PlannedTile within the whole layer."""
    taken   = iter(part.sources)
    sources = tuple(None if slices is None else _join(slices, next(taken))
                    for slices in tile.sources)
    states  = tuple(map(_join, tile.states, part.states)) or tile.states or part.states
    return PlannedTile(part.plan, sources, _join(tile.target, part.target), states)


def _join(outer, inner) -> Any:
    """Compose slices; None stays None."""
    if inner is None:
        return None
    return tuple(slice(first.start + second.start, first.start + second.stop)
                 for first, second in zip(outer, inner, strict=True))
