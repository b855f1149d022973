// SPDX-License-Identifier: Apache-2.0
// Value change dump (IEEE 1364), with texts as variables of the type `string`.

#pragma once

#include "sink.h"

namespace waves {

class Vcd : public Sink {
    static std::string code(uint32_t handle) {
        std::string name;
        for (++handle; handle; handle = (handle - 1) / 94) name += char('!' + (handle - 1) % 94);
        return name;
    }

public:
    explicit Vcd(const std::string &path) {
        m_file.open(path);
        m_file.write("$version xymac $end\n$timescale 1 ps $end\n");
    }

    void scope(const std::string &name) override { m_file.write("$scope module " + name + " $end\n"); }

    void up() override { m_file.write("$upscope $end\n"); }

    void declare(const std::string &name, uint32_t width, uint32_t handle) override {
        std::string line = width ? "$var wire " + std::to_string(width) : "$var string 1";
        line += " " + code(handle) + " " + name;
        if (width > 1) line += " [" + std::to_string(width - 1) + ":0]";
        m_file.write(line + " $end\n");
    }

    void begin() override { m_file.write("$enddefinitions $end\n"); }

    void time(uint64_t now) override { m_file.write("#" + std::to_string(now) + "\n"); }

    void bits(uint32_t handle, const char *value, uint32_t width) override {
        if (width > 1) m_file.write("b", 1);
        m_file.write(value, width);
        m_file.write((width > 1 ? " " : "") + code(handle) + "\n");
    }

    void text(uint32_t handle, const std::string &value) override {
        m_file.write("s" + value + " " + code(handle) + "\n");
    }
};

}  // namespace waves
