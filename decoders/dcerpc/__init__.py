"""Connection-oriented DCE/RPC: [C706] chapter 12 and [MS-RPCE] 2.2.2."""
