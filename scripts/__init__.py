"""Programs of those who work on mqtrail; nothing of it is installed."""
