"""pcap and pcapng: where each record starts and what must be known to read on from there."""
