// SPDX-License-Identifier: Apache-2.0
// Turns the value change dump of Verilator into a waveform file with the names that waves.py chose.
//
// A plan says what becomes of each code of the dump, a line for each item:
//   scope NAME | up
//   table COUNT, then COUNT lines VALUE TEXT     texts of an enumeration; numbered from 0
//   bits CODE WIDTH NAME                         the signal as it is
//   text CODE TABLE NAME                         the signal as a text of a table
//   clock NAME                                   high in the first half of each cycle; the first is needed
//   pass KIND NAME                               text of the pass that issues, see `label`
//   watch BUSY STATE LIVE SLOT INDEX...          codes that tell this pass
// CODE is that of the dump, `-` for none.

#pragma once

#include <memory>
#include <sstream>
#include <unordered_map>
#include <vector>

#if XYMAC_FST
#include "fst.h"
#endif
#include "vcd.h"

namespace waves {

class Waves : public VerilatedVcdFile {
    struct Text {
        uint32_t handle;
        size_t table;
    };
    struct Code {
        int64_t handle = -1;
        std::vector<Text> texts;
        uint32_t width = 0;
        bool watched = false;
        uint64_t value = 0;
    };
    struct Label {
        uint32_t handle;
        std::string shown;
    };

    std::unique_ptr<Sink> m_sink;
    std::string m_header, m_rest;
    std::vector<Code> m_codes;  // by `number`
    std::vector<std::unordered_map<uint64_t, std::string>> m_tables;
    std::unordered_map<std::string, Label> m_labels;
    std::unordered_map<std::string, std::vector<std::string>> m_passes;  // text of a pass by kind
    std::vector<size_t> m_watch;
    uint64_t m_busy = 0, m_period = 0, m_now = 0;
    uint64_t m_next = 0, m_reached = 0;  // cycle whose clock is to write, and after the last one
    uint32_t m_handles = 0;
    int64_t m_clock = -1;
    bool m_declared = false, m_open = false;

    Code &code(const std::string &name) {
        const size_t place = number(name.data(), name.data() + name.size());
        if (place >= m_codes.size()) m_codes.resize(place + 1);
        return m_codes[place];
    }

    uint32_t declare(const std::string &name, uint32_t width) {
        m_sink->declare(name, width, m_handles);
        return m_handles++;
    }

    void read_table(std::istream &lines, size_t count) {
        auto &table = m_tables.emplace_back();
        uint64_t value;
        std::string text;
        while (count-- && lines >> value >> text) table[value] = text;
    }

    void read_bits(std::istream &lines) {
        std::string name, shown;
        uint32_t width;
        lines >> name >> width >> shown;
        Code &found = code(name);
        found.width = width;
        if (found.handle < 0) found.handle = declare(shown, width);
        else m_sink->declare(shown, width, found.handle);
    }

    void read_text(std::istream &lines) {
        std::string name, shown;
        size_t table;
        lines >> name >> table >> shown;
        Code &found = code(name);
        for (const Text &text : found.texts)
            if (text.table == table) return m_sink->declare(shown, 0, text.handle);
        found.texts.push_back({declare(shown, 0), table});
    }

    void read_clock(const std::string &name) {
        if (m_clock < 0) m_clock = declare(name, 1);
        else m_sink->declare(name, 1, m_clock);
    }

    void read_watch(std::istream &lines) {
        std::string rest, name;
        lines >> m_busy;
        std::getline(lines, rest);
        for (std::istringstream names(rest); names >> name;) {
            code(name).watched = true;
            m_watch.push_back(number(name.data(), name.data() + name.size()));
        }
    }

    void read_plan(std::istream &lines) {
        std::string item, kind, name;
        while (lines >> item) {
            size_t count = 0;
            if (item == "scope") lines >> name, m_sink->scope(name);
            else if (item == "up") m_sink->up();
            else if (item == "table") lines >> count, read_table(lines, count);
            else if (item == "bits") read_bits(lines);
            else if (item == "text") read_text(lines);
            else if (item == "clock") lines >> name, read_clock(name);
            else if (item == "pass") lines >> kind >> name, m_labels[kind] = {declare(name, 0), ""};
            else if (item == "watch") read_watch(lines);
        }
    }

    // Number of the pass that issues, negative if there is none.
    int64_t pass() const {
        if (m_watch.size() < 4) return -1;
        const auto value = [this](size_t place) { return m_codes[m_watch[place]].value; };
        const uint64_t slot = value(2);
        if (value(0) != m_busy || !(value(1) >> slot & 1) || 3 + slot >= m_watch.size()) return -1;
        return value(3 + slot);
    }

    std::string text_of(const std::string &kind, int64_t pass) const {
        if (pass < 0) return "-";
        if (kind == "pass") return std::to_string(pass);
        const auto found = m_passes.find(kind);
        if (found == m_passes.end() || size_t(pass) >= found->second.size()) return "-";
        return found->second[pass];
    }

    // End the cycle whose values were read last.
    void finish() {
        if (!m_open) return;
        m_open = false;
        const int64_t now = pass();
        for (auto &[kind, label] : m_labels) {
            const std::string text = text_of(kind, now);
            if (text != label.shown) m_sink->text(label.handle, label.shown = text);
        }
        fall();
    }

    void rise(uint64_t cycle) {
        m_sink->time(cycle * m_period);
        m_sink->bits(m_clock, "1", 1);
        m_now = cycle;
        m_next = cycle + 1;
    }

    void fall() {
        m_sink->time(m_now * m_period + m_period / 2);
        m_sink->bits(m_clock, "0", 1);
    }

    // Write the clock up to a cycle; Verilator leaves out the cycles in which nothing changes.
    void tick(uint64_t end) {
        while (m_next < end) rise(m_next), fall();
    }

    void begin(uint64_t cycle) {
        finish();
        if (m_next) tick(cycle);
        rise(cycle);
        m_open = true;
    }

    void change(const char *value, const char *end, const char *name, const char *last) {
        const size_t place = number(name, last);
        if (place >= m_codes.size()) return;
        Code &found = m_codes[place];
        if (found.handle >= 0) m_sink->bits(found.handle, value, end - value);
        if (!found.watched && found.texts.empty()) return;
        found.value = 0;
        for (const char *bit = value; bit != end; ++bit) found.value = found.value * 2 + (*bit == '1');
        for (const Text &text : found.texts) {
            const auto &table = m_tables[text.table];
            const auto known = table.find(found.value);
            m_sink->text(text.handle,
                         known == table.end() ? std::to_string(found.value) : known->second);
        }
    }

    void read_line(const char *first, const char *last) {
        if (first == last) return;
        if (*first == '#') return begin(std::strtoull(first + 1, nullptr, 10));
        if (*first == '0' || *first == '1') return change(first, first + 1, first + 1, last);
        if (*first != 'b') return;
        const char *space = static_cast<const char *>(std::memchr(first, ' ', last - first));
        if (space != nullptr) change(first + 1, space, space + 1, last);
    }

public:
    bool open(const std::string &) override { return true; }

    void close() override {}

    // Declarations of the dump.
    const char *header() const { return m_header.c_str(); }

    // Write to `path` as the plan says, `period` picoseconds a cycle; false for an unknown format.
    bool declare(const char *path, const char *format, uint64_t period, const char *plan) {
#if XYMAC_FST
        if (!std::strcmp(format, "fst")) m_sink = std::make_unique<Fst>(path);
#endif
        if (!std::strcmp(format, "vcd")) m_sink = std::make_unique<Vcd>(path);
        if (!m_sink) return false;
        m_period = period;
        std::istringstream lines(plan);
        read_plan(lines);
        m_sink->begin();
        m_declared = true;
        return true;
    }

    // Name the passes from now on: `texts` holds one of this kind for each pass, in lines.
    void label(const char *kind, const char *texts) {
        finish();
        auto &passes = m_passes[kind];
        passes.clear();
        std::istringstream lines(texts);
        for (std::string line; std::getline(lines, line);) passes.push_back(line);
    }

    // Note that the values of a cycle are written next.
    void reach(uint64_t cycle) { m_reached = cycle + 1; }

    // What went wrong when the file was written, 0 if nothing.
    int error() const { return m_sink ? m_sink->error() : 0; }

    int end() {
        if (!m_sink) return 0;
        finish();
        tick(m_reached);
        m_sink->close();
        return error();
    }

    ssize_t write(const char *data, ssize_t size) override {
        if (!m_declared) return m_header.append(data, size), size;
        take_lines(m_rest, data, size,
                   [this](const char *first, const char *last) { read_line(first, last); });
        return size;
    }
};

}  // namespace waves
