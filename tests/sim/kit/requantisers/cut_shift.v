// SPDX-License-Identifier: Apache-2.0
// The second shift lacks its rounding.
module cut_shift (`OPERANDS, output signed [7:0] q);
    wire signed [63:0] product = acc * multiplier;
    wire signed [31:0] scaled  = (product + 64'sd1073741824) >>> 31;
    wire signed [31:0] sum     = (scaled >>> shift) + out_zero;
    assign q = sum < low ? low : sum > high ? high : sum[7:0];
endmodule
