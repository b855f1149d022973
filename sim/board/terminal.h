// SPDX-License-Identifier: Apache-2.0
// A pseudo-terminal, for a program that opens the board's serial port.

#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

// The master's end of a pseudo-terminal; closing it is pulling the cable.
class Terminal {
public:
    void open_one() {
        master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
        if (master < 0 || grantpt(master) || unlockpt(master)) fail("no pseudo-terminal");
        name = ptsname(master);
        // Kept open, so that it stays as it is when a program closes its end.
        slave = open(name.c_str(), O_RDWR | O_NOCTTY);
        termios settings;
        if (slave < 0 || tcgetattr(slave, &settings)) fail("no pseudo-terminal");
        cfmakeraw(&settings);
        if (tcsetattr(slave, TCSANOW, &settings)) fail("no raw mode");
    }

    std::string name = "none";

    int file() const { return master; }

    // Take bytes that have come, if there are none: a few, the rest waits in the terminal.
    void receive(std::deque<uint8_t> &bytes) {
        uint8_t some[16];
        if (master < 0 || !bytes.empty()) return;
        const ssize_t count = read(master, some, sizeof some);
        if (count > 0) bytes.insert(bytes.end(), some, some + count);
    }

    // Hand over what the terminal takes.
    void send(std::deque<uint8_t> &bytes) {
        while (!bytes.empty()) {
            if (master < 0) return bytes.clear();
            if (write(master, &bytes.front(), 1) != 1) return;
            bytes.pop_front();
        }
    }

    void pull() {
        if (master < 0) return;
        close(slave);
        close(master);
        master = -1;
    }

    [[noreturn]] static void fail(const char *what) {
        std::perror(what);
        std::exit(1);
    }

private:
    int master = -1, slave = -1;
};
