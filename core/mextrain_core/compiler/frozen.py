"""Rules of which some fields are known while a kernel is compiled.

Kernels are written once, for the RULES struct, and read an option where it decides. What they get may also be the same
struct of which the compiler is told some fields: the checks of options that are not chosen then vanish.
"""

from collections.abc import Mapping
from typing import Any

from numba import types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic
from numba.np.arrayobj import record_getattr


class Frozen(types.Type):
    """A struct whose fields ``known`` have the values given there."""

    def __init__(self, record: Any, name: str, known: Mapping[str, int]):
        super().__init__(name=f"Frozen({name})")
        self.record, self.known = record, known


@register_default(Frozen)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, frozen: Any):
        super().__init__(manager, frozen, manager.lookup(frozen.record).get_value_type())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Frozen

    def generic_resolve(self, frozen: Any, field: str) -> Any:  # type: ignore[override]
        return frozen.record.typeof(field)


@lower_getattr_generic(Frozen)
def _get(context: Any, builder: Any, frozen: Any, pointer: Any, field: str) -> Any:
    if field in frozen.known:
        return context.get_constant(frozen.record.typeof(field), frozen.known[field])
    return record_getattr(context, builder, frozen.record, pointer, field)


def freezer(name: str, known: Mapping[str, int]) -> Any:
    """A function for kernels: it takes a struct and returns it as one whose fields ``known`` have these values.

    ``name`` tells it from others.
    """

    @intrinsic
    def freeze(typingctx: Any, record: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return args[0]

        return Frozen(record, name, known)(record), codegen

    return freeze
