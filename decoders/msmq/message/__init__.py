"""Messages: the packet that holds one, and what there is to know of it.

`parse_message` and `from_sections` read a packet, `facts_of` and `facts_of_properties` say what is in it.
"""

from __future__ import annotations

from decoders.msmq.message.facts import MessageFacts, TransactionFacts
from decoders.msmq.message.packet import Message, parse_message
from decoders.msmq.message.packet_facts import facts_of
from decoders.msmq.message.problems import PROBLEMS, MessageProblem
from decoders.msmq.message.property_facts import facts_of_properties
from decoders.msmq.message.reader import Form
from decoders.msmq.message.sections import Section, from_sections

__all__ = [
    "PROBLEMS",
    "Form",
    "Message",
    "MessageFacts",
    "MessageProblem",
    "Section",
    "TransactionFacts",
    "facts_of",
    "facts_of_properties",
    "from_sections",
    "parse_message",
]
