"""Why there are no passes for what golden computes: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, contract, limit

__all__ = ["REASONS"]

_ORDER   = contract("a plan puts the input into the order that the layer asks for")
_STRIPS  = contract("a plan asks before, and gives the layer pixels or other strips")
_LONGER  = "a sum that leaves the accumulator would not wrap or saturate where the library does"
_SIXTEEN = "operands of the array have 16 bits"
_WRAPS   = "the library wraps what it has scaled, the core does not"

REASONS = {
    "There are no passes to convert … to …":
        limit("cells have 8 or 16 bits, and no floating point"),
    "Zero point of … must be between … and …, not …":
        limit("an element less its zero point must have 16 bits"),
    "Weights less their zero point must have 16 bits, not … to …": limit(_SIXTEEN),
    "Sums must stay within … for every input, not …": limit(_LONGER),
    "Logarithms of sums must grow with the sums, not be less for a larger one":
        limit("a threshold of the sum stands for each step of an output"),
    "Outputs of a row must differ by at most … steps, not …":
        limit("lanes hold a sum for each threshold"),
    "An index of an extreme must be less than …, not up to …":
        limit("marks of chunks tell apart so many"),
    "Sums from … to … must have one multiplier that makes every output, not none":
        limit("the library rounds a sum twice, a pass once"),
    "Rounded sums must stay below … together, those of a further input below …, not be up to …":
        limit(_LONGER),
    "A window must have at most … elements of … bits, not …":
        limit("a factor of 31 bits divides larger sums with an error"),
    "Sums must be shifted to the left by at most … bits, not …":
        limit("the output stage shifts to the left no further"),
    "Sums of 64 bits must stay within … bits, not be from … to …": limit(_LONGER),
    "Sums of 64 bits must stay within 32 where the output shows more, not be from … to …":
        limit("what is scaled is limited to 32 bits"),
    "Scaled sums must stay within 32 bits, not be from … to …": limit(_WRAPS),
    "Scaled sums and the zero point must stay within 32 bits together, not be …": limit(_WRAPS),
    "Weights of sums that a factor above 1 shifts beyond 32 bits must stay within … after that "
    "shift and … bits more, not be up to …": limit(_SIXTEEN),
    "Sums that are shifted to the left must stay below … before, not be up to …": limit(
        "the flag could not tell what wraps before that shift from what wraps behind it"),
    "A factor must keep … within 32 bits, not one of about 2**…":
        limit("what the library shifts to the left wraps there, and no pass does"),
    "Elements less their zero point must have 16 bits, not be …": limit(_SIXTEEN),
    "Zero point of … elements must be 0 where they have 32 bits before or after, not …":
        limit("their difference would have 33 bits or 17, and passes take 32 and 16"),
    "A state of INT16 must have zero point 0, not …": limit(_SIXTEEN),
    "Zero points of INT16 operands of a sum must be 0, not …": limit(_SIXTEEN),
    "There are no passes for … with these inputs":
        limit("no lowering takes the types or scales of these inputs"),
    "There are no passes for …, only for …": limit("nobody has written a lowering of this layer"),
    # What a plan sees to.
    "The layer takes … rows one after the other, its input of shape … lies in the order …, … of "
    "them together": _ORDER,
    "The layer takes its input pixel by pixel, but that lies in the order …, … of them together":
        _ORDER,
    "Memory must lie as it is, not as …": _ORDER,
    "Elements must lie in one piece, not in …": _ORDER,
    "The input must lie as …, not as …": _ORDER,
    "The input must lie in one piece, not in …": _ORDER,
    "The first input lies as …, the second one as …": _ORDER,
    "The input must lie in one piece, not in pieces of … elements": _ORDER,
    "Parameters differ along dimension …, which does not lie apart from others in an input of "
    "shape … in the order …": _ORDER,
    "Input 0 lies in the order …, … of them together, input … in …, …": _ORDER,
    "Input 0 lies in pieces of … elements, input … in pieces of …": _ORDER,
    "… moves dimension …, which does not lie apart from others in its input of shape … in the "
    "order …": _ORDER,
    "Elements have no strides in pieces of … and of …": _ORDER,
    "Elements … to … of dimension … begin within a group of the order …": _ORDER,
    "The output must begin and end between pieces of … elements of the input, not at … and … in "
    "steps of …": _ORDER,
    "Elements that lie as … cannot have shape … there": _ORDER,
    "The layer takes layout …, its input lies in the order …, … of them together": _ORDER,
    "The layer takes … steps one after the other, its input of shape … lies in the order …, … of "
    "them together": _ORDER,
    "The layer takes the steps one after the other, its input of shape … lies in the order …, … of "
    "them together": _ORDER,
    "Padding splits the elements of a sum into more than … ranges": _ORDER,
    "The layer sums along dimension …, its input of shape … lies in the order …, … of them "
    "together": _ORDER,
    "The input must lie in halves of … bits pixel by pixel, not with … bits as …": _ORDER,
    "The layer has no passes on strips of …": _STRIPS,
    "Strips of shape … cannot become pixels": _STRIPS,
    "A shift … the product must be between 0 and …, not … to …":
        contract("each form keeps its shifts in range"),
    "A lowering must be a subclass of Lowering, not …": ARGUMENT,
}
