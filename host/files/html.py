# SPDX-License-Identifier: Apache-2.0
"""Tables in HTML for notebooks and pages; a text is escaped: a layer name is shown, not run."""

from html import escape
from itertools import zip_longest

from .text import plain

__all__ = ["SORT_SCRIPT", "SORT_STYLE", "html_table", "html_text"]

_MOST = 200  #: Rows of a table.
#: Style of the buttons that ``SORT_SCRIPT`` makes of heads.
SORT_STYLE = "th button { all: unset; cursor: pointer; text-decoration: underline dotted }\n"
#: Sorts a page's tables of the class ``sortable`` by the column of a clicked head; cells of the
#: class ``number`` are sorted as numbers.
SORT_SCRIPT = """
const value = (row, at) => {
  const cell = row.cells[at];
  return cell.matches(".number") ? cell.textContent.replace(/[, %]/g, "") : cell.textContent;
};
const order = (at, down) => (a, b) => (down ? -1 : 1) * (
  isNaN(value(a, at)) || isNaN(value(b, at)) ? value(a, at).localeCompare(value(b, at))
                                             : value(a, at) - value(b, at));
for (const table of document.querySelectorAll("table.sortable")) {
  const [head, ...rows] = table.rows;
  [...head.cells].forEach((cell, at) => {
    const button = document.createElement("button");
    button.textContent = cell.textContent;
    cell.replaceChildren(button);
    button.onclick = () => {
      const down = cell.ariaSort === "ascending";
      [...head.cells].forEach(each => each.ariaSort = null);
      cell.ariaSort = down ? "descending" : "ascending";
      head.after(...rows.sort(order(at, down)));
    };
  });
}
"""


def html_text(value, keep="\n\t"):
    """A value as text of a page: markup is escaped, and so are control characters except
    ``keep``.
    """
    return escape(plain(value, keep=keep))


def html_table(title, head, rows):
    """A table in HTML, a str, with a ``title`` above.

    Parameters
    ----------
    title : str
    head : column texts
    rows : iterables of values; numbers, and heads of columns with numbers, are aligned to the right
    """
    rows    = [[*row] for row in rows]
    columns = zip_longest(head, zip(*rows, strict=True), fillvalue=())
    heads   = "".join(_cell(name, "th", any(map(_is_number, column))) for name, column in columns)
    lines = [f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:_MOST]]
    if len(rows) > _MOST:
        lines.append(f"<tr><td colspan={len(head)}>... {len(rows) - _MOST} more</td></tr>")
    return (f"<table><caption style='text-align:left'>{_text(title)}</caption>"
            f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>")


def _cell(value, tag="td", is_right=False):
    if _is_number(value):
        value, is_right = f"{value:,}" if isinstance(value, int) else f"{value:,.4g}", True
    side = "right" if is_right else "left"
    return f"<{tag} style='text-align:{side}'>{_text(value)}</{tag}>"


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value):
    return html_text(value, keep="")
