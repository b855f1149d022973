# SPDX-License-Identifier: Apache-2.0
"""Safe display of text from files."""

__all__ = ["plain"]


def plain(text, keep=""):
    r"""``text`` in a single line, with escapes like ``\x1b`` for unprintable characters.

    Control characters, line ends and direction marks in a name could end a comment, start a line or
    move the terminal's cursor. Characters in ``keep`` stay.
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep
                   else char.encode("unicode_escape", "surrogatepass").decode("ascii")
                   for char in text)
