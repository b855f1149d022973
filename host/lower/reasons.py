"""Why there are no passes for what golden computes: see ``golden.reasons``."""

from golden.reasons import ARGUMENT, contract, limit

__all__ = ["REASONS"]

_ORDER   = contract("a plan puts the input into the order that the layer asks for")
_LONGER  = "a sum that leaves the accumulator would not wrap or saturate where the library does"
_SIXTEEN = "operands of the array have 16 bits"

REASONS = {
    "Elements must be at most …, not …": limit("places are counted in elements of 16 bits"),
    "If an input in units of the output has more than 16 bits, the other one must be within …, "
    "not …": limit(_SIXTEEN),
    "There are no passes to convert … to …":
        limit("cells have 8 or 16 bits, and no floating point"),
    "Zero point of … must be between … and …, not …":
        limit("an element less its zero point must have 16 bits"),
    "A left shift by … bits must fit the multiplier of 32 bits":
        limit("a lane shifts to the right only, and its multiplier has 32 bits"),
    "Taps … elements apart step over an image of …":
        limit("a window without a tap on the image is a pass without a step"),
    "Sums of … elements must stay within …, not …": limit(_LONGER),
    "Weights less their zero point must have 16 bits, not … to …": limit(_SIXTEEN),
    "Sums must stay within … for every input, not …": limit(_LONGER),
    "Fractional bits of both operands of a sum must differ by at most …, not …":
        limit("the weights that bring both to one format have 16 bits, in a few taps"),
    "An operand of a sum must have 16 bits in units of the output, not be up to …": limit(_SIXTEEN),
    "Rounded sums must stay below … together, those of a further input below …, not be up to …":
        limit(_LONGER),
    "Sums must be shifted to the left by at most … bits, not …":
        limit("the output stage shifts to the left no further"),
    "Of the scaled sums of the inputs all but one must stay within … together, not be up to …":
        limit("all but one of them become elements of 16 bits before they are added"),
    "There are no passes for … with these inputs":
        limit("no lowering takes the types or scales of these inputs"),
    "There are no passes for …, only for …": limit("nobody has written a lowering of this layer"),
    "The sum of squares must stay below … for every input, not be up to …": limit(_LONGER),
    "Zero point of a padded input whose sums wrap must be between … and …, not …":
        limit("padding is an element like any other, which has 8 bits"),
    # What a plan sees to.
    "Memory must lie as it is, not as …": _ORDER,
    "Elements must lie in one part, not in …": _ORDER,
    "The input must lie as …, not as …": _ORDER,
    "The input must lie in one part, not in …": _ORDER,
    "The first input lies as …, the second one as …": _ORDER,
    "Parameters differ along dimension …, which lies inside of the runs of an input of shape … in "
    "the order …": _ORDER,
    "Input 0 lies in the order …, … of them in a run, input … in …, …": _ORDER,
    "Runs of input 0 have the parts …, those of input … …": _ORDER,
    "… moves dimension …, which lies inside of the runs of its input of shape … in the order …":
        _ORDER,
    "Elements have no strides in runs of the parts … and …": _ORDER,
    "Part … to … of dimension … begins within a group of the order …": _ORDER,
    "Subtensor cannot cut runs of the parts …": _ORDER,
    "The layer takes layout …, its input lies in the order …, … of them in a run": _ORDER,
    "The layer takes … steps one after the other, its input of shape … lies in the order …, … of "
    "them in a run": _ORDER,
    "The layer takes the steps one after the other, its input of shape … lies in the order …, … of "
    "them in a run": _ORDER,
    "Padding parts the elements of a sum into more than … ranges": _ORDER,
    "The layer sums along dimension …, its input of shape … lies in the order …, … of them in a "
    "run": _ORDER,
    "The input must lie in halves of … bits pixel by pixel, not with … bits as …": _ORDER,
    "A shift … the product must be between 0 and …, not … to …":
        contract("each form keeps its shifts in range"),
    "A lowering must be a subclass of Lowering, not …": ARGUMENT,
}
