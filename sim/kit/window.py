# SPDX-License-Identifier: Apache-2.0
"""A VCD file's part from a time on."""

from contextlib import suppress

__all__ = ["cut_before"]


def cut_before(dump, target, begin, comment):
    """Write the VCD file ``dump`` from the time ``begin`` on, in its time steps, to ``target``.

    The new file begins with all values at that time, and with a comment. ``dump`` may end in
    mid-line, as after a broken simulation.

    Parameters
    ----------
    dump, target : text files, for reading and for writing
    begin : int >= 0
    comment : str
    """
    target.write(f"$comment {comment.replace('$', ' ')} $end\n")
    for line in dump:
        target.write(line)
        if line.startswith("$enddefinitions"):
            break
    values, now = {}, 0
    for line in dump:
        if line.startswith("#"):
            with suppress(ValueError):  # a line that broke off
                now = int(line[1:])
            if now >= begin:
                _write_rest(dump, target, values, line)
                return
        elif line.strip() and not line.startswith("$"):
            values[_code(line)] = line
    _write_rest(dump, target, values, f"#{begin}\n")


def _code(line):
    """Identifier of the signal on a value line."""
    return line.split()[-1] if line[0] in "bBrR" else line[1:].strip()


def _write_rest(dump, target, values, time):
    """Write all values at a time, then the lines behind it, but no incomplete line."""
    target.write(time)
    target.writelines(values.values())
    target.writelines(line for line in dump if line.endswith("\n"))
