// SPDX-License-Identifier: Apache-2.0
// An adder behind APB and one behind Wishbone: registers 0 and 4 are the inputs, 8 is their sum,
// limited to 8 bits.
module adders (
    input  wire        clk,
    input  wire        rst,
    input  wire [7:0]  s_apb_paddr,
    input  wire        s_apb_psel,
    input  wire        s_apb_penable,
    input  wire        s_apb_pwrite,
    input  wire [31:0] s_apb_pwdata,
    output wire        s_apb_pready,
    output wire [31:0] s_apb_prdata,
    input  wire [7:0]  wb_adr,
    input  wire        wb_cyc,
    input  wire        wb_stb,
    input  wire        wb_we,
    input  wire [31:0] wb_dat_i,
    output reg  [31:0] wb_dat_o,
    output reg         wb_ack
);
    reg signed [31:0] left [0:1];
    reg signed [31:0] right [0:1];

    function signed [31:0] limited(input signed [31:0] sum);
        limited = sum > 127 ? 127 : sum < -128 ? -128 : sum;
    endfunction

    assign s_apb_pready = 1;
    assign s_apb_prdata = s_apb_paddr == 8 ? limited(left[0] + right[0])
                        : s_apb_paddr == 4 ? right[0] : left[0];

    always @(posedge clk) begin
        if (s_apb_psel && s_apb_penable && s_apb_pwrite) begin
            if (s_apb_paddr == 0) left[0]  <= s_apb_pwdata;
            if (s_apb_paddr == 4) right[0] <= s_apb_pwdata;
        end
        wb_ack <= wb_cyc && wb_stb && !wb_ack && !rst;
        if (wb_cyc && wb_stb && !wb_ack) begin
            wb_dat_o <= wb_adr == 8 ? limited(left[1] + right[1])
                      : wb_adr == 4 ? right[1] : left[1];
            if (wb_we && wb_adr == 0) left[1]  <= wb_dat_i;
            if (wb_we && wb_adr == 4) right[1] <= wb_dat_i;
        end
    end
endmodule
