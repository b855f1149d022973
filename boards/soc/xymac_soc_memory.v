// SPDX-License-Identifier: Apache-2.0
// A memory of 32-bit words with one port: bytes are written, and a word is read a cycle later.
`default_nettype none

module xymac_soc_memory #(
    parameter FILE = "",  // initial words, for $readmemh; zeros without a file
    parameter BITS = 12   // width of an address: the memory has 1 << BITS words
) (
    input  wire            clk,
    input  wire [BITS-1:0] address,
    input  wire [3:0]      strobe,  // the bytes to write
    input  wire [31:0]     data,
    output reg  [31:0]     word     // content of the address in the cycle before
);
    reg [31:0] words [0:(1 << BITS) - 1];
    integer    index;

    initial begin
        for (index = 0; index < (1 << BITS); index = index + 1)
            words[index] = 32'd0;
        if (FILE != "")
            $readmemh(FILE, words);
    end

    always @(posedge clk) begin
        if (strobe[0]) words[address][7:0]   <= data[7:0];
        if (strobe[1]) words[address][15:8]  <= data[15:8];
        if (strobe[2]) words[address][23:16] <= data[23:16];
        if (strobe[3]) words[address][31:24] <= data[31:24];
        word <= words[address];
    end
endmodule

`default_nettype wire
