// SPDX-License-Identifier: Apache-2.0
// A bus master that runs a core as the words of a ROM tell it: AXI4-Lite, one transfer at a time.
//
// An instruction is a word and what follows it. The word is opcode << 28 | strobe << 24 | count;
// addresses count bytes, those of the core from its first register on.
//
//   PAUSE    ready until go; goes on at a word of the ROM   | word of the ROM
//   WRITE    writes words to the core, one after the other  | core, count words
//   FILL     writes one word count times, to count words    | core, word
//   WAIT     waits for the interrupt                        |
//   CHECK    reads a word: fails if (word & mask) != value  | core, mask, value
//   READ     reads count words of the core into the RAM     | core, RAM
//   SCATTER  copies elements of the RAM to the core         | count times: core, RAM
//   GATHER   copies elements of the core to the RAM         | count times: core, RAM
//   SCATTERX does as SCATTER, and inverts their highest bit | count times: core, RAM
//   GATHERX  does as GATHER, and inverts their highest bit  | count times: core, RAM
//
// The strobe says which bytes of a word are written; that of elements is 1 or 3, for those of 8 and
// of 16 bits, which lie at any multiple of their size. An answer of the core that is not OKAY, a
// word that is not as it should be or an unknown opcode ends all: failed until the next reset.
`default_nettype none

module xymac_soc_master #(
    parameter ROM_BITS = 15,
    parameter RAM_BITS = 12
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                go,      // a cycle or longer while ready
    output wire                ready,
    output wire                failed,
    output reg  [ROM_BITS-1:0] at,      // word of the ROM; where it failed, one that follows
    input  wire                irq,

    // Memories answer a cycle later.
    output wire [ROM_BITS-1:0] rom_address,
    input  wire [31:0]         rom_word,
    output wire [RAM_BITS-1:0] ram_address,
    output wire [3:0]          ram_strobe,
    output wire [31:0]         ram_data,
    input  wire [31:0]         ram_word,

    output reg                 m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [21:0]         m_axi_awaddr,
    output wire [2:0]          m_axi_awprot,
    output reg                 m_axi_wvalid,
    input  wire                m_axi_wready,
    output wire [31:0]         m_axi_wdata,
    output wire [3:0]          m_axi_wstrb,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready,
    input  wire [1:0]          m_axi_bresp,
    output reg                 m_axi_arvalid,
    input  wire                m_axi_arready,
    output wire [21:0]         m_axi_araddr,
    output wire [2:0]          m_axi_arprot,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,
    input  wire [31:0]         m_axi_rdata,
    input  wire [1:0]          m_axi_rresp
);
    localparam [3:0] PAUSE = 4'd0, WRITE = 4'd1, FILL    = 4'd2, WAIT   = 4'd3,
                     CHECK = 4'd4, READ  = 4'd5, SCATTER = 4'd6, GATHER = 4'd7,
                     SCATTERX = 4'd14, GATHERX = 4'd15;
    localparam [1:0] OKAY  = 2'b00;

    // States by the word that they take, or by what they wait for.
    localparam [3:0] OPCODE  = 4'd0,  PAUSED = 4'd1,  INTERRUPT = 4'd2,  PLACE  = 4'd3,
                     TARGET  = 4'd4,  MASK   = 4'd5,  VALUE     = 4'd6,  LOAD   = 4'd7,
                     DATA    = 4'd8,  SEND   = 4'd9,  WRITTEN   = 4'd10, ASK    = 4'd11,
                     ANSWERED = 4'd12, FAILED = 4'd13;

    reg [3:0]          state;
    reg [3:0]          op;       // SCATTER and GATHER for SCATTERX and GATHERX, too
    reg                inverts;
    reg [3:0]          strobe;
    reg [23:0]         left;     // words or elements that remain
    reg [21:0]         address;  // of the core
    reg [RAM_BITS+1:0] pointer;  // into the RAM
    reg [31:0]         data;     // what is written
    reg [31:0]         mask;
    reg [31:0]         value;

    wire [3:0] opcode  = rom_word[31:28];
    wire       is_last = op == CHECK || left == 24'd1;

    // rom_word is the word at `at` in every cycle: the memory gets the address of the next one.
    wire jumps = state == PAUSED && go;
    wire takes = state == OPCODE || state == PLACE || state == TARGET || state == MASK ||
                 state == VALUE || (state == DATA && op != SCATTER);

    assign rom_address = rst   ? {ROM_BITS{1'b0}} :
                         jumps ? rom_word[ROM_BITS-1:0] :
                         takes ? at + 1'b1 : at;
    always @(posedge clk) at <= rom_address;

    // An element moves from its bytes in a word of the one to those in a word of the other.
    wire [31:0] inverted  = !inverts ? 32'd0 : strobe[1] ? 32'h8000 : 32'h80;
    wire [4:0] core_shift = {address[1:0], 3'b000};
    wire [4:0] ram_shift  = {pointer[1:0], 3'b000};
    wire       is_kept    = state == ANSWERED && m_axi_rvalid && op != CHECK;

    assign ram_address = pointer[RAM_BITS+1:2];
    assign ram_data    = ((m_axi_rdata >> core_shift) ^ inverted) << ram_shift;
    assign ram_strobe  = is_kept ? strobe << pointer[1:0] : 4'd0;

    assign m_axi_awaddr = address;
    assign m_axi_awprot = 3'b000;
    assign m_axi_wdata  = data << core_shift;
    assign m_axi_wstrb  = strobe << address[1:0];
    assign m_axi_bready = state == WRITTEN;
    assign m_axi_araddr = address;
    assign m_axi_arprot = 3'b000;
    assign m_axi_rready = state == ANSWERED;

    assign ready  = state == PAUSED;
    assign failed = state == FAILED;

    wire is_wrong = m_axi_rresp != OKAY || (op == CHECK && (m_axi_rdata & mask) != value);

    // What follows when a word or an element is done.
    wire [3:0] another = op == WRITE ? DATA : op == FILL ? SEND : op == READ ? ASK : PLACE;
    wire [3:0] follows = is_last ? OPCODE : another;

    always @(posedge clk)
        if (rst) begin
            state         <= OPCODE;
            m_axi_awvalid <= 1'b0;
            m_axi_wvalid  <= 1'b0;
            m_axi_arvalid <= 1'b0;
        end else case (state)
            OPCODE: begin
                {op, strobe, left} <= rom_word;
                op[3]              <= 1'b0;
                inverts            <= opcode == SCATTERX || opcode == GATHERX;
                state <= opcode == PAUSE ? PAUSED : opcode == WAIT ? INTERRUPT :
                         opcode <= GATHER || opcode >= SCATTERX ? PLACE : FAILED;
            end
            PAUSED:    if (go)  state <= OPCODE;
            INTERRUPT: if (irq) state <= OPCODE;
            PLACE: begin
                address <= rom_word[21:0];
                state   <= op == CHECK ? MASK : op == WRITE || op == FILL ? DATA : TARGET;
            end
            TARGET: begin
                pointer <= rom_word[RAM_BITS+1:0];
                state   <= op == SCATTER ? LOAD : ASK;
            end
            MASK: begin
                mask  <= rom_word;
                state <= VALUE;
            end
            VALUE: begin
                value <= rom_word;
                state <= ASK;
            end
            LOAD: state <= DATA;  // the RAM reads
            DATA: begin
                data  <= op == SCATTER ? (ram_word >> ram_shift) ^ inverted : rom_word;
                state <= SEND;
            end
            SEND: begin
                m_axi_awvalid <= 1'b1;
                m_axi_wvalid  <= 1'b1;
                state         <= WRITTEN;
            end
            WRITTEN: begin
                if (m_axi_awready) m_axi_awvalid <= 1'b0;
                if (m_axi_wready)  m_axi_wvalid  <= 1'b0;
                if (m_axi_bvalid) begin
                    address <= address + 22'd4;
                    left    <= left - 24'd1;
                    state   <= m_axi_bresp == OKAY ? follows : FAILED;
                end
            end
            ASK: begin
                m_axi_arvalid <= 1'b1;
                state         <= ANSWERED;
            end
            ANSWERED: begin
                if (m_axi_arready) m_axi_arvalid <= 1'b0;
                if (m_axi_rvalid) begin
                    address <= address + 22'd4;
                    pointer <= pointer + 'd4;
                    left    <= left - 24'd1;
                    state   <= is_wrong ? FAILED : follows;
                end
            end
            default: state <= FAILED;
        endcase
endmodule

`default_nettype wire
