"""Status codes of the endpoint mapper: [C706] appendix E. [MS-RPCE] 2.2.1.2.4 leaves two of them, and Win32 codes."""

from __future__ import annotations

from typing import Final

EPT: Final = {
    0x16C9A0CD: "ept_s_cant_perform_op",
    0x16C9A0CE: "ept_s_no_memory",
    0x16C9A0CF: "ept_s_database_invalid",
    0x16C9A0D0: "ept_s_cant_create",
    0x16C9A0D1: "ept_s_cant_access",
    0x16C9A0D2: "ept_s_database_already_open",
    0x16C9A0D3: "ept_s_invalid_entry",
    0x16C9A0D4: "ept_s_update_failed",
    0x16C9A0D5: "ept_s_invalid_context",
    0x16C9A0D6: "ept_s_not_registered",
    0x16C9A0D7: "ept_s_server_unavailable",
}
