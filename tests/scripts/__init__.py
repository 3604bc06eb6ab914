r"""RPC conversations as scripts, and captures of them.

    from tests.scripts.player import capture, play, write
    frames = play(script)              # list of Timed(ts_us, frame, line of the script, about)
    path = capture(tmp_path, script)   # classic pcap, microseconds, Ethernet

    connect
    RemoteQMOpenQueue hQueue=9 -> phContext=S1
    RemoteQMStartReceive hRemoteQueue=9 ulTimeout=5000 -> message=300 after 2s
    RemoteQMEndReceive dwAck=2
    RemoteQMCloseQueue pphContext=S1
    close

One statement a line, `#` begins a comment. A wrong script raises ScriptError with line and word. `about` is one of syn
syn_ack ack bind bind_ack bind_nak auth3 request response fault fin rst.

CONNECTIONS

    connect [NAME] [OPTION ...]         TCP handshake, bind, bind_ack, and auth3 where there is auth
    refuse [NAME] [OPTION ...]          TCP handshake, bind, bind_nak, FINs
    close [NAME]                        FIN of the client, FIN of the server, ACK
    reset [NAME] [by server]            RST
    wait 5s                             us, ms, s, m, h
    repeat 100 STATEMENT                the same, so many times

    NAME                c               used again it is a new connection, and the old one has no name
    from A, to A        10.0.0.5, .9    IPv4 or IPv6; the client's ports are 50001, 50002 ...
    port N              by interface    2105, 2103, 135; any other 49152
    interface X         qm2qm           qm2qm, qmmgmt, epm or a UUID
    version M.N         its own         1.0 for a UUID nobody knows
    syntax X            ndr             ndr, ndr64
    auth X              integrity       none (default of epm), connect, packet, integrity, privacy. NTLM; later PDUs
                                        have a trailer with 16 bytes of signature. privacy: stubs are random bytes
    user X              alice           "" is anonymous
    domain X            CORP
    workstation X       BRANCH7
    group X             new             asks for group 0, gets 0x1001, 0x1002 ...; a connection's name: joins its group
    midstream                           the capture begins after handshake, bind, bind_ack, auth3
    lose A,B                            syn syn_ack ack bind bind_ack bind_nak auth3: sent, not captured
    reason N            8               of refuse

close and reset without NAME mean the connection opened last that is still open.

CALLS

    [NAME:] Operation [name=value ...] [lost] [-> [name=value ...] [lost | none] [after 5s]]
    [NAME:] ask LABEL Operation [name=value ...] [lost]
    answer LABEL [-> [name=value ...] [lost | none] [after 5s]]
    [NAME:] opnum number=11             any operation by number, with 4 zeros as stubs

Left of the arrow the request, right of it the response. Without NAME: on the connection opened last, and still open,
that speaks the operation's interface. `lost`: sent, not captured. `none`: never sent. An answer is followed by the
client's ACK. Names are the IDL's; members of structures stand without their parents. Beyond the IDL, on the left (l) or
on the right (r):

    status=X            r    the return value; of epm the parameter. Not 0: null handles, no message, no towers,
                             properties as asked
    fault=X             r    a fault PDU instead
    stub=HEX            l r  these bytes instead of all values
    message=N[/K]       l r  lpBuffer is a UserMessage with N bytes of body. Equal N/K, equal bytes; K is SequentialId
                             if not given. null: none
    buffer=HEX          l r  lpBuffer; dwSize follows unless given
    packet_size=N       l r  BaseHeader.PacketSize of the message
    descriptor=null     l r  a null pRemoteReadDesc
    queue="OS:a\q"      l    MGMT_QUEUE with a direct QUEUE_FORMAT; or "PUBLIC=GUID", "PRIVATE=GUID\0000000f",
                             "MACHINE=GUID", "CONNECTOR=GUID", "DL=GUID@domain", "MULTICAST=234.1.1.1:80",
                             "SUBQUEUE=..."; m_qft, m_SuffixAndFlags, m_reserved override
    vt=[31, VT_NULL]    l r  types of apVar; without apVar its values follow
    apVar=["ON", 17]    l r  values; the types are the properties' (null: VT_NULL) unless given. Octets: "00ff";
                             VT_VECTOR|VT_VARIANT: [[vt, value], ...]
    for=qm2qm           l    interface or UUID that ept_map asks for
    port=N host="A"     r    tower that ept_map returns; host also of ept_lookup, by default the server's address
    entries=[qm2qm:99]  r    of ept_lookup; NAME:PORT or UUID:PORT

Values: decimal, 0x; null; GUIDs; "text"; [lists]; names of numbers: MQ_..., STATUS_..., nca_..., ept_s_..., RECEIVE,
PEEK_CURRENT, PEEK_NEXT, LOOKUP_PEEK_CURRENT|NEXT|PREV, LOOKUP_RECEIVE_CURRENT|NEXT|PREV, RR_ACK, MGMT_QUEUE, VT_LPWSTR,
VT_VECTOR|VT_UI4, PROPID_..., INFINITE. Where a handle or a GUID belongs any other identifier stands for a UUID, the one
that tests.scripts.words.handle("S1") returns. Nothing is checked against ranges or counts: dwMQS=99, cp=5 are played.

DEFAULTS

    RemoteQMOpenQueue            pLicGuid=11111111-2222-3333-4444-555555555555 dwMQS=0 hQueue=7, pQueue and dwpContext
                                 as hQueue -> phContext=S
    RemoteQMStartReceive         hRemoteQueue=7, dwQueue the same, ulAction=RECEIVE, dwRequestID the lowest not used,
                                 lpBuffer null, others 0 -> the request's, message=100 Reserved=1, dwArriveTime a minute
                                 ago, pphContext=R (peeks: null)
    RemoteQMStartReceive2        the same -> SequentialId = 0x1401 + number of start calls before
    RemoteQMStartReceiveByLookupId  ulAction=LOOKUP_RECEIVE_CURRENT LookupId=0x1401 -> SequentialId = low 56 bits of
                                 LookupId, NEXT one more, PREV one less
    RemoteQMEndReceive           pphContext=R dwAck=2 -> pphContext=null
    RemoteQMCloseQueue           pphContext=S -> pphContext=null
    RemoteQMCloseCursor          hQueue=7 hCursor=3
    RemoteQMCancelReceive        hQueue=7, pQueue the same, dwRequestID the last one used
    RemoteQMPurgeQueue           hQueue=7
    RemoteQMGetQMQMServerPort    dwPortType=1 -> return_value=2105
    RemoteQmGetVersion           -> pMajor=6 pMinor=1 pBuildNumber=7601
    R_QMMgmtGetInfo              type=1 aProp=[4], cp its length, apVar VT_NULL -> each property by its type
    R_QMMgmtAction               type=1 lpwszAction="CONNECT", of a queue "PAUSE"
    ept_map                      for=qm2qm max_towers=4 -> port=2105
    ept_lookup                   max_ents=500 -> entries=[qm2qm:2105, qmmgmt:2103]
    ept_lookup_handle_free       entry_handle=null -> entry_handle=null

TIMES

The first packet is sent at 2026-01-05 08:00:00 UTC, each other 1 ms after the one before, lost ones too. `wait 5s` and
`after 5s` put exactly that long between the last packet and the next; together they add up. The bind has call id 1, the
calls count from 2 on. PDUs have at most 4280 bytes, segments 1400.
"""
