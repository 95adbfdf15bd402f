"""The C interface: the header, and the table of functions that C programs call (docs/c-abi.md).

Imports `bulk` and the rooms below it.
"""

from mextrain.c.table import CAPSULE_NAME, Interface, get_include, header, interface

__all__ = ["CAPSULE_NAME", "Interface", "get_include", "header", "interface"]
