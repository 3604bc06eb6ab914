"""A package, so that its tests can share `segments` whatever way they are collected."""

from __future__ import annotations
