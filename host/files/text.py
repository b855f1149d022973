"""Text from files as people may read it."""

__all__ = ["plain"]


def plain(text, keep=""):
    """``text`` in one line, with escapes like ``\\x1b`` in place of characters that do not print.

    Control characters, line ends and marks of direction in a name could end a comment, begin a line
    or move the cursor of a terminal. Characters in ``keep`` stay.
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep
                   else char.encode("unicode_escape", "surrogatepass").decode("ascii")
                   for char in text)
