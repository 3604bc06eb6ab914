"""A model of conforming clients and servers, written from the documents and not from the rules.

    from tests.conforming.conversation import converse
    talk = converse(seed)      # .script, .frames, .truth

It plays random conversations with everything that innocent parties do, and knows what really happened. So it is a
second implementation of the truth: no rule may accuse anybody, and tables must say what the model says. Every seed
gives one conversation; `python -m tests.conforming --seed 7 --script` prints it in the language of tests.scripts.

    stage.py         the script as it grows, its packets and its clock
    schedule.py      who acts next
    world.py         one conversation: chance, addresses, hosts
    transport.py     connections, associations, context handles: [MS-RPCE] 3.3
    runtime.py       a client's side of it: binding, calling, reconnecting
    products.py      the versions that the product notes tell apart
    queue_manager.py queues, messages, cursors: [MS-MQDMPR]
    qm2qm_server.py, qm2qm_client.py, reading.py   [MS-MQQP]
    remote_open.py, applications.py    what [MS-MQMP] has to do with it
    management.py    [MS-MQMR]
    mapper.py        the endpoint mapper
    weather.py       arrivals, crashes, resets
    truth.py         what really happened
    comparing.py     the product's tables against it
    losses.py        what captures lack
    shrinking.py     the shortest script that still accuses

A service is a class with `interface`, `operations` (name to a generator that gets a Call and returns a Reply) and
`rundown`; a host offers it at an endpoint. An actor is a generator that yields None or an Until.
"""
