// SPDX-License-Identifier: Apache-2.0
// Fast signal trace, the format of GTKWave, with texts as variables of the type `string`. Numbers
// are big-endian; a varint has 7 bits a byte, the lowest first.

#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <vector>

#include "sink.h"

namespace waves {

class Fst : public Sink {
    using Bytes = std::string;
    enum Block : char { HEADER = 0, GEOMETRY = 3, HIERARCHY = 4, CHANGES = 8 };
    static constexpr size_t HEADER_BYTES = 321, BLOCK_BYTES = 64 << 20;

    struct Signal {
        uint32_t width = 0;
        size_t place = 0;   // in `m_values`
        size_t last = 0;    // index of the time of its last change in this block
        Bytes changes;
    };

    std::vector<Signal> m_signals;
    std::vector<uint64_t> m_times;  // of this block
    Bytes m_hierarchy, m_geometry;
    Bytes m_values, m_frame;  // values of all bits now, and when this block began
    uint64_t m_scopes = 0, m_variables = 0, m_blocks = 0, m_start = 0, m_end = 0;
    size_t m_bytes = 0;  // of the changes in this block
    bool m_started = false;

    static void varint(Bytes &out, uint64_t value) {
        for (; value >= 0x80; value >>= 7) out += char(value | 0x80);
        out += char(value);
    }

    static void signed_varint(Bytes &out, int64_t value) {
        for (;; value >>= 7) {
            const bool ends = value >= -0x40 && value < 0x40;
            out += char((value & 0x7F) | (ends ? 0 : 0x80));
            if (ends) return;
        }
    }

    static void number(Bytes &out, uint64_t value) {
        for (int shift = 56; shift >= 0; shift -= 8) out += char(value >> shift);
    }

    // Deflate, with the header of gzip or zlib.
    static Bytes deflated(const Bytes &data, bool gzip = false) {
        z_stream stream{};
        deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip ? 31 : 15, 8,
                     Z_DEFAULT_STRATEGY);
        Bytes packed(deflateBound(&stream, data.size()) + 32, '\0');
        stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
        stream.avail_in = data.size();
        stream.next_out = reinterpret_cast<Bytef *>(packed.data());
        stream.avail_out = packed.size();
        deflate(&stream, Z_FINISH);
        packed.resize(stream.total_out);
        deflateEnd(&stream);
        return packed;
    }

    // The shorter of the data and its deflated form, which a reader tells apart by their lengths.
    static Bytes shorter(const Bytes &data) {
        Bytes packed = deflated(data);
        return packed.size() < data.size() ? packed : data;
    }

    void block(Block kind, const Bytes &content) {
        Bytes head(1, kind);
        number(head, content.size() + 8);
        m_file.write(head);
        m_file.write(content);
    }

    void write_header() {
        Bytes out;
        number(out, m_start);
        number(out, m_end);
        const double order = 2.7182818284590452354;  // tells a reader the order of bytes here
        out.append(reinterpret_cast<const char *>(&order), sizeof order);
        for (uint64_t value : {uint64_t(BLOCK_BYTES), m_scopes, m_variables,
                               uint64_t(m_signals.size()), m_blocks})
            number(out, value);
        out += char(-12);  // picoseconds
        const std::time_t now = std::time(nullptr);
        for (auto [text, size] : {std::pair<Bytes, size_t>{"xymac", 128},
                                  {std::asctime(std::localtime(&now)), 26}, {"", 93}}) {
            text.resize(size);
            out += text;
        }
        out += '\0';  // written by a Verilog simulator
        number(out, 0);
        m_file.seek(0);
        block(HEADER, out);
        m_file.seek(-1);
    }

    void change(Signal &signal, uint64_t value, int shift) {
        const size_t now = m_times.size() - 1;
        const size_t before = signal.changes.size();
        varint(signal.changes, (now - signal.last) << shift | value);
        signal.last = now;
        m_bytes += signal.changes.size() - before;
    }

    // Where the changes of each signal lie: a distance, a reference to equal changes, or a number
    // of signals without any.
    Bytes write_waves(Bytes &out) {
        Bytes places;
        std::map<Bytes, int64_t> known;
        int64_t distance = 1, reference = 1;
        uint64_t empty = 0;
        for (size_t index = 0; index < m_signals.size(); ++index) {
            const Bytes &data = m_signals[index].changes;
            if (data.empty()) {
                ++empty;
                continue;
            }
            if (empty) varint(places, empty << 1), empty = 0;
            const auto [found, fresh] = known.emplace(data, index);
            if (!fresh) {
                const int64_t same = -(found->second + 1);
                signed_varint(places, same == reference ? 1 : same * 2 + 1);
                reference = same;
                continue;
            }
            const Bytes packed = data.size() > 32 ? shorter(data) : data;
            const size_t before = out.size();
            varint(out, packed.size() < data.size() ? data.size() : 0);
            out += packed;
            signed_varint(places, distance * 2 + 1);
            distance = out.size() - before;
        }
        if (empty) varint(places, empty << 1);
        return places;
    }

    void write_block() {
        if (m_times.empty()) return;
        Bytes out, times;
        number(out, m_times.front());
        number(out, m_times.back());
        number(out, m_bytes);
        const Bytes frame = shorter(m_frame);
        for (uint64_t value : {m_frame.size(), frame.size(), m_signals.size()}) varint(out, value);
        out += frame;
        varint(out, m_signals.size());
        out += 'Z';
        const Bytes places = write_waves(out);
        out += places;
        number(out, places.size());
        uint64_t before = 0;
        for (uint64_t time : m_times) varint(times, time - before), before = time;
        const Bytes packed = shorter(times);
        out += packed;
        for (uint64_t value : {times.size(), packed.size(), m_times.size()}) number(out, value);
        block(CHANGES, out);
        ++m_blocks;
        for (auto &signal : m_signals) signal.changes.clear(), signal.last = 0;
        m_times.clear();
        m_frame = m_values;
        m_bytes = 0;
    }

public:
    explicit Fst(const std::string &path) {
        m_file.open(path);
        m_file.write(Bytes(HEADER_BYTES + 9, '\0'));
    }

    ~Fst() override { close(); }

    void scope(const std::string &name) override {
        m_hierarchy += Bytes("\xFE\0", 2) + name + '\0' + '\0';
        ++m_scopes;
    }

    void up() override { m_hierarchy += '\xFF'; }

    void declare(const std::string &name, uint32_t width, uint32_t handle) override {
        const bool fresh = handle == m_signals.size();
        m_hierarchy += Bytes{char(width ? 16 : 21), 0} + name + '\0';  // wire or string
        varint(m_hierarchy, width);
        varint(m_hierarchy, fresh ? 0 : handle + 1);
        ++m_variables;
        if (!fresh) return;
        varint(m_geometry, width ? width : 0xFFFFFFFF);
        m_signals.push_back({width, m_values.size(), 0, {}});
        m_values.append(width, 'x');
    }

    void begin() override { m_frame = m_values; }

    void time(uint64_t now) override {
        if (m_bytes > BLOCK_BYTES) write_block();
        if (!m_started) m_start = now, m_started = true;
        m_end = now;
        m_times.push_back(now);
    }

    void bits(uint32_t handle, const char *value, uint32_t width) override {
        Signal &signal = m_signals[handle];
        std::memcpy(&m_values[signal.place], value, width);
        if (width == 1) return change(signal, (*value & 1) << 1, 2);
        change(signal, 0, 1);
        m_bytes += (width + 7) / 8;
        for (uint32_t first = 0; first < width; first += 8) {
            char byte = 0;
            for (uint32_t bit = first; bit < std::min(first + 8, width); ++bit)
                byte |= (value[bit] & 1) << (7 - (bit - first));
            signal.changes += byte;
        }
    }

    void text(uint32_t handle, const std::string &value) override {
        Signal &signal = m_signals[handle];
        change(signal, 0, 1);
        varint(signal.changes, value.size());
        signal.changes += value;
        m_bytes += value.size() + 1;
    }

    void close() override {
        if (m_hierarchy.empty()) return;
        write_block();
        Bytes geometry, hierarchy;
        number(geometry, m_geometry.size());
        number(geometry, m_signals.size());
        block(GEOMETRY, geometry + shorter(m_geometry));
        number(hierarchy, m_hierarchy.size());
        block(HIERARCHY, hierarchy + deflated(m_hierarchy, true));
        m_hierarchy.clear();
        write_header();
        m_file.close();
    }
};

}  // namespace waves
