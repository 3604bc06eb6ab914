"""The versions of Windows that the product notes tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Product:
    """Notes are those of [MS-MQQP] unless another document is named."""

    name: str
    version: tuple[int, int, int] | None
    """What RemoteQmGetVersion answers; None: not implemented (notes 2, 21 to 24)."""
    asks_port: bool
    """As a client (note 5)."""
    asks_version: bool
    """As a client (notes 28 to 31)."""
    tells_duplicates: bool
    """A request id that is in use is refused (notes 6, 10, 26)."""
    descriptor_differs: bool
    """dwpQueue is a reference, not the handle ([MS-MQMP] notes 27, 28); and notes 13, 15."""
    compares_context: bool
    """pQueue must equal dwpContext (note 14)."""
    raises_purge_failures: bool
    """As exceptions (note 18)."""
    has_spx: bool
    """Notes 3, 4, 19, 20."""
    has_ndr64: bool
    negotiates_features: bool
    """[MS-RPCE] notes 99 to 101: also that connections stay open after an orphaned PDU."""
    category: int
    """What its applications tell R_QMOpenRemoteQueue ([MS-MQMP] notes 20 to 25)."""


_OLD = {"asks_version": False, "tells_duplicates": False, "descriptor_differs": True, "compares_context": False}
_NEW = {"asks_version": True, "tells_duplicates": True, "descriptor_differs": False, "compares_context": True}


def _old(name: str) -> Product:
    return Product(
        name, None, asks_port=True, raises_purge_failures=False, has_spx=True, has_ndr64=False,
        negotiates_features=False, category=0x300, **_OLD,
    )  # fmt: skip


def _new(name: str, version: tuple[int, int, int], category: int = 0x400) -> Product:
    return Product(
        name, version, asks_port=False, raises_purge_failures=True, has_spx=False, has_ndr64=True,
        negotiates_features=True, category=category, **_NEW,
    )  # fmt: skip


PRODUCTS: Final = (
    _old("Windows NT"),
    _old("Windows 2000"),
    Product(
        "Windows XP", (5, 1, 1020), asks_port=True, asks_version=True, tells_duplicates=False,
        descriptor_differs=False, compares_context=False, raises_purge_failures=False, has_spx=False, has_ndr64=False,
        negotiates_features=False, category=0x300,
    ),
    Product(
        "Windows Server 2003", (5, 2, 1716), asks_port=True, asks_version=True, tells_duplicates=True,
        descriptor_differs=False, compares_context=True, raises_purge_failures=True, has_spx=False, has_ndr64=False,
        negotiates_features=False, category=0x500,
    ),
    _new("Windows Vista", (6, 0, 6000)),
    _new("Windows Server 2008", (6, 0, 6001), 0x500),
    _new("Windows 7", (6, 1, 7601)),
    _new("Windows Server 2012 R2", (6, 1, 9600)),
)  # fmt: skip


def knows_sequential_ids(version: tuple[int, int, int] | None) -> bool:
    """[MS-MQQP] 3.2.4.2: whether a client calls RemoteQMStartReceive2, by what it was told; None: nothing."""
    return version is not None and version[:2] >= (5, 1)


def has_remote_read(product: Product) -> bool:
    """[MS-MQRR] note 2."""
    return product.version is not None and product.version >= (5, 2, 0)


def has_remote_read_extensions(product: Product) -> bool:
    """[MS-MQRR] notes 20, 21, 27, 29 to 31: transactions, moves and rejections are not in Windows Server 2003."""
    return product.version is not None and product.version >= (6, 0, 0)


SUPPORTED: Final = tuple(
    one for one in PRODUCTS if one.name in ("Windows NT", "Windows 2000", "Windows XP", "Windows Server 2003")
)
"""Which can be clients of a supporting server: [MS-MQMP] note 1."""
_SUPPORTING: Final = {"Windows NT": 1.0, "Windows 2000": 1.0, "Windows Server 2003": 0.6, "Windows Server 2008": 0.6}


def supports(product: Product) -> float:
    """How likely it is a supporting server: [MS-MQMP] note 1."""
    return _SUPPORTING.get(product.name, 0.6 if product.name.startswith("Windows Server") else 0.0)


def leaves_cursors_to_clients(product: Product) -> bool:
    """[MS-MQMP] notes 11, 55, 76."""
    return product.descriptor_differs
