r"""RPC conversations as scripts, and captures of them.

    from tests.scripts.player import capture, captures, play, write
    frames = play(script)              # list of Timed(ts_us, frame, line of the script, about, tap)
    path = capture(tmp_path, script)   # classic pcap, microseconds, Ethernet
    paths = captures(tmp_path, script) # a file for each tap, in the order of their names

    connect
    RemoteQMOpenQueue hQueue=9 -> phContext=S1
    RemoteQMStartReceive hRemoteQueue=9 ulTimeout=5000 -> message=300 after 2s
    RemoteQMEndReceive dwAck=2
    RemoteQMCloseQueue pphContext=S1
    close

One statement a line, `#` begins a comment. A wrong script raises ScriptError with line and word. `about` is one of syn
syn_ack ack bind bind_ack bind_nak auth3 alter alter_resp request response fault cancel orphan fin rst.

CONNECTIONS

    connect [NAME] [OPTION ...]         TCP handshake, bind, bind_ack, and auth3 where there is auth
    refuse [NAME] [OPTION ...]          TCP handshake, bind, bind_nak, FINs
    alter [NAME] [OPTION ...]           alter_context and its answer: another interface on the same connection. Options:
                                        interface (qmcomm), version, syntax, offers, grants, lose alter,alter_resp
    close [NAME] [by server]            FIN of the client, FIN of the server, ACK; or the server's first
    reset [NAME] [by server]            RST
    wait 5s                             us, ms, s, m, h
    repeat 100 STATEMENT                the same, so many times

    NAME                c               used again it is a new connection, and the old one has no name
    from A, to A        10.0.0.5, .9    IPv4 or IPv6; the client's ports are 50001, 50002 ...
    port N              by interface    epm 135; dscomm, dscomm2 2101; qm2qm 2105; the others of MSMQ 2103; the object
                                        resolver's 135; COM's 49700; a UUID 49152
    interface X         qm2qm           qm2qm, qmmgmt, qmcomm, qmcomm2, RemoteRead, dscomm, dscomm2, epm, one of COM's
                                        (IRemoteSCMActivator, IObjectExporter, IRemUnknown, IClassFactory, IDispatch,
                                        IMSMQQueueInfo ...) or a UUID
    version M.N         its own         1.0 for a UUID nobody knows
    syntax X            ndr             ndr, ndr64: the one that the server accepts
    offers X/Y          the syntax      transfer syntaxes that the client proposes, a presentation context each
    features N          none            bits of a feature negotiation in the bind, as its last context
    acks N              it rejects that bits that the server answers it with
    rejects N           bind_nak        of refuse: a bind_ack that rejects every context, for this reason
    auth X              integrity       none (default of epm), connect, packet, integrity, privacy. NTLM; later PDUs
                                        have a trailer with 16 bytes of signature. privacy: stubs are sealed
    user X              alice           "" is anonymous
    domain X            CORP
    workstation X       BRANCH7
    password X          tests.scripts.ntlm.PASSWORD
    ntlm X              v2              v2, v1_ess (with extended session security), v1
    group X             new             asks for group 0, gets 0x1001, 0x1002 ...; a connection's name: joins its group
    asks N              by group        the number that the bind asks for
    grants N            by group        the number that the answer gives
    source N            50001 and so on the client's port; one that had a connection already begins another one
    cycle N             never           after so many calls their ids begin again, which conforming clients do not do
    tap X               ""              where its packets are captured: captures() writes a file for each
    midstream                           the capture begins after handshake, bind, bind_ack, auth3
    lose A,B                            syn syn_ack ack bind bind_ack bind_nak auth3: sent, not captured
    reason N            8               of refuse

close and reset without NAME mean the connection opened last that is still open.

CALLS

    [NAME:] Operation [name=value ...] [lost] [-> [name=value ...] [lost | none] [after 5s]]
    [NAME:] ask LABEL Operation [name=value ...] [lost]
    answer LABEL [-> [name=value ...] [lost | none] [after 5s]]
    cancel LABEL, orphan LABEL          co_cancel, orphaned: PDUs of a client that gives the call up
    callback LABEL Operation [name=value ...] [lost] [-> [name=value ...] [lost | none] [after 5s]]
    [NAME:] opnum number=11             any operation by number, with 4 zeros as stubs

Left of the arrow the request, right of it the response. Without NAME: on the connection opened last, and still open,
that speaks the operation's interface. `lost`: sent, not captured. `none`: never sent. An answer is followed by the
other side's ACK. A callback is asked by the server, inside the call that waits under that label, and answered by the
client; both have that call's id. Names are the IDL's; members of structures stand without their parents. Beyond the
IDL, on the left (l) or on the right (r):

    status=X            r    the return value; of epm the parameter. Not 0: null handles, no message, no towers,
                             properties as asked, no signature
    fault=X             r    a fault PDU instead: so fail R_OpenQueue and others that return nothing
    stub=HEX            l r  these bytes instead of all values
    message=N[/K]       l r  lpBuffer is a UserMessage with N bytes of body. Equal N/K, equal bytes; K is SequentialId
                             if not given. null: none. Of RemoteRead it is ppPacketSections, of qmcomm2 properties
    destination="OS:a\q" l r  the queue that the message is addressed to; "OS:hq\private$\orders" if not given
    cut=N               r    RemoteRead's server sends N bytes of the body; by default as many as dwMaxBodySize says
    buffer=HEX          l r  lpBuffer; dwSize follows unless given
    ppPacketSections=[[stFullPacket, 8, "00ff"]]  r  type, SectionSizeAlloc and bytes of each, instead of a message
    packet_size=N       l r  BaseHeader.PacketSize of the message
    descriptor=null     l r  a null pRemoteReadDesc
    descriptor=HEX      l r  a security descriptor; SDSize, dwSDLength, nLength, lpnLengthNeeded follow unless given
    transaction=NAME    l    pUow or pTransactionId, 16 bytes; null: none
    queue="OS:a\q"      l r  MGMT_QUEUE, OBJECT_FORMAT or pQueueFormat with a direct QUEUE_FORMAT; or "PUBLIC=GUID",
                             "PRIVATE=GUID\0000000f",
                             "MACHINE=GUID", "CONNECTOR=GUID", "DL=GUID@domain", "MULTICAST=234.1.1.1:80",
                             "SUBQUEUE=..."; m_qft, m_SuffixAndFlags, m_reserved override
    vt=[31, VT_NULL]    l r  types of apVar; without apVar its values follow
    apVar=["ON", 17]    l r  values; the types are the properties' (null: VT_NULL) unless given. Octets: "00ff";
                             VT_VECTOR|VT_VARIANT: [[vt, value], ...]
    pColumns=[103]      l    of S_DSLookupBegin; pRestriction=[[PREQ, 108, "a"]], pSort=[[103, QUERY_SORTASCEND]]
    pbBuffer=[...]      r    of S_DSLookupNext: values, whose types are those of the columns unless vt is given
    for=qm2qm           l    interface or UUID that ept_map asks for
    port=N host="A"     r    tower that ept_map returns; host also of ept_lookup, by default the server's address
    entries=[qm2qm:99]  r    of ept_lookup; NAME:PORT or UUID:PORT

Values: decimal, 0x; null; GUIDs; "text"; [lists]; octets as hexadecimal digits; names of numbers: MQ_..., STATUS_...,
nca_..., ept_s_..., RECEIVE, PEEK_CURRENT, PEEK_NEXT, LOOKUP_PEEK_CURRENT|NEXT|PREV, LOOKUP_RECEIVE_CURRENT|NEXT|PREV,
RR_ACK, MGMT_QUEUE, VT_LPWSTR, PROPID_..., INFINITE, MQ_PEEK_ACCESS, MQDS_QUEUE, DACL_SECURITY_INFORMATION and others of
tests.scripts.constants, several with | between them. Where a handle, a GUID or a transaction belongs any other
identifier stands for a UUID, the one that tests.scripts.words.handle("S1") returns. Nothing is checked against ranges
or counts: dwMQS=99, cp=5 are played.

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
    ept_map                      for=qm2qm max_towers=4 -> port as of a connection; of a UUID 2105
    ept_lookup                   max_ents=500 -> entries=[qm2qm:2105, qmmgmt:2103]
    ept_lookup_handle_free       entry_handle=null -> entry_handle=null

qmcomm. Queues are "OS:hq\private$\orders", pLicGuid is 33333333-2222-3333-4444-555555555555:

    R_QMGetRTQMServerPort        fIP=0 -> return_value=2103 or, for fIP=1, 2105
    R_QMQueryQMRegistryInternal  dwQueryType=3 -> lplpMQISServer="6.1.7601"; others by their types
    R_QMOpenRemoteQueue          dwDesiredAccess=1 dwMQS=0x300 -> pphContext=P phQueue=7, pdwContext and dwpQueue as
                                 phQueue
    R_QMCloseRemoteQueueContext  pphContext=P -> pphContext=null
    R_QMCreateRemoteCursor       hQueue=7 -> phCursor=3
    rpc_QMOpenQueueInternal      dwDesiredAccess=1 hRemoteQueue=0, dwpQueue and dwpRemoteContext as hRemoteQueue
                                 -> phQueue=Q pdwQMContext=5; where lplpRemoteQueueName is given, null and 0
    rpc_ACCloseHandle            phQueue=Q -> phQueue=null
    rpc_ACCloseCursor            hQueue=Q hCursor=3
    rpc_ACSetCursorProperties    hProxy=Q hCursor=3 hRemoteCursor=3
    rpc_ACPurgeQueue             hQueue=Q
    rpc_ACHandleToFormatName     hQueue=Q dwFormatNameRPCBufferLen=128 -> the queue's
    R_QMGetRemoteQueueName       pQueue=5 -> lplpRemoteQueueName="hq\private$\orders"
    R_QMGetTmWhereabouts         cbBufSize=64 -> 48 bytes
    R_QMEnlistTransaction        transaction=T, a cookie of 40 bytes
    R_QMEnlistInternalTransaction  transaction=T -> phIntXact=X
    R_QMCommitTransaction, R_QMAbortTransaction  phIntXact=X -> phIntXact=null
    R_QMCreateObjectInternal     lpwcsPathName="hq\private$\orders" aProp=[103], a usual descriptor
    R_QMSetObjectSecurityInternal  SecurityInformation=4, a usual descriptor
    R_QMGetObjectSecurityInternal  RequestedInformation=7 nLength=256 -> those parts of a usual descriptor
    R_QMGetObjectProperties      aProp=[103] -> each property by its type
    R_QMSetObjectProperties      aProp=[108]
    R_QMObjectPathToObjectFormat  lpwcsPathName="hq\private$\orders" -> queue="PRIVATE=11111111-...\0000000f"

qmcomm2:

    rpc_ACReceiveMessageEx       hQMContext=5 Action=RECEIVE, others 0; asks for class, ids, times, priority, delivery,
                                 body type, source, label, destination and 1024 bytes of body -> message=100, K is
                                 0x1401 + number of these calls before; arrived a minute ago
    rpc_ACSendMessageEx          hQueue=Q message=100 -> pMessageID of 11111111-2222-3333-4444-555555555555
    QMSendMessageInternalEx      the same with a queue; pAdminQueueFormat, pResponseQueueFormat: "OS:a\q", null
    rpc_ACCreateCursorEx         hQueue=Q -> hCursor=3 srv_hACQueue=7 cli_pQMQueue=5

RemoteRead. phContext and phContextFrom are RR:

    R_GetServerPort              -> return_value=2103
    R_OpenQueue                  dwAccess=1 pClientId=11111111-2222-3333-4444-555555555555 fNonRoutingServer=1 Major=6
                                 Minor=1 BuildNumber=7601 -> pphContext=RR
    R_OpenQueueForMove           the same, queue="SUBQUEUE=OS:hq\private$\orders;rejected" dwAccess=4 -> pphContext=MV
                                 pMoveContext=0x7001
    R_CloseQueue                 pphContext=RR -> pphContext=null
    R_CreateCursor               -> phCursor=3
    R_CloseCursor                hCursor=3
    R_StartReceive               ulAction=RECEIVE, with LookupId LOOKUP_RECEIVE_CURRENT; to look up LookupId=0x1401;
                                 dwRequestId the lowest not used, dwMaxBodySize 4 MiB -> message=100, pSequenceId as
                                 SequentialId of qm2qm, pdwArriveTime a minute ago
    R_StartTransactionalReceive  the same, transaction=T
    R_EndReceive, R_EndTransactionalReceive  dwAck=2, dwRequestId the last one used
    R_CancelReceive              dwRequestId the last one used
    R_QMEnlistRemoteTransaction  transaction=T, a token of 60 bytes
    R_MoveMessage                ullContextTo=0x7001 LookupId=0x1401 transaction=T
    R_SetUserAcknowledgementClass  LookupId=0x1401 usClass=0xC004
    R_PurgeQueue

dscomm and dscomm2. dwObjectType=1 pwcsPathName="hq\orders" or pGuid=orders; what is read has phServerAuth=A and
pdwServerSignatureSize=128 -> 32 bytes of signature:

    S_DSValidateServer           dwContext=1, NTLM's first token -> pphServerAuth=A
    S_InitSecCtx                 dwContext=1, the second -> the third; also where status=SEC_I_CONTINUE_NEEDED
    S_DSCloseServerHandle        pphServerAuth=A -> pphServerAuth=null
    S_DSGetServerPort            fIP=1 -> return_value=2101
    S_DSLookupBegin              pRestriction=[[PREQ, 108, "orders"]] pColumns=[101, 103] pSort=null -> pHandle=L
    S_DSLookupNext               Handle=L dwSize=16 -> one object
    S_DSLookupEnd                phContext=L -> phContext=null
    S_DSCreateObject             aProp=[103], a usual descriptor -> pObjGuid=orders
    S_DSGetProps[Guid][Ex]       aProp=[103] -> each property by its type
    S_DSSetProps[Guid]           aProp=[108]
    S_DSGetObjectSecurity[Guid], S_DSQMGetObjectSecurity  SecurityInformation=7 nLength=256 -> a usual descriptor
    S_DSSetObjectSecurity[Guid]  SecurityInformation=4, a usual descriptor
    S_DSDeleteObject[Guid]
    S_DSQMSetMachineProperties   pwcsPathName="hq" aProp=[216] dwContext=1
    S_DSQMSetMachinePropertiesSignProc, S_DSQMGetObjectSecurityChallengeResponceProc  16 bytes -> 64 bytes
    S_DSCreateServersCache       pdwIndex=0 -> lplpSiteServers="hq.example;\10dc1.example"
    S_DSGetComputerSites         pwcsPathName="hq" -> ppguidSites=[site]
    S_DSBeginDeleteNotification  -> pHandle=D
    S_DSNotifyDelete             Handle=D
    S_DSEndDeleteNotification    pHandle=D -> pHandle=null
    S_DSIsServerGC               -> return_value=1
    S_DSGetGCListInDomain        lpwszDomainName="example" -> lplpwszGCList="10dc1.example"

DCOM

    connect r interface IRemoteSCMActivator
    RemoteCreateInstance class=MSMQQueueInfo iids=[IDispatch] -> gives=[A]
    connect interface IMSMQQueueInfo
    alter interface IDispatch
    Invoke object=A dispIdMember=4 rgvarg=["x", 5] -> gives=B
    alter interface IRemUnknown
    RemRelease refs=[[A, 5], [B, 5]]

A conversation of COM's own interfaces is MSMQ's only where the port was told for one of MSMQ's classes, or where one
of MSMQ's interfaces is bound as well. Names of classes and interfaces stand for their UUIDs, other names for IPIDs. An
IPID that was given keeps its OXID and OID; a new one has OXID 0x0A01 and the next OID from 0x0B01 on.

    object=A            l    IPID that the call is made on: the object UUID. Of `opnum` too, which then has ORPCTHIS
    MajorVersion, MinorVersion, flags, cid  l  of ORPCTHIS: 5, 7, 0 (of activations 1) and always the same
    gives=[A, null]     r    IPIDs that are handed out; null: refused
    public=N oxid=N oid=N iid=X form=N signature=N sorf=N at="A"  l r  of these references; public is 5, sorf the
                             flags of STDOBJREF, at the address of the resolver: the server's
    class=X iids=[X]    l    of an activation: EventSystem, [IDispatch], or [IClassFactory] for RemoteGetClassObject
    results=[0]         r    of an activation, for each interface
    lacks=[X] total=N   l r  properties that an activation leaves out; totalSize
    port=N host="A" unknown=RU minor=N  r  of the exporter: 49700, the server's address, its Remote Unknown, 7
    refs=[[A, 5, 0]]    l    IPID, public and private references
    rgvarg=["x", 5, null, [vt, value], [9, A]]  l  arguments, last one first. [0x2011, "00ff"] and [0x2008, ["a"]] are
                             arrays. pVarResult, rgVarRef the same
    cBytes=N fFeatures=N  l r  what texts and arrays among them say of themselves

    RemoteCreateInstance, RemoteGetClassObject  -> gives=[A]
    ResolveOxid2                 pOxid=0x0A01 -> where the exporter is
    ServerAlive, ServerAlive2    -> host
    SimplePing                   pSetId=0x51
    ComplexPing                  pSetId=0 SequenceNum=1 AddToSet=[0x0B01] DelFromSet=null -> pSetId=0x51
    RemQueryInterface            object=RU ripid=A cRefs=5 iids=[IConnectionPointContainer] -> gives=[Q0]
    RemAddRef, RemRelease        object=RU refs=[[A, 5]]
    CreateInstance               object=A riid=IUnknown -> gives=B
    FindConnectionPoint          object=A riid=_DMSMQEventEvents -> gives=[P]
    GetConnectionInterface       object=P -> pIID=_DMSMQEventEvents
    Advise                       object=P sink=S -> pdwCookie=1
    Unadvise                     object=P dwCookie=1
    GetTypeInfoCount             object=A -> pctinfo=1
    GetTypeInfo                  object=A iTInfo=0 lcid=1033 -> gives=T
    GetIDsOfNames                object=A rgszNames=["Open"] -> rgDispId=[4]; where it fails [-1]
    Invoke                       object=A dispIdMember=4 dwFlags=1 -> pVarResult=null, wCode and scode 0

OBJECTS OF MSMQ

    connect interface IMSMQQueueInfo4
    alter interface IMSMQQueue4
    IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
    IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
    IMSMQQueue4.Receive object=Q Transaction=[9, T] ReceiveTimeout=1000 -> gives=[M]
    IMSMQMessage4.get_Body object=M -> result="text"

An operation has its interface in front of it, which may be one that is derived from the one with the member. On a
connection that speaks the interface it is called by its own number, on one that speaks only IDispatch by Invoke, with
the same values. _DMSMQEventEvents is always called by Invoke.

    name=X              l    an argument: "text", a number, true, false, an IPID where an object belongs, [vt, value] of
                             a VARIANT. Optional ones that are not given are left out
    result=X            r    what it returns, written likewise; gives=[Q] where that is an object
    status=X            r    the HRESULT; by Invoke an exception carries it

    FindConnectionPoint          object=A riid=_DMSMQEventEvents -> gives=P
    Advise                       object=P sink=K, with oxid, oid, at -> pdwCookie=1
    Unadvise                     object=P dwCookie=1

TIMES

The first packet is sent at 2026-01-05 08:00:00 UTC, each other 1 ms after the one before, lost ones too. `wait 5s` and
`after 5s` put exactly that long between the last packet and the next; together they add up. The bind has call id 1, the
calls count from 2 on. PDUs have at most 4280 bytes, segments 1400.
"""
