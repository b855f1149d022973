# SPDX-License-Identifier: Apache-2.0
"""Put a mutant's code into live functions, or into a fresh process's modules."""

import builtins
import functools
import gc
import importlib.machinery
import types
from pathlib import Path

from .changes import PROBE

__all__ = ["Ran", "clear_caches", "find_caches", "find_functions", "load_with", "swap"]


class Ran:
    """Whether changed code ran: the built-in function that mutants call."""

    def __init__(self):
        self.value = False
        setattr(builtins, PROBE, self)

    def __call__(self, value):
        self.value = True
        return value


def find_functions(root):
    """Live functions from the sources below ``root`` (Path), a dict from file name to a list."""
    found, prefix = {}, f"{root}/"
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType) and each.__code__.co_filename.startswith(prefix):
            found.setdefault(each.__code__.co_filename, []).append(each)
    return found


def find_caches():
    """Every function with ``functools.cache`` or ``lru_cache``, a list."""
    return [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]


def clear_caches(caches):
    """Forget results computed before a swap."""
    for cache in caches:
        cache.cache_clear()


def swap(path, source, tree, functions):
    """Give ``functions`` in the file ``path`` a mutated tree's code.

    This includes nested and decorated functions, methods and closures. Returns the number of
    changed functions; 0 if no function contains the changed code.
    """
    old = _codes(compile(source, path, "exec", dont_inherit=True))
    new = _codes(compile(tree, path, "exec", dont_inherit=True))
    changed = {key: new[key] for key, code in old.items() if key in new and new[key] != code}
    count = 0
    for function in functions:
        for key, code in changed.items():
            if function.__code__ == old[key] and code.co_freevars == old[key].co_freevars:
                function.__code__ = code
                count += 1
                break
    return count


def _codes(module):
    """Code objects of a module by name, line, and order among equal names and lines."""
    found, stack = {}, [module]
    while stack:
        code  = stack.pop()
        inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
        for each in inner:
            key = each.co_qualname, each.co_firstlineno
            found[*key, sum(other[:2] == key for other in found)] = each
        stack.extend(inner)
    return found


def load_with(path, tree):
    """Make later imports of the file ``path`` load a mutated tree."""
    path  = Path(path)
    right = importlib.machinery.SourceFileLoader.get_code

    def get_code(self, name):
        if Path(self.path).resolve() == path:
            return compile(tree, str(path), "exec", dont_inherit=True)
        return right(self, name)

    importlib.machinery.SourceFileLoader.get_code = get_code
