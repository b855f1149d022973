# SPDX-License-Identifier: Apache-2.0
"""Core sizes as users give them: a CoreConfig, or a name."""

from xymac.hdl.config import CORES, CoreConfig, find_size
from xymac.host.errors import InputError, check_type, suggest

__all__ = ["read_config"]


def read_config(config: CoreConfig | str) -> CoreConfig:
    """CoreConfig for a size: itself, or found by name, see ``find_size``; InputError for others."""
    check_type("config", config, CoreConfig, str)
    if isinstance(config, CoreConfig):
        return config
    try:
        return find_size(config)
    except ValueError as error:
        raise InputError(f"{error}{suggest(config, CORES)}") from error
