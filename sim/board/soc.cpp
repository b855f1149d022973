// SPDX-License-Identifier: Apache-2.0
// A simulated system on a chip: the bytes of its UART go to stdout until the program ends.
//
// The arguments are the number of cycles a bit, and how many cycles the program may take. A byte 4
// and a digit end it. The last line on stdout has a byte 4, the digit or - if the cycles did not
// suffice, the cycles, and the cycles a second.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vtop.h"
#include "line.h"
#include "verilated.h"

namespace {

constexpr int END = 4;
constexpr int RESET = 16;  // cycles

class Bench {
public:
    explicit Bench(uint64_t divisor) : receiver(divisor) {
        top.crystal = 0;
        top.serial_rx = 1;
        top.reset = 1;
        top.eval();
    }

    ~Bench() { top.final(); }

    // Simulate until the program ends, or `limit` cycles; returns the digit of its end, or '-'.
    int run(uint64_t limit) {
        bool ends = false;
        while (cycles < limit) {
            const int byte = step();
            if (byte < 0) continue;
            if (ends) return byte;
            ends = byte == END;
            if (ends) continue;
            std::putchar(byte);
            if (byte == '\n') std::fflush(stdout);
        }
        return '-';
    }

    uint64_t cycles = 0;

private:
    VerilatedContext context;
    Vtop top{&context, ""};
    Receiver receiver;

    // A cycle; returns a byte that has come, or -1.
    int step() {
        top.reset = cycles < RESET;
        top.crystal = 1;
        top.eval();
        top.crystal = 0;
        top.eval();
        ++cycles;
        return receiver.take(top.serial_tx);
    }
};

}  // namespace

int main(int count, char **arguments) {
    if (count != 3) return 2;
    Bench bench(std::strtoull(arguments[1], nullptr, 10));
    const auto begin = std::chrono::steady_clock::now();
    const int ended = bench.run(std::strtoull(arguments[2], nullptr, 10));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%c%c %llu %.0f\n", END, ended, static_cast<unsigned long long>(bench.cycles),
                bench.cycles / seconds.count());
    return 0;
}
