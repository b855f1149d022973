// SPDX-License-Identifier: Apache-2.0
// FST of a cocotb bench. Cocotb's main program includes this file in place of Verilator's writer,
// which needs the headers of lz4; it turns Verilator's value change dump into a file as it comes.

#pragma once

#include <cstdlib>
#include <memory>
#include <sstream>

#include "fst.h"
#include "verilated_vcd_c.h"

namespace waves {

// All signals of the dump under their names; times are picoseconds.
class Dump : public VerilatedVcdFile {
    struct Code {
        int64_t handle = -1;
        uint32_t width = 0;
    };

    std::string m_path, m_rest;
    std::unique_ptr<Fst> m_sink;
    std::vector<Code> m_codes;  // by `number`
    uint32_t m_handles = 0;
    bool m_declared = false;

    void declare(const std::string &line) {
        std::istringstream words(line);
        std::string item, kind, code, name;
        words >> item >> kind;
        if (item == "$scope") return words >> name, m_sink->scope(name);
        if (item == "$upscope") return m_sink->up();
        if (item == "$enddefinitions") return m_declared = true, m_sink->begin();
        uint32_t width = 0;
        if (item != "$var" || !(words >> width >> code >> name)) return;
        const size_t place = number(code.data(), code.data() + code.size());
        if (place >= m_codes.size()) m_codes.resize(place + 1);
        Code &found = m_codes[place];
        const bool fresh = found.handle < 0;
        if (fresh) found = {m_handles++, width};
        m_sink->declare(name, found.width, found.handle);
    }

    void change(const char *value, const char *end, const char *name, const char *last) {
        const size_t place = number(name, last);
        if (place >= m_codes.size()) return;
        const Code &found = m_codes[place];
        if (found.handle >= 0 && end - value == found.width)
            m_sink->bits(found.handle, value, found.width);
    }

    void read_line(const char *first, const char *last) {
        if (first == last) return;
        if (!m_declared) return declare(std::string(first, last));
        if (*first == '#') return m_sink->time(std::strtoull(first + 1, nullptr, 10));
        if (*first == '0' || *first == '1') return change(first, first + 1, first + 1, last);
        if (*first != 'b') return;
        const char *space = static_cast<const char *>(std::memchr(first, ' ', last - first));
        if (space != nullptr) change(first + 1, space, space + 1, last);
    }

public:
    bool open(const std::string &path) override {
        m_path = path;
        m_sink = std::make_unique<Fst>(path);
        return m_sink->error() == 0;
    }

    // Complete the file; an error leaves none, and a line in the log.
    void close() override {
        if (!m_sink) return;
        m_sink->close();
        if (m_sink->error()) {
            std::fprintf(stderr, "Error: %s: %s\n", m_path.c_str(), std::strerror(m_sink->error()));
            std::remove(m_path.c_str());
        }
        m_sink.reset();
    }

    ssize_t write(const char *data, ssize_t size) override {
        take_lines(m_rest, data, size,
                   [this](const char *first, const char *last) { read_line(first, last); });
        return size;
    }
};

}  // namespace waves

class VerilatedFstC : public VerilatedVcdC {
    waves::Dump m_dump;

public:
    VerilatedFstC() : VerilatedVcdC(&m_dump) {}
};
