# SPDX-License-Identifier: Apache-2.0
"""Build of the package; pyproject.toml has the rest.

Every build has a temporary folder of its own: it leaves nothing in the tree, and a wheel has
nothing of an earlier build.
"""

from tempfile import TemporaryDirectory

from setuptools import find_packages, setup

FOLDERS = ("hdl", "golden", "host", "sim", "boards")

with TemporaryDirectory() as folder:
    setup(
        packages=["xymac", *(f"xymac.{name}" for name in find_packages(
            include=[pattern for name in FOLDERS for pattern in (name, f"{name}.*")]))],
        package_dir={f"xymac.{name}": name for name in FOLDERS},
        options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}})
