from . import _native
from ._native import (
    Array,
    BusyError,
    Comparison,
    ConfigError,
    DamageError,
    EngineError,
    Figure,
    Figures,
    InputError,
    NoSpaceError,
    NotFoundError,
    Publication,
    Query,
    Sketcher,
    Table,
    compare,
    decontaminate,
    dedup,
    estimate,
    open,
    passages,
    run,
    tokens,
)

__doc__ = _native.__doc__
__all__ = [name for name in dir() if not name.startswith("_")]
