"""The policy of each seat: built-in policies by name, and users' own policies in every form (docs/policies.md)."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mextrain._support.integers import whole
from mextrain.bulk.callbacks import BatchPolicy, for_each
from mextrain.bulk.compiled import address_of
from mextrain.bulk.policies import BY_ID, BY_NAME, POLICIES, check_policies
from mextrain.errors import PolicyError, one_line, shown
from mextrain.searches.settings import parse
from mextrain_core.bulk.policies import FOREIGN, RANDOM, Policy
from mextrain_core.bulk.slots import OUTSIDE

COMMAND = "cmd:"
"""How the name of a policy begins that is the command of a bot (docs/bots.md)."""

MAX_NAME = 1000
"""Longest name of a policy, in characters; a longer one is a mistake."""


@dataclass(frozen=True, eq=False)
class Seats:
    """The policies of a table, by seat.

    `names`: the names for summaries and archives. `ids`: uint8[players], the id of a built-in policy, FOREIGN for a
    user's compiled function, OUTSIDE for a callback, RANDOM for a seat that searches, whose forced moves it plays.
    `addresses`: uint64[players], the address of the C function that plays the seat, or 0. `callbacks`: the batch policy
    of the seat, or None. `searches`: method and play-outs of a seat that searches, or None. `commands`: the command
    of a bot, or None. `owners`: the policies as they were given, which keeps compiled functions alive.
    """

    names: tuple[str, ...]
    ids: np.ndarray
    addresses: np.ndarray
    callbacks: tuple[BatchPolicy | None, ...]
    searches: tuple[tuple[str, int] | None, ...]
    commands: tuple[str | None, ...]
    owners: tuple[Any, ...]

    @classmethod
    def of(cls, policies: Any, players: int) -> Seats:
        """Return the policies for `players` seats.

        `policies` is one policy for all seats, or a sequence with one for each seat. A policy is one of these: the name
        or id of a built-in policy; a search with its play-outs, such as `improve:200`; `module:attribute` for a policy
        that Python can import; a compiled function with the published signature (a Numba `@cfunc`, a cffi or ctypes
        function pointer, or an address as an int); a `BatchPolicy`; any other callable, which gets a `Decision` and
        returns one of its legal moves. Raises `PolicyError`.
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
            names=tuple(each.name for each in found),
            ids=np.array([each.id for each in found], np.uint8),
            addresses=np.array([each.address for each in found], np.uint64),
            callbacks=tuple(each.callback for each in found),
            searches=tuple(each.search for each in found),
            commands=tuple(each.command for each in found),
            owners=tuple(seats),
        )

    @property
    def has_foreign(self) -> bool:
        """Whether a user's compiled function plays any seat."""
        return bool((self.ids == FOREIGN).any())

    def stored_names(self) -> tuple[str, ...]:
        """Return the names for an archive. They must identify the policies permanently.

        Raises `PolicyError` for a function or address, because its name does not say where to find it.
        """
        for policy, name in zip(self.owners, self.names, strict=True):
            if not isinstance(policy, str) and not _is_id(policy):
                raise PolicyError(
                    f"the policy {shown(name)} cannot be stored, as its name does not say where to find it: "
                    "give a policy of your own as module:attribute, such as mybots:clever"
                )
        return self.names

    @property
    def builtin(self) -> bool:
        """Whether the kernels themselves decide for every seat."""
        return not self.addresses.any() and not self.asks_python

    @property
    def asks_python(self) -> bool:
        """Whether Python decides for any seat: a callback, a search, or a bot."""
        return any(self.callbacks) or any(self.searches) or any(self.commands)


class _Found(NamedTuple):
    """What one policy is; the fields of `Seats`."""

    name: str
    id: int
    address: int = 0
    callback: BatchPolicy | None = None
    search: tuple[str, int] | None = None
    command: str | None = None


def _resolve(policy: Any) -> _Found:
    if isinstance(policy, str):
        if len(policy) > MAX_NAME:
            raise PolicyError(f"the policy {shown(policy)} has a name of {len(policy):,} characters: expected a name")
        if policy.startswith(COMMAND):
            if not policy.removeprefix(COMMAND).strip():
                raise PolicyError(f"the policy {shown(policy)} has no command: expected one, as in cmd:./bot")
            return _Found(policy, OUTSIDE, command=policy.removeprefix(COMMAND))
        search = parse(policy)
        if search is not None:
            return _Found(policy, RANDOM, search=search)
        if ":" not in policy:
            check_policies([policy], 1)
            return _builtin(BY_NAME[policy])
        return _resolve(_imported(policy))._replace(name=policy)
    if _is_id(policy):
        return _builtin(BY_ID[int(policy)])
    address = address_of(policy)
    if address:
        return _Found(_name_of(policy, f"address {address:#x}"), _id_of(address), address)
    if isinstance(policy, BatchPolicy):
        return _Found(_name_of(policy.function, "batch"), OUTSIDE, callback=policy)
    if callable(policy):
        return _Found(_name_of(policy, type(policy).__name__), OUTSIDE, callback=for_each(policy))
    raise PolicyError(
        f"{shown(policy)} is not a policy: expected a name ({', '.join(POLICIES)}), module:attribute, "
        "a compiled function or its address, a BatchPolicy or a callable"
    )


def _builtin(policy: Policy) -> _Found:
    """Return a built-in policy; only a separately compiled one has an address."""
    if not policy.apart:
        return _Found(policy.name, policy.id)
    # The first use after installation compiles it (about 15 seconds for `planner`), so import it only when needed.
    address = address_of(_imported(policy.apart))
    if not address:
        raise PolicyError(
            f"the policy {policy.name} needs compiled code: unset NUMBA_DISABLE_JIT, or take another policy"
        )
    return _Found(policy.name, policy.id, address)


def _id_of(address: int) -> int:
    """Return the id of the built-in policy whose function is at this address, or FOREIGN."""
    for policy in BY_ID.values():
        module, _, name = policy.apart.partition(":")
        if policy.apart and getattr(getattr(sys.modules.get(module), name, None), "address", 0) == address:
            return policy.id
    return FOREIGN


def _name_of(policy: Any, otherwise: str) -> str:
    return str(getattr(policy, "__name__", otherwise))


def _is_id(policy: Any) -> bool:
    number = whole(policy)
    return number is not None and number in BY_ID


def _imported(name: str) -> Any:
    """Return the object that `module:attribute` names; the current folder is searched too."""
    module, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in module.split(".")) or not attribute.isidentifier():
        expected = "expected module:attribute, such as mybots:clever"
        raise PolicyError(f"the policy {shown(name)} cannot be imported: {expected}")
    sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:
        # A user's module may raise anything.
        what = one_line(f"{type(error).__name__}: {error}")
        raise PolicyError(f"the policy {shown(name)} cannot be imported: {what}") from error
    finally:
        sys.path.remove("")
