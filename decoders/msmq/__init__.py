"""What MSMQ's decoded values mean: names of queues and properties, variants as text, tables inside properties."""

from __future__ import annotations
