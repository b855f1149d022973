// SPDX-License-Identifier: Apache-2.0
// A simulated board behind a pseudo-terminal: bytes become levels of its pads, and back.
//
// The argument is the number of cycles a bit. The first line on stdout is the name of the terminal,
// and the cycles a second. Lines on stdin are commands, see `Bench::obey`; the process ends with stdin.
// With a second argument there is no terminal: commands bring bytes and time.

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>

#include "Vtop.h"
#include "line.h"
#include "terminal.h"
#include "verilated.h"

namespace {

// Something that happens once, after a number of bytes to the board or of cycles with the lamp on.
struct Event {
    enum { NEVER, BYTES, RUNNING } after = NEVER;
    uint64_t left = 0;

    bool happens(bool byte, bool running) {
        if (after == NEVER) return false;
        if (left > 0) left -= after == BYTES ? byte : running;
        if (left > 0) return false;
        after = NEVER;
        return true;
    }
};

class Bench {
public:
    Bench(uint64_t divisor, bool stepped)
        : divisor(divisor), there(divisor), back(divisor), sender(divisor), receiver(divisor),
          stepped(stepped) {
        top.crystal = 0;
        top.rx = 1;
        top.reset = 0;
        top.eval();
        if (!stepped) terminal.open_one();
    }

    // Tell the terminal's name and the cycles a second, and simulate until stdin ends.
    void run() {
        const auto begin = std::chrono::steady_clock::now();
        while (!still()) {
            step();
            terminal.send(coming);
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        std::printf("%s %.0f\n", terminal.name.c_str(), cycles / seconds.count());
        std::fflush(stdout);
        for (int round = 0; listening; ++round) {
            if (stepped) {
                hear(-1);
                continue;
            }
            if (still()) hear(-1);
            if (round % ROUNDS == 0) hear(0);
            terminal.receive(going);
            for (uint64_t cycle = 0; cycle < (BITS - 1) * divisor; ++cycle) step();
            terminal.send(coming);
        }
        top.final();
    }

private:
    static constexpr uint64_t QUIET = 30'000;    // cycles after which the board may stand still
    static constexpr uint64_t PRESSED = 300;     // cycles
    static constexpr int ROUNDS = 20;            // looks at the terminal for one at stdin

    const uint64_t divisor;
    VerilatedContext context;
    Vtop top{&context, ""};
    Terminal terminal;
    Faults there, back;
    Sender sender;
    Receiver receiver;
    std::deque<uint8_t> going, coming;
    const bool stepped;
    Event press, pull;
    std::string line;
    uint64_t cycles = 0, sent = 0, received = 0, began = 0, ended = 0, active = 0, pressed = 0;
    bool fresh = true, listening = true;

    // Nothing moves that anybody waits for.
    bool still() const { return going.empty() && coming.empty() && cycles - active > QUIET; }

    void step() {
        const bool byte = !sender.busy() && next_byte();
        top.rx = there.carry(sender.level());
        top.reset = pressed > 0;
        pressed -= pressed > 0;
        top.crystal = 1;
        top.eval();
        top.crystal = 0;
        top.eval();
        ++cycles;
        const int answer = receiver.take(back.carry(top.tx));
        if (answer >= 0) take(answer);
        if (sender.busy() || receiver.busy() || top.run || pressed) active = cycles;
        if (press.happens(byte, top.run)) pressed = PRESSED;
        if (pull.happens(byte, top.run)) terminal.pull();
    }

    // Begin the next byte to the board; returns whether there is one.
    bool next_byte() {
        if (going.empty()) return false;
        const uint8_t byte = going.front();
        switch (there.next()) {
        case DROP: going.pop_front(); return true;
        case REPEAT: sender.send(byte); break;
        case INSERT: sender.send(there.below(256)); break;
        default: sender.send(byte); going.pop_front();
        }
        ++sent;
        if (fresh) began = cycles;
        fresh = false;
        return true;
    }

    // A byte has come from the board.
    void take(uint8_t byte) {
        ++received;
        ended = cycles;
        switch (back.next()) {
        case DROP: return;
        case REPEAT: coming.push_back(byte); break;
        case INSERT: coming.push_back(back.below(256)); break;
        }
        coming.push_back(byte);
    }

    // Wait for something to do, at most `timeout` ms or for ever, and take commands.
    void hear(int timeout) {
        pollfd files[] = {{0, POLLIN, 0}, {terminal.file(), POLLIN, 0}};
        if (poll(files, 2, timeout) < 0 && errno != EINTR) Terminal::fail("poll");
        if (!files[0].revents) return;
        char some[256];
        const ssize_t count = read(0, some, sizeof some);
        if (count <= 0) listening = false;
        for (ssize_t at = 0; at < count; ++at) {
            if (some[at] != '\n') {
                line += some[at];
                continue;
            }
            obey(line);
            line.clear();
        }
    }

    // faults there|back SEED EVERY MASK: from now on; MASK names kinds, 1 << their place
    // press|pull bytes|running COUNT: the reset button, or the cable
    // report: one line of names and numbers; a new measurement begins
    // send HEX: bytes to the board; advance COUNT: simulate until a zero byte comes from it, but not
    // longer than COUNT cycles, and give all bytes that have come, behind the number of the cycle
    void obey(const std::string &text) {
        std::istringstream words(text);
        std::string what, where;
        words >> what;
        if (what == "faults") {
            uint64_t seed;
            double every;
            unsigned mask;
            words >> where >> seed >> every >> mask;
            (where == "there" ? there : back).set(seed, every, mask);
        } else if (what == "press" || what == "pull") {
            Event &event = what == "press" ? press : pull;
            words >> where >> event.left;
            event.after = where == "bytes" ? Event::BYTES : Event::RUNNING;
        } else if (what == "report") {
            report();
        } else if (what == "send") {
            std::string digits;
            words >> digits;
            for (size_t at = 0; at + 1 < digits.size(); at += 2) {
                going.push_back(std::stoi(digits.substr(at, 2), nullptr, 16));
            }
        } else if (what == "advance") {
            uint64_t count;
            words >> count;
            advance(count);
        }
    }

    void advance(uint64_t count) {
        while (count-- > 0 && (coming.empty() || coming.back() != 0)) step();
        std::printf("%llu ", static_cast<unsigned long long>(cycles));
        for (const uint8_t byte : coming) std::printf("%02x", byte);
        std::puts("");
        std::fflush(stdout);
        coming.clear();
    }

    void report() {
        std::ostringstream out;
        out << "cycles=" << cycles << " sent=" << sent << " received=" << received
            << " began=" << began << " ended=" << ended << " run=" << int(top.run)
            << " fault=" << int(top.fault);
        for (int kind = 0; kind < FAULTS; ++kind) {
            out << " there_" << NAMES[kind] << "=" << there.counts[kind];
            out << " back_" << NAMES[kind] << "=" << back.counts[kind];
        }
        std::puts(out.str().c_str());
        std::fflush(stdout);
        fresh = true;
    }
};

}  // namespace

int main(int count, char **arguments) {
    if (count != 2 && count != 3) return 2;
    std::signal(SIGINT, SIG_IGN);  // For whoever started this to obey.
    Bench(std::strtoull(arguments[1], nullptr, 10), count == 3).run();
    return 0;
}
