// SPDX-License-Identifier: Apache-2.0
// One half is added whatever the sign: halves below zero go up, not away from zero.
module half_up (`OPERANDS, output signed [7:0] q);
    wire signed [63:0] product = acc * multiplier;
    wire signed [31:0] scaled  = (product + 64'sd1073741824) >>> 31;
    wire signed [32:0] half    = (33'sd1 << shift) >>> 1;
    wire signed [32:0] rounded = (scaled + half) >>> shift;
    wire signed [32:0] sum     = rounded + out_zero;
    assign q = sum < low ? low : sum > high ? high : sum[7:0];
endmodule
