// SPDX-License-Identifier: Apache-2.0
static int compare_@TYPE@(const char *name, const @TYPE@ *actual, const @TYPE@ *expected,
                          unsigned count)
{
    unsigned index;

    printf("%s:", name);
    for (index = 0; index < count; index++)
        printf(" @FORMAT@", (@CAST@)actual[index]);
    printf("\n");
    return memcmp(actual, expected, count * sizeof *actual) != 0;
}
