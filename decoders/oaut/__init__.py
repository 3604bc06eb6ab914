"""OLE Automation: the types of [MS-OAUT] that COM interfaces pass, and what their values mean."""
