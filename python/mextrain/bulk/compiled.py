"""Compiled functions as policies: finds their addresses, checks their signatures, and catches what they raise.

C has no exceptions. If a function that was compiled from Python, or that calls Python, raises an exception, the
exception goes to `sys.unraisablehook` and the function returns some number, which may happen to be a legal move.
`Watch` catches such exceptions.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mextrain.bulk.policies import BY_ID
from mextrain.errors import PolicyError, shown
from mextrain_core.model.rules import RULES
from mextrain_core.model.state import STATE

SIGNATURE = "int32_t policy(const mextrain_state *state, const mextrain_rules *rules, uint64_t word)"
"""The signature of a compiled policy (docs/c-abi.md)."""


class Role(NamedTuple):
    """What a compiled function is for: its name in messages, its signature, and the kind of its third argument."""

    name: str
    signature: str
    third: str


POLICY = Role("policy", SIGNATURE, "word")
VALUE = Role(
    "value function",
    "int32_t value(const mextrain_state *state, const mextrain_rules *rules, double *points)",
    "pointer",
)

LOWEST_ADDRESS = 1 << 16
"""No system maps code below this address, so a smaller number is a mistake."""

_CTYPES_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]
"""The base class of all ctypes function pointers; ctypes gives it no public name."""


class _Type(NamedTuple):
    """A C type: `int`, `uint`, `pointer` or something else, its size in bytes, and the struct pointed to, if known."""

    kind: str
    size: int
    record: np.dtype[Any] | None = None

    def __str__(self) -> str:
        if self.record is not None:
            known = {"mextrain_state": STATE, "mextrain_rules": RULES}
            return next((f"{name} *" for name, record in known.items() if record == self.record), "record *")
        return f"{self.kind}{8 * self.size}_t" if self.kind in ("int", "uint") else self.kind


_INT32, _WORDS = _Type("int", 4), (_Type("uint", 8), _Type("int", 8))


def address_of(policy: Any, role: Role = POLICY) -> int:
    """Return the address of a compiled function in any supported form, or 0 for any other object.

    The forms are a Numba `@cfunc`, a ctypes or cffi function pointer, and an address as an int. Raises `PolicyError`
    for an int that cannot be an address, for a null pointer, and for a function whose signature is known and is not the
    one of its role.
    """
    if isinstance(policy, (int, np.integer)) and not isinstance(policy, bool):
        if not LOWEST_ADDRESS <= policy < 2**64 and role is not POLICY:
            raise PolicyError(f"value = {shown(policy)}: this is not the address of a function")
        if not LOWEST_ADDRESS <= policy < 2**64:
            ids = ", ".join(f"{number} {built_in.name}" for number, built_in in BY_ID.items())
            raise PolicyError(f"the policy {shown(policy)} is neither an id ({ids}) nor the address of a function")
        return int(policy)
    if isinstance(policy, _CTYPES_FUNCTION):
        _check(policy, list(_of_ctypes(policy)), role)
        return _not_null(policy, ctypes.cast(policy, ctypes.c_void_p).value or 0, role)
    if type(policy).__module__ == "_cffi_backend":
        from cffi import FFI

        if not isinstance(policy, FFI.CData):
            return 0
        _check(policy, list(_of_cffi(FFI(), policy, role)), role)
        return _not_null(policy, int(FFI().cast("uintptr_t", policy)), role)
    found = getattr(policy, "address", 0)
    if not isinstance(found, int) or isinstance(found, bool) or found == 0:
        return 0
    signature = getattr(policy, "_sig", None)
    if signature is not None:
        _check(policy, [_of_numba(kind) for kind in (signature.return_type, *signature.args)], role)
    return found


def _not_null(policy: Any, address: int, role: Role) -> int:
    if address < LOWEST_ADDRESS:
        raise PolicyError(f"the {role.name} {shown(policy)} is a null pointer: give the address of a function")
    return address


def _check(policy: Any, types: list[_Type | None], role: Role) -> None:
    """Reject a function with a different signature; `types` are its result and arguments, None where unknown."""
    if not types:
        return
    result, *arguments = types
    right = len(arguments) == 3 and result in (None, _INT32)
    for argument, record in zip(arguments, (STATE, RULES, None), strict=False):
        if argument is not None and record is not None:
            right &= argument.kind == "pointer" and argument.record in (None, record)
        elif argument is not None:
            right &= argument in _WORDS if role.third == "word" else argument.kind == role.third
    if not right:
        name = getattr(policy, "__name__", None) or shown(policy)
        written = f"{result or '?'} ({', '.join(str(argument or '?') for argument in arguments)})"
        raise PolicyError(f"the compiled {role.name} {name} has the signature {written}: expected {role.signature}")


def _of_numba(kind: Any) -> _Type | None:
    """Return the type that a Numba type stands for, without importing Numba."""
    name = type(kind).__name__
    if name == "Integer":
        return _Type("int" if kind.signed else "uint", kind.bitwidth // 8)
    if name in ("RawPointer", "CPointer"):
        pointed = getattr(kind, "dtype", None)
        # A pointer to anything but a struct proves nothing: `uint8 *` serves as `void *`.
        return _Type("pointer", 8, getattr(pointed, "dtype", None) if type(pointed).__name__ == "Record" else None)
    return _Type(shown(str(kind)).strip("'"), 0)


def _of_ctypes(policy: Any) -> Iterator[_Type | None]:
    """Yield the types of a ctypes function; nothing if it declares none, as with functions of a loaded library."""
    arguments = policy.argtypes
    if arguments is None:
        return
    for kind in (policy.restype, *arguments):
        code = getattr(kind, "_type_", None)
        if code in ("P", "z", "Z") or (isinstance(kind, type) and issubclass(kind, ctypes._Pointer)):
            yield _Type("pointer", 8)
        elif isinstance(code, str) and issubclass(kind, ctypes._SimpleCData) and code in "bBhHiIlLqQ":
            yield _Type("int" if code.islower() else "uint", ctypes.sizeof(kind))
        else:
            yield _Type("void" if kind is None else getattr(kind, "__name__", "?"), 0)


def _of_cffi(ffi: Any, policy: Any, role: Role) -> Iterator[_Type | None]:
    """Yield the types of a cffi function pointer; nothing for a `void *`."""
    kind = ffi.typeof(policy)
    if kind.kind != "function":
        if kind.kind == "pointer" and kind.item.kind in ("void", "function"):
            return
        raise PolicyError(f"the {role.name} {shown(policy)} is not a function pointer: expected {role.signature}")
    for each in (kind.result, *kind.args):
        if each.kind == "pointer":
            yield _Type("pointer", 8)
        elif each.kind == "primitive" and "float" not in each.cname and "double" not in each.cname:
            unsigned = int(ffi.cast(each, -1)) > 0
            yield _Type("uint" if unsigned else "int", ffi.sizeof(each))
        else:
            yield _Type(each.cname, 0)


class Watch:
    """Within a `with` block, catches exceptions that compiled code of this thread has to drop: `raised` is the first.

    Exceptions that are dropped in other threads, or outside such blocks, still go to the previous hook.
    """

    _lock = threading.Lock()
    _watching: ClassVar[dict[int, Watch]] = {}
    _previous: Any = None

    def __init__(self) -> None:
        self.raised: BaseException | None = None

    def __enter__(self) -> Watch:
        with Watch._lock:
            if not Watch._watching:
                Watch._previous, sys.unraisablehook = sys.unraisablehook, Watch._hear
            Watch._watching[threading.get_ident()] = self
        return self

    def __exit__(self, *_: object) -> None:
        with Watch._lock:
            del Watch._watching[threading.get_ident()]
            if not Watch._watching and sys.unraisablehook == Watch._hear:
                sys.unraisablehook = Watch._previous

    @staticmethod
    def _hear(dropped: Any) -> None:
        watch = Watch._watching.get(threading.get_ident())
        if watch is None:
            Watch._previous(dropped)
        elif watch.raised is None:
            watch.raised = dropped.exc_value or dropped.exc_type()
