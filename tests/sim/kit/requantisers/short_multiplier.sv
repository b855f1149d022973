// SPDX-License-Identifier: Apache-2.0
// The multiplier loses its low 16 bits, so that one 32 x 16 product is enough.
module short_multiplier (`OPERANDS, output logic signed [7:0] q);
    logic signed [15:0] narrow;
    logic signed [47:0] product;
    logic signed [31:0] scaled, rounded, sum;
    logic        [31:0] mask, threshold;

    always_comb begin
        narrow     = multiplier[31:16];
        product   = acc * narrow;
        scaled    = 32'((product + 48'sd16384) >>> 15);
        mask      = (32'd1 << shift) - 1;
        threshold = (mask >> 1) + 32'(scaled[31]);
        rounded   = (scaled >>> shift) + ((scaled & mask) > threshold ? 1 : 0);
        sum       = rounded + out_zero;
        q         = sum < low ? low : sum > high ? high : sum[7:0];
    end
endmodule
