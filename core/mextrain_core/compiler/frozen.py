"""Rules with some fields that are known at compile time.

Kernels are written once, for the RULES struct, and read its options at run time. They also accept a frozen struct, of
which the compiler knows some fields: code for the options that are not chosen is then removed.
"""

from collections.abc import Mapping
from typing import Any

from numba import types
from numba.core import config
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic
from numba.np.arrayobj import record_getattr


class Frozen(types.Type):
    """A struct whose fields ``known`` have the values given there."""

    def __init__(self, struct: Any, name: str, known: Mapping[str, int]):
        super().__init__(name=f"Frozen({name})")
        self.struct, self.known = struct, known


@register_default(Frozen)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, frozen: Any):
        super().__init__(manager, frozen, manager.lookup(frozen.struct).get_value_type())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Frozen

    def generic_resolve(self, frozen: Any, field: str) -> Any:  # type: ignore[override]
        return frozen.struct.typeof(field)


@lower_getattr_generic(Frozen)
def _get(context: Any, builder: Any, frozen: Any, pointer: Any, field: str) -> Any:
    if field in frozen.known:
        return context.get_constant(frozen.struct.typeof(field), frozen.known[field])
    return record_getattr(context, builder, frozen.struct, pointer, field)


def freezer(name: str, known: Mapping[str, int]) -> Any:
    """A function for kernels that returns its struct as one whose fields ``known`` are constants with these values.

    ``name`` identifies the resulting type.
    """

    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        # Interpreted kernels read all fields; the values are the same.
        return lambda struct: struct

    @intrinsic
    def freeze(typingctx: Any, struct: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return args[0]

        return Frozen(struct, name, known)(struct), codegen

    return freeze
