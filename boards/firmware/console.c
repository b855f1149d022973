/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <generated/csr.h>

#define END '\4'

void put_byte(char byte)
{
    while (uart_txfull_read())
        ;
    uart_rxtx_write((uint8_t)byte);
}

void put_text(const char *text)
{
    while (*text)
        put_byte(*text++);
}

/* At least `width` digits. */
static void put_digits(uint64_t number, unsigned width)
{
    char digits[20];
    unsigned count = 0;

    while (number || count < width) {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    }
    while (count)
        put_byte(digits[--count]);
}

void put_number(uint64_t number)
{
    put_digits(number, 1);
}

void put_thousandths(uint64_t number)
{
    put_digits(number / 1000, 1);
    put_byte('.');
    put_digits(number % 1000, 3);
}

void put_end(int has_failed)
{
    put_byte(END);
    put_byte(has_failed ? '1' : '0');
}
