"""Packets to TCP segments: link layers, IP, tunnels, fragments; in bulk with numpy, one by one with dpkt."""
