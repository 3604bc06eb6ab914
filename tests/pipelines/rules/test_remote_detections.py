"""What detections of qm2qm report, they report of RemoteRead as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.rules.fixtures import accused, judge_script

if TYPE_CHECKING:
    from pathlib import Path

_REFUSED = "R_OpenQueue -> fault=MQ_ERROR_ACCESS_DENIED"
SCRIPTS = {
    "detect-purge": "connect interface RemoteRead\nR_OpenQueue\nR_PurgeQueue\nR_CloseQueue\nclose\n",
    "detect-refused-opens": f"connect interface RemoteRead\nrepeat 5 {_REFUSED}\nclose\n",
    "detect-qm-several-addresses": (
        "connect interface RemoteRead\nR_OpenQueue\nR_CloseQueue\nclose\n"
        "connect interface RemoteRead from 10.0.0.6\nR_OpenQueue\nR_CloseQueue\nclose\n"
    ),
    "detect-bulk-reading": (
        "connect interface RemoteRead\nR_OpenQueue\nR_CreateCursor\n"
        "repeat 100 R_StartReceive ulAction=PEEK_NEXT hCursor=3\nR_CloseCursor\nR_CloseQueue\nclose\n"
    ),
    "rpce-unauthenticated-call": "connect interface RemoteRead auth none\nR_OpenQueue\nR_CloseQueue\nclose\n",
    "rpce-level-below-integrity": "connect interface RemoteRead auth connect\nR_OpenQueue\nR_CloseQueue\nclose\n",
    "rpce-opnum-range": "connect interface RemoteRead\nopnum number=16 -> fault=nca_op_rng_error\nclose\n",
}


@pytest.mark.parametrize("rule", SCRIPTS)
def test_reported_of_remote_read(rule: str, tmp_path: Path) -> None:
    assert accused(judge_script(SCRIPTS[rule], tmp_path)) == {rule}


def test_handle_of_another_client(tmp_path: Path) -> None:
    script = (
        "connect interface RemoteRead\nR_OpenQueue -> pphContext=H1\n"
        "connect other interface RemoteRead from 10.0.0.6\n"
        "other: R_StartReceive phContext=H1 -> fault=nca_s_fault_context_mismatch\nclose other\n"
        "R_CloseQueue pphContext=H1\nclose\n"
    )
    tables = judge_script(script, tmp_path)
    assert accused(tables) == {"detect-foreign-handle"}
    # Nobody knows what this client was given before the capture began.
    assert {
        (one["verdict"], one["reason"]) for one in tables["verdicts"] if one["rule_id"] == "mqrr-open-before-use"
    } >= {("not_decidable", "given_earlier")}
