"""Prints what `make demo` found: connections, calls, sessions and findings, straight from the Parquet files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyarrow import parquet

from decoders.dcerpc.well_known import INTERFACES

Row = dict[str, Any]
TABLES = ("flows", "calls", "sessions", "reads", "findings")


def main(folder: Path) -> None:
    flows, calls, sessions, reads, findings = (
        parquet.read_table(folder / "tables" / name).to_pylist() for name in TABLES
    )
    for heading, lines in (
        ("Connections kept:", map(_connection, flows)),
        ("Calls:", map(_call, calls)),
        ("Opened queues:", map(_session, sessions)),
        ("What became of reads:", map(_read, reads)),
        ("Findings:", _findings(findings)),
    ):
        print(f"\n{heading}")
        for line in lines:
            print("  " + line)
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


def _session(session: Row) -> str:
    counts = [_counted(session[name], name) for name in ("peeks", "acked", "nacked", "purges") if session[name]]
    ways = [f"{session[f'{way}_bytes']} {way}" for way in ("peeked", "acked", "nacked", "rundown", "unfinished")
            if session[f"{way}_bytes"]]  # fmt: skip
    bytes_out = f"; bytes that left the server: {', '.join(ways)}" if ways else ""
    return (
        f"{session['ts']:%H:%M:%S.%f}  {session['id']['orig_h']} -> queue 0x{session['queue_handle']:08x}"
        f"  {session['state']}  {', '.join(counts) or 'nothing read'}{bytes_out}"
    )


def _counted(count: int, name: str) -> str:
    return f"{count} {name.removesuffix('s') if count == 1 else name}"


def _read(read: Row) -> str:
    size = f"  {read['message_bytes']} bytes" if read["message_bytes"] else ""
    return f"{read['ts']:%H:%M:%S.%f}  {read['id']['orig_h']}  {read['action']}  {read['outcome']}{size}"


def _findings(findings: list[Row]) -> list[str]:
    """A line a rule and verdict: the table has them one by one."""
    lines: dict[tuple[str, str, str], list[Row]] = {}
    for row in findings:
        lines.setdefault((row["level"], row["verdict"], row["rule_id"]), []).append(row)
    return [
        f"{level}  {verdict}  {rule}  {_times(rows)}: {rows[0]['title'] if verdict != 'not_decidable' else _why(rows)}"
        for (level, verdict, rule), rows in sorted(lines.items(), key=lambda item: _order(item[0]))
    ]


def _times(rows: list[Row]) -> str:
    count = sum(row["count"] for row in rows)
    return "once" if count == 1 else f"{count} times"


def _why(rows: list[Row]) -> str:
    return ", ".join(sorted({row["reason"] for row in rows}))


def _order(key: tuple[str, str, str]) -> tuple[int, int, str]:
    level, verdict, rule = key
    return (
        ("violation", "detection", "not_decidable").index(verdict),
        -("informational", "low", "medium", "high", "critical").index(level),
        rule,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
