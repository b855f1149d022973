// SPDX-License-Identifier: Apache-2.0
// Weight-stationary tile of 8x8: 8 beats of weights, then a beat of 8 elements for each row, until
// tlast. Every row gives a beat of 8 sums of 32 bits.
module tile8 #(
    // 0: none, 1: sums of 16 bits, 2: lane 5 is stuck, 3: a row late, 4: weights without sign
    parameter FAULT = 0
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [63:0]  s_axis_tdata,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire         s_axis_tlast,
    output reg  [255:0] m_axis_tdata,
    output reg          m_axis_tvalid,
    input  wire         m_axis_tready,
    output reg          m_axis_tlast
);
    reg signed [7:0]  weights [0:63];
    reg        [3:0]  loaded;
    reg signed [31:0] sum;
    reg      [255:0]  sums, late;
    integer n, k;

    wire is_loading = loaded != 8;
    assign s_axis_tready = is_loading || !m_axis_tvalid || m_axis_tready;

    always @(*) begin
        for (n = 0; n < 8; n = n + 1) begin
            sum = 0;
            for (k = 0; k < 8; k = k + 1)
                if (FAULT == 4)
                    sum = sum + $signed(s_axis_tdata[8*k +: 8]) * $signed({1'b0, weights[8*k + n]});
                else
                    sum = sum + $signed(s_axis_tdata[8*k +: 8]) * weights[8*k + n];
            if (FAULT == 1) sum = {{16{sum[15]}}, sum[15:0]};
            if (FAULT == 2 && n == 5) sum = 77;
            sums[32*n +: 32] = sum;
        end
    end

    always @(posedge clk) begin
        if (m_axis_tready) m_axis_tvalid <= 0;
        if (s_axis_tvalid && s_axis_tready) begin
            if (is_loading) begin
                for (n = 0; n < 8; n = n + 1) weights[8*loaded + n] <= s_axis_tdata[8*n +: 8];
                loaded <= loaded + 1;
            end else begin
                late          <= sums;
                m_axis_tdata  <= FAULT == 3 ? late : sums;
                m_axis_tvalid <= 1;
                m_axis_tlast  <= s_axis_tlast;
                if (s_axis_tlast) loaded <= 0;
            end
        end
        if (rst) begin
            loaded        <= 0;
            late          <= 0;
            m_axis_tvalid <= 0;
        end
    end
endmodule
