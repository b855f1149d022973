// SPDX-License-Identifier: Apache-2.0
// A waveform file being written: declarations first, then values in the order of time.

#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>

namespace waves {

// Number of a code in a value change dump.
inline size_t number(const char *first, const char *last) {
    size_t value = 0;
    for (; first != last; ++first) value = value * 94 + (*first - '!' + 1);
    return value;
}

// Appends `data` to `rest` and removes the complete lines from it: `read(first, last)` for each.
template <class Read>
void take_lines(std::string &rest, const char *data, size_t size, Read read) {
    rest.append(data, size);
    size_t first = 0;
    for (size_t last; (last = rest.find('\n', first)) != rest.npos; first = last + 1)
        read(rest.data() + first, rest.data() + last);
    rest.erase(0, first);
}

// A file that keeps its first error; after it nothing more is written.
class File {
    FILE *m_file = nullptr;
    int m_error = 0;

public:
    ~File() { close(); }

    void open(const std::string &path) {
        m_file = std::fopen(path.c_str(), "wb");
        if (m_file == nullptr) m_error = errno;
    }

    void write(const void *data, size_t size) {
        if (m_error || size == 0) return;
        errno = 0;
        if (std::fwrite(data, 1, size, m_file) != size) m_error = errno ? errno : EIO;
    }

    void write(const std::string &text) { write(text.data(), text.size()); }

    uint64_t tell() const { return m_file == nullptr ? 0 : std::ftell(m_file); }

    // Continue at `place`; negative: at the end.
    void seek(long place) {
        if (m_error) return;
        if (std::fseek(m_file, place < 0 ? 0 : place, place < 0 ? SEEK_END : SEEK_SET)) m_error = errno;
    }

    void close() {
        if (m_file == nullptr) return;
        errno = 0;
        if (std::fclose(m_file) && !m_error) m_error = errno ? errno : EIO;
        m_file = nullptr;
    }

    int error() const { return m_error; }
};

// Variables have handles from 0 on; a variable of width 0 is a text.
class Sink {
protected:
    File m_file;

public:
    virtual ~Sink() = default;
    virtual void scope(const std::string &name) = 0;
    virtual void up() = 0;
    // Declare a variable; `handle` is the count of handles so far, or that of the same signal.
    virtual void declare(const std::string &name, uint32_t width, uint32_t handle) = 0;
    virtual void begin() {}
    virtual void time(uint64_t now) = 0;
    virtual void bits(uint32_t handle, const char *value, uint32_t width) = 0;
    virtual void text(uint32_t handle, const std::string &value) = 0;
    virtual void close() { m_file.close(); }
    int error() const { return m_file.error(); }
};

}  // namespace waves
