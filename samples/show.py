"""Prints what `make demo` found: connections and calls, straight from the Parquet files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyarrow import parquet

from decoders.dcerpc.well_known import INTERFACES

Row = dict[str, Any]


def main(folder: Path) -> None:
    flows, calls = (parquet.read_table(folder / "tables" / name).to_pylist() for name in ("flows", "calls"))
    print("\nConnections kept:")
    for flow in flows:
        print("  " + _connection(flow))
    print("\nCalls:")
    for call in calls:
        print("  " + _call(call))
    print(f"\nThe tables are in {folder}/tables; `.venv/bin/mqtrail schema calls` explains them.")


def _connection(flow: Row) -> str:
    ends = flow["id"]
    names = ", ".join(INTERFACES.get(uuid, uuid) for uuid in flow["interfaces"]) or "no bind seen"
    return (
        f"{flow['first_ts']:%H:%M:%S.%f}  {ends['orig_h']}:{ends['orig_p']} -> {ends['resp_h']}:{ends['resp_p']}"
        f"  {names}  {flow['conn_state']}  tcp.stream eq {flow['tcp_stream']}"
    )


def _call(call: Row) -> str:
    ends, frames = call["id"], [*call["request_frames"], *call["response_frames"]]
    name = call["operation"] or f"{call['endpoint']} opnum {call['opnum']}"
    result = call["status_name"] or call["fault_name"] or call["outcome"]
    where = f"frame {frames[0]}" if len(frames) == 1 else f"frames {frames[0]} to {frames[-1]}"
    return f"{call['ts']:%H:%M:%S.%f}  {ends['orig_h']} -> {ends['resp_h']}:{ends['resp_p']}  {name}  {result}  {where}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
