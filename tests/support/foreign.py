# SPDX-License-Identifier: Apache-2.0
"""A distribution of somebody else, as an installer would leave it in a folder of Python's path."""

__all__ = ["write_distribution"]


def write_distribution(folder, name, source, entries):
    """Write the package ``name`` with a module of ``source`` to ``folder``.

    ``entries`` are its entry points: {group: {name: "module:attribute"}}; the module is called
    like the package.
    """
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, names in entries.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in names.items()), ""]
    (information / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{name}.py").write_text(source)
