"""A model of conforming clients and servers, written from the documents and not from the rules.

    from tests.conforming.conversation import converse
    talk = converse(seed)            # .script, .frames, .truth
    talk = converse(seed, "mqrr")    # one of casts.CASTS: who speaks mostly

It plays random conversations with everything that innocent parties do, and knows what really happened. So it is a
second implementation of the truth: no rule may accuse anybody, and tables must say what the model says. Every seed
gives one conversation; `python -m tests.conforming --seed 7 --script` prints it in the language of tests.scripts.

    stage.py         the script as it grows, its packets and its clock
    schedule.py      who acts next
    world.py         one conversation: chance, addresses, hosts
    transport.py     connections, associations, context handles: [MS-RPCE] 3.3
    runtime.py       a client's side of it: binding, calling, reconnecting
    presentation.py  what binds offer and servers take: [MS-RPCE] 3.3.1.5
    products.py      the versions that the product notes tell apart
    queue_manager.py queues, messages, cursors: [MS-MQDMPR]
    qm2qm_server.py, qm2qm_client.py, reading.py   [MS-MQQP]
    waiting.py       reads that wait, of both reading protocols
    remote_open.py, applications.py    what [MS-MQMP] has to do with it
    remote_read_server.py, remote_read_reading.py, remote_read_client.py, remote_read_reads.py    [MS-MQRR]
    supporting_server.py, qmcomm2_server.py, queue_administration.py, internal_transactions.py, proxies.py
    supported_client.py, supported_session.py, administrators.py, units.py    [MS-MQMP], its server and its clients
    arguments.py     what that server refuses at once
    units_of_work.py what a transaction does when its outcome is known: [MS-MQDMPR]
    management.py    [MS-MQMR]
    com_server.py, com_resolver.py, com_client.py, com_pinging.py, com_process.py, com_names.py    [MS-DCOM]
    mqac_server.py, mqac_queue_info.py, mqac_queue.py, mqac_blank_queue.py, mqac_message.py, mqac_properties.py,
    mqac_transaction.py, mqac_destination.py, mqac_query.py, mqac_application.py, mqac_management.py, mqac_event.py,
    mqac_values.py    [MC-MQAC], its classes
    mqac_behalf.py    what its server asks others for its clients
    mqac_script.py, mqac_reading.py, mqac_administering.py, mqac_watching.py, mqac_sink.py    scripts that use them
    mqac_errands.py, mqac_sayings.py    what else they do: ask what must be refused, look around
    casts.py         who takes part
    binding.py       the connections of one association, for a client with context handles
    mapper.py        the endpoint mapper
    weather.py       arrivals, crashes, resets
    truth.py         what really happened
    comparing.py     the product's tables against it
    losses.py        what captures lack
    shrinking.py     the shortest script that still accuses
    planting.py, planting_objects.py    one breach in a conversation
    *occasions*.py, breaches_of_*.py    each rule broken on purpose
    shown.py         whether a breach shows in a conversation at all
    planted.py       how often a breach is found; `make breaches`

A service is a class with `interface`, `operations` (name to a generator that gets a Call and returns a Reply) and
`rundown`; a host offers it at an endpoint. An actor is a generator that yields None or an Until.
"""
