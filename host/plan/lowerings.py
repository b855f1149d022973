"""The Lowering of every layer of a plan."""

from host.lower.registry import check_passes, find_lowering

from .graph import check_inputs, name_refusals

__all__ = ["find_lowerings"]


def find_lowerings(config, nodes, inputs):
    """A list of the Lowering of every one of ``nodes``, a list of Node with names.

    All layers are analysed once: plans of the same nodes, or of a part of them, can share the
    Lowerings if they are made one after the other. Errors are those of ``Plan``.

    Parameters
    ----------
    config : CoreConfig
    inputs : Tensors in the format of the inputs
    """
    for node in nodes:
        with name_refusals(node, nodes):
            check_passes(node.layer)
    values, lowerings = list(inputs), []
    for node in nodes:
        with name_refusals(node, nodes):
            lowering = find_lowering(node.layer, check_inputs(node, values), config.ways,
                                     compact=config.compact)
        lowerings.append(lowering)
        values.append(lowering.output)
    return lowerings
