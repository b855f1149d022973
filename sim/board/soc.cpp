// SPDX-License-Identifier: Apache-2.0
// A simulated system on a chip: the bytes of its UART go to stdout until the program ends.
//
// The arguments are the number of cycles a bit, and how many cycles the program may take. A third is
// a file with frames of LiteX's serial boot, which the boot program gets before: the process then is
// the host side of that protocol. It leaves as many requests without an answer as a fourth says. A byte
// 4 and a digit end the program. The last line on stdout has a byte 4, the digit or - if the cycles did
// not suffice, the cycles, and the cycles a second.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>

#include "Vtop.h"
#include "line.h"
#include "verilated.h"

namespace {

constexpr int END = 4;
constexpr int RESET = 16;  // cycles

// The host side of LiteX's serial boot: frames, each after the answer to the one before.
class Host {
public:
    Host(const char *path, int64_t ignored) : ignored(ignored) {
        if (!path) return;
        std::ifstream file(path, std::ios::binary);
        frames.assign(std::istreambuf_iterator<char>(file), {});
    }

    // Whether all frames are answered: what comes is text of the program.
    bool done() const { return frames.empty() && !waits; }

    // Whether what comes answers frames.
    bool busy() const { return begun && !done(); }

    // Take a byte; bytes that answer it are put into `going`.
    void take(char byte, std::deque<uint8_t> &going) {
        if (!begun) {
            seen = (seen + byte).substr(seen.size() >= REQUEST.size());
            if (seen != REQUEST || ignored-- > 0) return;
            begun = true;
            going.insert(going.end(), ANSWER.begin(), ANSWER.end());
        } else if (byte == GOOD) {
            waits = false;
        } else {
            return;
        }
        if (frames.empty()) return;
        const auto end = frames.begin() + HEADER + static_cast<uint8_t>(frames.front());
        going.insert(going.end(), frames.begin(), end);
        frames.erase(frames.begin(), end);
        waits = true;
    }

private:
    static constexpr int HEADER = 4;  // length of the payload, CRC, command
    static constexpr char GOOD = 'K';
    const std::string REQUEST = "sL5DdSMmkekro\n", ANSWER = "z6IHG7cYDID6o\n";
    std::deque<char> frames;
    std::string seen;
    int64_t ignored;
    bool begun = false, waits = false;
};

class Bench {
public:
    Bench(uint64_t divisor, const char *frames, int64_t ignored)
        : receiver(divisor), sender(divisor), host(frames, ignored) {
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
            const bool answer = host.busy();
            if (!host.done()) host.take(byte, going);
            if (answer) continue;
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
    Sender sender;
    Host host;
    std::deque<uint8_t> going;

    // A cycle; returns a byte that has come, or -1.
    int step() {
        if (!going.empty() && !sender.busy()) {
            sender.send(going.front());
            going.pop_front();
        }
        top.serial_rx = sender.level();
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
    if (count != 3 && count != 5) return 2;
    Bench bench(std::strtoull(arguments[1], nullptr, 10), count == 5 ? arguments[3] : nullptr,
                count == 5 ? std::atoi(arguments[4]) : 0);
    const auto begin = std::chrono::steady_clock::now();
    const int ended = bench.run(std::strtoull(arguments[2], nullptr, 10));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%c%c %llu %.0f\n", END, ended, static_cast<unsigned long long>(bench.cycles),
                bench.cycles / seconds.count());
    return 0;
}
