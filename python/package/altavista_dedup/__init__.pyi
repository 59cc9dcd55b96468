"""Near-duplicates of texts and crawls: tokens, sketches, estimates, clusters."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, final

__all__ = [
    "Array",
    "BusyError",
    "Comparison",
    "ConfigError",
    "DamageError",
    "EngineError",
    "Figure",
    "Figures",
    "InputError",
    "NoSpaceError",
    "NotFoundError",
    "Publication",
    "Query",
    "Sketcher",
    "Table",
    "compare",
    "decontaminate",
    "dedup",
    "estimate",
    "open",
    "passages",
    "run",
    "tokens",
]

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Batch(Protocol):
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

class _Dataset(Protocol):
    """`datasets.Dataset`."""

    def with_format(self, type: str | None = None) -> Any: ...
    def __len__(self) -> int: ...

_Arrow = _Stream | _Batch | _Dataset
_Sections = Mapping[str, Mapping[str, Any]]
_Config = str | PathLike[str] | _Sections
_Progress = bool | Callable[[str, int, int, str], object]

class EngineError(Exception):
    exit_code: int

class ConfigError(EngineError):
    problems: list[str]

class InputError(EngineError): ...
class NoSpaceError(EngineError): ...
class DamageError(EngineError): ...

class BusyError(EngineError):
    pid: int | None

class NotFoundError(EngineError): ...

@final
class Table:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...

@final
class Array:
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __len__(self) -> int: ...
    def tolist(self) -> list[bool]: ...

@final
class Figure:
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    def __float__(self) -> float: ...

@final
class Figures:
    @property
    def shared(self) -> int: ...
    @property
    def size_a(self) -> int | None: ...
    @property
    def size_b(self) -> int | None: ...
    @property
    def union(self) -> int: ...
    @property
    def modulus(self) -> int | None: ...
    @property
    def resemblance(self) -> Figure: ...
    @property
    def containment_a_in_b(self) -> Figure | None: ...
    @property
    def containment_b_in_a(self) -> Figure | None: ...

@final
class Comparison:
    @property
    def exact(self) -> Figures: ...
    @property
    def estimated(self) -> Figures: ...

@final
class Sketcher:
    def __new__(cls, config: _Config | None = None) -> Sketcher: ...
    def sketch(self, batch: _Arrow, text: str = "text", html: str | None = None) -> Table: ...

@final
class Query:
    def url(self, url: str, limit: int = 10) -> dict[str, Any]: ...
    def cluster(self, cluster_id: int, limit: int = 10) -> dict[str, Any]: ...
    def passages(self, document: str | None = None, limit: int = 10) -> dict[str, Any]: ...
    def lost(self, url: str) -> dict[str, Any]: ...
    def group(self, ranked: Sequence[str]) -> dict[str, Any]: ...
    def like(
        self,
        name: str | PathLike[str] | None = None,
        *,
        text: str | None = None,
        relation: str = "like",
        limit: int = 10,
        minimum: float | None = None,
    ) -> dict[str, Any]: ...

@final
class Publication:
    @property
    def path(self) -> Path: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def table_names(self) -> list[str]: ...
    @property
    def query(self) -> Query: ...
    def table(self, name: str) -> Table: ...
    def keep_mask(self, table: _Arrow, on: str = "id") -> Array: ...

def tokens(text: str, *, html: bool = False, config: _Config | None = None) -> list[str]: ...
def compare(
    a: str, b: str, *, html: bool = False, config: _Config | None = None
) -> Comparison: ...
def estimate(shared: int, a: int, b: int, modulus: int) -> Figures: ...
def decontaminate(
    table: _Arrow,
    reference: str | PathLike[str] | Sequence[str | PathLike[str]] | _Arrow,
    text: str = "content",
    *,
    fields: Sequence[str] = ...,
    min: float = 0.8,
    least: int = 13,
    ngram: int = 8,
    memory: str = "1GiB",
    directory: str | PathLike[str] | None = None,
    progress: _Progress = ...,
) -> Table: ...
def dedup(
    table: _Arrow,
    text: str = "content",
    *,
    threshold: float = 0.5,
    memory: str = "1GiB",
    config: dict[str, Any] | None = None,
    directory: str | PathLike[str] | None = None,
    progress: _Progress = ...,
) -> Table: ...
def passages(
    table: _Arrow,
    text: str = "content",
    *,
    words: int = 50,
    memory: str = "1GiB",
    config: dict[str, Any] | None = None,
    directory: str | PathLike[str] | None = None,
    progress: _Progress = ...,
) -> Table: ...
def run(
    config: _Config, progress: _Progress = ..., *, force: bool = False
) -> Publication: ...
def open(out: str | PathLike[str] = ..., config: _Config | None = None) -> Publication: ...
