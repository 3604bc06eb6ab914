"""What was done through MSMQ's COM objects: the story of queues, messages and transactions that they stand for."""
