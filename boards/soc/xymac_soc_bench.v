// SPDX-License-Identifier: Apache-2.0
// Run the system on a chip: +runs=N inferences, then what its RAM holds in result.hex.
`default_nettype none

module xymac_soc_bench #(
    parameter ROM_FILE = "rom.hex",
    parameter RAM_FILE = "ram.hex",
    parameter ROM_BITS = 15,
    parameter RAM_BITS = 12
);
    reg     clk, rst, go;
    integer run, runs, cycles, limit;
    wire    ready, failed;
    wire [ROM_BITS-1:0] at;

    xymac_soc #(
        .ROM_FILE(ROM_FILE), .RAM_FILE(RAM_FILE), .ROM_BITS(ROM_BITS), .RAM_BITS(RAM_BITS)
    ) soc (.clk(clk), .rst(rst), .go(go), .ready(ready), .failed(failed), .at(at));

    always #5 clk = ~clk;

    task finish_run;
        begin
            @(negedge clk) go = 1'b0;
            while (!ready && !failed && cycles < limit)
                @(negedge clk) cycles = cycles + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("runs=%d", runs))   runs  = 1;
        if (!$value$plusargs("limit=%d", limit)) limit = 10000000;
        clk    = 1'b0;
        rst    = 1'b1;
        go     = 1'b0;
        cycles = 0;
        @(negedge clk) rst = 1'b0;
        finish_run;
        for (run = 0; run < runs && ready; run = run + 1) begin
            go = 1'b1;
            finish_run;
        end
        if (ready) begin
            $writememh("result.hex", soc.ram.words);
            $display("xymac_soc: runs: %0d, cycles: %0d", runs, cycles);
        end else if (failed)
            $display("xymac_soc: failed before word %0d of the ROM", at);
        else
            $display("xymac_soc: not ready after %0d cycles, word %0d of the ROM", cycles, at);
        $finish;
    end
endmodule

`default_nettype wire
