// SPDX-License-Identifier: Apache-2.0
// A system on a chip that runs a network: a bus master, its ROM, a RAM and the core.
`default_nettype none

`ifndef XYMAC_CORE
`define XYMAC_CORE xymac_base
`endif

module xymac_soc #(
    parameter ROM_FILE     = "rom.hex",
    parameter RAM_FILE     = "ram.hex",
    parameter ROM_BITS     = 15,   // of an address of a word
    parameter RAM_BITS     = 12,
    parameter RESET_CYCLES = 160   // that a reset of the core lasts, as its headers say
) (
    input  wire                clk,
    input  wire                rst,     // synchronous, for a cycle; not needed at power-on
    input  wire                go,      // run the network on what lies in the RAM; while ready
    output wire                ready,   // constants are written, and what was asked for is done
    output wire                failed,  // until the next reset
    output wire [ROM_BITS-1:0] at       // word of the ROM that is next
);
    localparam COUNT_BITS = 16;

    reg [COUNT_BITS-1:0] reset_left;
    reg                  reset;

    initial begin
        reset_left = RESET_CYCLES;
        reset      = 1'b1;
    end

    always @(posedge clk)
        if (rst) begin
            reset_left <= RESET_CYCLES;
            reset      <= 1'b1;
        end else if (reset_left != {COUNT_BITS{1'b0}})
            reset_left <= reset_left - 1'b1;
        else
            reset      <= 1'b0;

    wire [ROM_BITS-1:0] rom_address;
    wire [31:0]         rom_word;
    wire [RAM_BITS-1:0] ram_address;
    wire [3:0]          ram_strobe;
    wire [31:0]         ram_data, ram_word;

    xymac_soc_memory #(.FILE(ROM_FILE), .BITS(ROM_BITS)) rom (
        .clk(clk), .address(rom_address), .strobe(4'd0), .data(32'd0), .word(rom_word));

    xymac_soc_memory #(.FILE(RAM_FILE), .BITS(RAM_BITS)) ram (
        .clk(clk), .address(ram_address), .strobe(ram_strobe), .data(ram_data), .word(ram_word));

    wire        awvalid, awready, wvalid, wready, bvalid, bready;
    wire        arvalid, arready, rvalid, rready, irq;
    wire [21:0] awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [2:0]  awprot, arprot;
    wire [1:0]  bresp, rresp;

    xymac_soc_master #(.ROM_BITS(ROM_BITS), .RAM_BITS(RAM_BITS)) master (
        .clk(clk), .rst(reset), .go(go), .ready(ready), .failed(failed), .at(at), .irq(irq),
        .rom_address(rom_address), .rom_word(rom_word), .ram_address(ram_address),
        .ram_strobe(ram_strobe), .ram_data(ram_data), .ram_word(ram_word),
        .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awaddr(awaddr),
        .m_axi_awprot(awprot), .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata),
        .m_axi_wstrb(wstrb), .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bresp(bresp),
        .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr),
        .m_axi_arprot(arprot), .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(rdata),
        .m_axi_rresp(rresp));

    `XYMAC_CORE core (
        .clk(clk), .rst(reset), .irq(irq),
        .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr),
        .s_axi_awprot(awprot), .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata),
        .s_axi_wstrb(wstrb), .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
        .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr),
        .s_axi_arprot(arprot), .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata),
        .s_axi_rresp(rresp));
endmodule

`default_nettype wire
