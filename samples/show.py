"""Prints what `make demo` found: the connections kept, straight from the Parquet files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyarrow import parquet

from decoders.dcerpc.well_known import INTERFACES


def main(folder: Path) -> None:
    flows = parquet.read_table(folder / "tables" / "flows").to_pylist()
    print("\nConnections kept:")
    for flow in flows:
        print("  " + _line(flow))
    print(f"\nThe tables are in {folder}/tables; `.venv/bin/mqtrail schema flows` explains them.")


def _line(flow: dict[str, Any]) -> str:
    ends = flow["id"]
    names = ", ".join(INTERFACES.get(uuid, uuid) for uuid in flow["interfaces"]) or "no bind seen"
    return (
        f"{flow['first_ts']:%H:%M:%S.%f}  {ends['orig_h']}:{ends['orig_p']} -> {ends['resp_h']}:{ends['resp_p']}"
        f"  {names}  {flow['conn_state']}  {flow['orig_bytes']} bytes out, {flow['resp_bytes']} back"
        f"  tcp.stream eq {flow['tcp_stream']}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
