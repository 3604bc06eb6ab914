"""NDR and NDR64: [C706] chapter 14, [MS-RPCE] 2.2.4 and 2.2.5."""
