// SPDX-License-Identifier: Apache-2.0
// All requantisers side by side, one of which is seen a clock later.
module requantisers (
    input       clk,
    input [2:0] which,
    `OPERANDS,
    output reg signed [7:0] q
);
    wire signed [7:0] values [0:7];
    right            unit0 (acc, multiplier, shift, out_zero, low, high, values[0]);
    cut_shift        unit1 (acc, multiplier, shift, out_zero, low, high, values[1]);
    half_up          unit2 (acc, multiplier, shift, out_zero, low, high, values[2]);
    clip_first       unit3 (acc, multiplier, shift, out_zero, low, high, values[3]);
    short_multiplier unit4 (acc, multiplier, shift, out_zero, low, high, values[4]);
    wrap24           unit5 (acc, multiplier, shift, out_zero, low, high, values[5]);
    always @(posedge clk) q <= values[which];
endmodule
