// SPDX-License-Identifier: Apache-2.0
// An external memory behind an AXI4 master port, with the timing of an SDRAM: one access after
// another, an open row, refresh. Data move at most `width` bits a cycle, whatever the port has.

#pragma once
#include <cstdint>
#include <cstring>
#include <deque>

struct AxiMemory {
    static constexpr size_t BUFFER = 16;  // beats that a read may be ahead of the core
    struct Timing {
        uint64_t width, latency, miss, row, refresh_every, refresh, outstanding;
    };
    struct Read {
        uint64_t address, left, size, ready;  // next beat, beats, bytes a beat, first cycle
        uint32_t id;
    };
    struct Write {
        uint64_t address, left, size;
        uint32_t id;
        bool failed;
    };
    struct Answer {
        uint64_t ready;
        uint32_t id;
        bool failed;
    };
    struct Beat {
        bool last = false;
        uint32_t id = 0, response = 0;
        uint8_t data[16] = {};
    };

    Timing timing{16, 12, 6, 1024, 780, 8, 8};
    uint8_t *data = nullptr;
    uint64_t base = 0, bytes = 0;          // the memory: addresses from `base` on
    uint64_t bad = 0, bad_end = 0, code = 2;  // addresses that answer with an error, and its code
    uint64_t now = 0, free = 0, open = ~0ull;  // cycle; data path free from; open row
    uint64_t read_bytes = 0, written_bytes = 0, busy = 0;
    std::deque<Read> reads;
    std::deque<Write> writes;
    std::deque<Answer> answers;
    std::deque<Beat> beats;                // read, and not taken
    const char *offence = nullptr;

    bool fails(uint64_t address, uint64_t size) const {
        return address < base || address + size > base + bytes
            || (address < bad_end && address + size > bad);
    }

    // Take the data path for an access of `size` bytes from cycle `from` on; returns its end.
    uint64_t take(uint64_t from, uint64_t address, uint64_t size) {
        uint64_t start = from > free ? from : free;
        if (timing.refresh_every && start / timing.refresh_every != free / timing.refresh_every) {
            start += timing.refresh;
            open = ~0ull;
        }
        if (address / timing.row != open) start += timing.miss;
        open = address / timing.row;
        const uint64_t cycles = (8 * size + timing.width - 1) / timing.width;
        busy += cycles;
        return free = start + cycles;
    }

    bool takes_address() const { return reads.size() < timing.outstanding; }
    bool takes_write() const { return writes.size() < timing.outstanding; }
    bool takes_data() const { return !writes.empty() && free <= now; }

    void add_read(uint64_t address, uint64_t beats, uint64_t size, uint32_t id) {
        if ((address % 4096) + beats * size > 4096 + address % size)
            offence = "a burst across a boundary of 4 KiB";
        reads.push_back({address, beats, size, now + timing.latency, id});
    }

    void add_write(uint64_t address, uint64_t beats, uint64_t size, uint32_t id) {
        if ((address % 4096) + beats * size > 4096 + address % size)
            offence = "a burst across a boundary of 4 KiB";
        writes.push_back({address, beats, size, id, false});
    }

    void add_data(const uint8_t *from, uint32_t strobes, bool last, unsigned lanes) {
        Write &write = writes.front();
        const uint64_t start = write.address / lanes * lanes;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if (!(strobes >> lane & 1)) continue;
            if (fails(start + lane, 1)) write.failed = true;
            else data[start + lane - base] = from[lane], ++written_bytes;
        }
        if (last != (write.left == 1)) offence = "a last beat that is not the last";
        take(now, write.address, write.size);
        write.address = write.address / write.size * write.size + write.size;
        if (--write.left == 0) {
            answers.push_back({free + timing.latency / 2, write.id, write.failed});
            writes.pop_front();
        }
    }

    // Serve reads into a queue of beats; the front of the queue is on the port.
    void serve(unsigned lanes) {
        if (serving && now >= end) {
            serving = false;
            Read &read = reads.front();
            const uint64_t start = read.address / lanes * lanes;
            Beat beat;
            beat.id = read.id, beat.last = read.left == 1;
            beat.response = fails(read.address, 1) ? code : 0;
            for (unsigned lane = 0; lane < lanes; ++lane)
                beat.data[lane] = fails(start + lane, 1) ? 0 : data[start + lane - base];
            beats.push_back(beat);
            read_bytes += read.size;
            read.address = read.address / read.size * read.size + read.size;
            if (--read.left == 0) reads.pop_front();
        }
        if (!serving && !reads.empty() && reads.front().ready <= now && beats.size() < BUFFER) {
            serving = true;
            end = take(now, reads.front().address, reads.front().size);
        }
    }

    bool serving = false;
    uint64_t end = 0;
};
