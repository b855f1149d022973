// SPDX-License-Identifier: Apache-2.0
// The value saturates to 8 bits before the zero point is added.
module clip_first (`OPERANDS, output logic signed [7:0] q);
    logic signed [63:0] product;
    logic signed [31:0] scaled, rounded, narrow, sum;
    logic        [31:0] mask, threshold;

    always_comb begin
        product   = acc * multiplier;
        scaled    = 32'((product + 64'sd1073741824) >>> 31);
        mask      = (32'd1 << shift) - 1;
        threshold = (mask >> 1) + 32'(scaled[31]);
        rounded   = (scaled >>> shift) + ((scaled & mask) > threshold ? 1 : 0);
        narrow    = rounded < -128 ? -128 : rounded > 127 ? 127 : rounded;
        sum       = narrow + out_zero;
        q         = sum < low ? low : sum > high ? high : sum[7:0];
    end
endmodule
