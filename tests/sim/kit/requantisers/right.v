// SPDX-License-Identifier: Apache-2.0
// As tflite-micro: a high half that rounds up, a shift that rounds away from zero, then the clip.
module right (`OPERANDS, output signed [7:0] q);
    wire signed [63:0] product   = acc * multiplier;
    wire signed [31:0] scaled    = (product + 64'sd1073741824) >>> 31;
    wire        [31:0] mask      = (32'd1 << shift) - 1;
    wire        [31:0] threshold = (mask >> 1) + {31'd0, scaled[31]};
    wire signed [31:0] rounded   = (scaled >>> shift) + ((scaled & mask) > threshold ? 1 : 0);
    wire signed [31:0] sum       = rounded + out_zero;
    assign q = sum < low ? low : sum > high ? high : sum[7:0];
endmodule
