// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulate unit with commands and responses. Functions: 0 loads the sum with a, 1 adds
// four products of the bytes of a, plus an offset, and of b, 2 sets the offset to a, 3 reads. A response
// is the sum.
module unit #(
    // 0: none, 1: a sum of 24 bits, 2: elements without sign, 3: every 50th response is one more
    parameter FAULT = 0
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        cmd_valid,
    output wire        cmd_ready,
    input  wire [1:0]  cmd_function,
    input  wire [31:0] cmd_a,
    input  wire [31:0] cmd_b,
    output reg         rsp_valid,
    input  wire        rsp_ready,
    output reg  [31:0] rsp_sum
);
    reg signed [31:0] sum, offset, next;
    reg        [7:0]  count;
    integer lane;

    assign cmd_ready = !rsp_valid;

    always @(*) begin
        next = cmd_function == 0 ? cmd_a : sum;
        if (cmd_function == 1)
            for (lane = 0; lane < 4; lane = lane + 1)
                if (FAULT == 2)
                    next = next + ($signed({1'b0, cmd_a[8*lane +: 8]}) + offset)
                         * $signed(cmd_b[8*lane +: 8]);
                else
                    next = next + ($signed(cmd_a[8*lane +: 8]) + offset)
                         * $signed(cmd_b[8*lane +: 8]);
        if (FAULT == 1) next = {{8{next[23]}}, next[23:0]};
    end

    always @(posedge clk) begin
        if (rsp_ready) rsp_valid <= 0;
        if (cmd_valid && cmd_ready) begin
            sum       <= next;
            rsp_valid <= 1;
            rsp_sum   <= FAULT == 3 && count == 49 && cmd_function == 3 ? next + 1 : next;
            if (cmd_function == 2) offset <= cmd_a;
            if (cmd_function == 3) count <= count == 49 ? 0 : count + 1;
        end
        if (rst) begin
            rsp_valid <= 0;
            offset    <= 0;
            sum       <= 0;
            count     <= 0;
        end
    end
endmodule
