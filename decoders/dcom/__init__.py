"""DCOM's own structures: [MS-DCOM] 2.2."""
