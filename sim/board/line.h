// SPDX-License-Identifier: Apache-2.0
// A serial line, a level a cycle: what puts bytes on it, what takes them off, and what goes wrong.

#pragma once

#include <cstdint>
#include <random>
#include <vector>

enum Fault { FLIP, NOISE, DROP, REPEAT, INSERT, FAULTS };
const char *const NAMES[FAULTS] = {"flip", "noise", "drop", "repeat", "insert"};
constexpr int BITS = 10;  // of a byte on the line

// What goes wrong in one direction of the line: now and then a fault, its place in its byte random.
class Faults {
public:
    explicit Faults(uint64_t divisor) : divisor(divisor) {}

    uint64_t counts[FAULTS] = {};

    // One fault every `every` bytes on average, of the kinds in `mask`; 0: none.
    void set(uint64_t seed, double every, unsigned mask) {
        random.seed(seed);
        mean = mask ? every : 0;
        kinds.clear();
        for (int kind = 0; kind < FAULTS; ++kind) {
            if (mask >> kind & 1) kinds.push_back(kind);
        }
        gap = draw();
    }

    // Called for every byte; returns the fault that meets it, or FAULTS.
    int next() {
        if (mean == 0 || gap-- > 0) return FAULTS;
        gap = draw();
        const int kind = kinds[below(kinds.size())];
        ++counts[kind];
        if (kind == FLIP || kind == NOISE) {
            wait = below(BITS * divisor);
            left = kind == FLIP ? divisor : 1 + below(2 * BITS * divisor);
            spans = kind == NOISE;
            inverted = true;
            span = 1 + below(divisor);
        }
        return kind;
    }

    // The level that arrives for `level`; called every cycle.
    bool carry(bool level) {
        if (left == 0) return level;
        if (wait > 0) {
            --wait;
            return level;
        }
        --left;
        if (spans && --span == 0) {
            inverted = !inverted;
            span = 1 + below(2 * divisor);
        }
        return level ^ inverted;
    }

    uint64_t below(uint64_t limit) { return random() % limit; }

private:
    const uint64_t divisor;
    std::mt19937_64 random;
    std::vector<int> kinds;
    double mean = 0;
    int64_t gap = 0;
    uint64_t wait = 0, left = 0, span = 0;
    bool spans = false, inverted = false;

    int64_t draw() { return mean ? std::geometric_distribution<int64_t>(1 / mean)(random) : 0; }
};

// Puts bytes on a line, one level a cycle.
class Sender {
public:
    explicit Sender(uint64_t divisor) : divisor(divisor) {}

    bool busy() const { return bits > 0; }

    void send(uint8_t byte) {
        levels = 1u << 9 | byte << 1;
        bits = BITS;
        timer = divisor;
    }

    bool level() {
        if (bits == 0) return true;
        const bool now = levels & 1;
        if (--timer == 0) {
            levels >>= 1;
            --bits;
            timer = divisor;
        }
        return now;
    }

private:
    const uint64_t divisor;
    unsigned levels = 0, bits = 0;
    uint64_t timer = 0;
};

// Takes bytes off a line as a serial adapter does, each bit in its middle. A byte with a low stop
// bit is 0: so Linux reads it.
class Receiver {
public:
    explicit Receiver(uint64_t divisor) : divisor(divisor) {}

    bool busy() const { return state != IDLE; }

    // Returns a byte that ends in this cycle, or -1.
    int take(bool level) {
        if (state == IDLE) {
            if (!level) {
                state = START;
                timer = divisor / 2;
            }
            return -1;
        }
        if (state == HIGH) {
            if (level) state = IDLE;
            return -1;
        }
        if (--timer > 0) return -1;
        timer = divisor;
        if (state == START) {
            state = level ? IDLE : 1;
            return -1;
        }
        if (state <= 8) {
            byte = byte >> 1 | level << 7;
            ++state;
            return -1;
        }
        state = level ? IDLE : HIGH;
        return level ? byte : 0;
    }

private:
    // Between START and HIGH: the bit that is due, the stop bit is 9.
    enum { IDLE = -1, START = 0, HIGH = 10 };
    const uint64_t divisor;
    int state = IDLE;
    uint8_t byte = 0;
    uint64_t timer = 0;
};
