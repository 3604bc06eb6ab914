"""The story of MSMQ's COM objects."""
