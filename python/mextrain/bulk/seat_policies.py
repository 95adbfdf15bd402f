"""Who decides for each seat: built-in policies by name, and policies of your own in every form (docs/policies.md)."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mextrain.bulk.callbacks import BatchPolicy, for_each
from mextrain.bulk.policies import BY_ID, BY_NAME, POLICIES, check_policies
from mextrain.errors import PolicyError, shown
from mextrain_core.bulk.policies import Policy
from mextrain_core.bulk.waiting import OUTSIDE

_CTYPES_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]
"""What every ctypes function pointer is an instance of; ctypes gives it no public name."""


LOWEST_ADDRESS = 1 << 16
"""No system maps code below this, so a smaller number is a mistake and not an address."""


@dataclass(frozen=True, eq=False)
class Seats:
    """The policies of a table, by seat.

    `names`: what summaries and archives say. `ids`: uint8[players], ids of built-in policies, OUTSIDE for a callback.
    `addresses`: uint64[players], the C function that plays the seat, or 0. `callbacks`: the batch policy of the seat,
    or None. `owners` keeps compiled functions alive.
    """

    names: tuple[str, ...]
    ids: np.ndarray
    addresses: np.ndarray
    callbacks: tuple[BatchPolicy | None, ...]
    owners: tuple[Any, ...]

    @classmethod
    def of(cls, policies: Any, players: int) -> Seats:
        """Return the policies for `players` seats.

        `policies` is one policy for all seats, or a sequence with one for each. A policy is the name or id of a
        built-in one, `module:attribute` for one that Python can import, a compiled function of the published
        signature (a Numba `@cfunc`, a cffi or ctypes function pointer, an address as an int), a `BatchPolicy`, or any
        other callable, which gets a `Decision` and returns one of its legal moves. Raises `PolicyError`.
        """
        if isinstance(policies, Seats):
            if len(policies.names) != players:
                raise PolicyError(f"{len(policies.names)} policies for {players} players: give one for each seat")
            return policies
        if isinstance(policies, str) and "," in policies:
            policies = policies.split(",")
        one_for_all = isinstance(policies, str) or not isinstance(policies, Sequence)
        seats = [policies] * players if one_for_all else list(policies)
        if len(seats) != players:
            check_policies(["random"] * len(seats), players)
        found = [_resolve(policy) for policy in seats]
        return cls(
            names=tuple(name for name, _, _, _ in found),
            ids=np.array([number for _, number, _, _ in found], np.uint8),
            addresses=np.array([address for _, _, address, _ in found], np.uint64),
            callbacks=tuple(callback for _, _, _, callback in found),
            owners=tuple(seats),
        )

    @property
    def builtin(self) -> bool:
        """Whether every seat is played by a policy that the engine's own kernels decide for."""
        return not self.addresses.any() and not any(self.callbacks)


def _resolve(policy: Any) -> tuple[str, int, int, BatchPolicy | None]:
    """Name, id, address and callback of one policy."""
    if isinstance(policy, str):
        if ":" not in policy:
            check_policies([policy], 1)
            return _builtin(BY_NAME[policy])
        _, number, address, callback = _resolve(_imported(policy))
        return policy, number, address, callback
    if isinstance(policy, (int, np.integer)) and not isinstance(policy, bool) and policy in BY_ID:
        return _builtin(BY_ID[int(policy)])
    address = _address(policy)
    if address:
        return str(getattr(policy, "__name__", f"address {address:#x}")), 0, address, None
    if isinstance(policy, BatchPolicy):
        return str(getattr(policy.function, "__name__", "batch")), OUTSIDE, 0, policy
    if callable(policy):
        return str(getattr(policy, "__name__", type(policy).__name__)), OUTSIDE, 0, for_each(policy)
    raise PolicyError(
        f"{shown(policy)} is no policy: expected a name ({', '.join(POLICIES)}), module:attribute, "
        "a compiled function or its address, a BatchPolicy or a callable"
    )


def _builtin(policy: Policy) -> tuple[str, int, int, BatchPolicy | None]:
    """Name, id and address of a built-in policy; only one that is compiled apart has an address."""
    if not policy.apart:
        return policy.name, policy.id, 0, None
    # The first use in an installation compiles it, the planner for a quarter of a minute, so nobody else imports it.
    address = _address(_imported(policy.apart))
    if not address:
        raise PolicyError(
            f"the policy {policy.name} needs compiled code: unset NUMBA_DISABLE_JIT, or take another policy"
        )
    return policy.name, policy.id, address, None


def _address(policy: Any) -> int:
    """The address of a compiled function in any of its forms, or 0 for something else."""
    if isinstance(policy, (int, np.integer)) and not isinstance(policy, bool):
        if not LOWEST_ADDRESS <= policy < 2**64:
            ids = ", ".join(f"{number} {built_in.name}" for number, built_in in BY_ID.items())
            raise PolicyError(f"the policy {policy} is neither an id ({ids}) nor the address of a function")
        return int(policy)
    if isinstance(policy, _CTYPES_FUNCTION):
        return ctypes.cast(policy, ctypes.c_void_p).value or 0
    if type(policy).__module__ == "_cffi_backend":
        from cffi import FFI

        return int(FFI().cast("uintptr_t", policy))
    found = getattr(policy, "address", 0)
    return found if isinstance(found, int) else 0


def _imported(name: str) -> Any:
    """The object that `module:attribute` names; the current folder is searched too."""
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise PolicyError(f"the policy {shown(name)} cannot be imported: {error}") from None
    finally:
        sys.path.remove("")
