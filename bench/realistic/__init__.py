"""Captures of ordinary MSMQ traffic, of any size: conversations played once from scripts, and copied with numpy.

python -m bench.realistic rpc 100MB       # bench/data/rpc-100MB.pcap, MSMQ's RPC alone
python -m bench.realistic mixed 1GB       # the same among other traffic
"""
