r"""One conversation for each class of MSMQ's, after the scenarios of [MC-MQAC] section 4."""

from __future__ import annotations

from typing import Final

READING: Final = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
IMSMQQueue4.Peek object=Q ReceiveTimeout=0 -> gives=[null]
IMSMQQueue4.Peek object=Q ReceiveTimeout=1000 -> gives=[M1]
IMSMQMessage4.get_Label object=M1 -> result="order 16"
IMSMQQueue4.Receive object=Q ReceiveTimeout=1000 -> gives=[M2]
IMSMQMessage4.get_Label object=M2 -> result="order 17"
IMSMQMessage4.get_Body object=M2 -> result="secret"
IMSMQQueue4.ReceiveByLookupId object=Q LookupId="5121" -> status=0xC00E0088
IMSMQQueue4.Receive object=Q ReceiveTimeout=5 -> status=0xC00E001B
IMSMQQueue4.Purge object=Q
IMSMQQueue4.Close object=Q
RemRelease refs=[[M1, 5], [M2, 5], [Q, 5]]
"""
MAKING: Final = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\new"
IMSMQQueueInfo4.put_Label object=I bstrLabel="incoming"
IMSMQQueueInfo4.put_Journal object=I lJournal=1
IMSMQQueueInfo4.Create object=I IsTransactional=true IsWorldReadable=true
IMSMQQueueInfo4.get_Label object=I -> result="incoming"
IMSMQQueueInfo4.put_Label object=I bstrLabel="orders"
IMSMQQueueInfo4.put_Quota object=I lQuota=100
IMSMQQueueInfo4.Update object=I
IMSMQQueueInfo4.put_Security object=I varSecurity=[0x2011, "01000480"] -> status=0x80004001
IMSMQQueueInfo4.Refresh object=I
IMSMQQueueInfo4.Delete object=I
IMSMQQueueInfo4.Delete object=I -> status=0xC00E0003
"""
SENDING: Final = r"""
IMSMQQueueInfo4.put_FormatName object=I bstrFormatName="DIRECT=OS:hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=2 -> gives=[Q]
IMSMQMessage4.put_Label object=M bstrLabel="order 18"
IMSMQMessage4.put_Body object=M varBody="secret"
IMSMQMessage4.put_Priority object=M lPriority=5
IMSMQMessage4.put_Delivery object=M lDelivery=1
IMSMQMessage4.put_Ack object=M lAck=5
IMSMQMessage4.put_CorrelationId object=M varMsgId=[0x2011, "0102030405060708090a0b0c0d0e0f1011121314"]
IMSMQMessage4.putref_AdminQueueInfo object=M pqinfoAdmin=I
IMSMQMessage4.Send object=M DestinationQueue=Q Transaction=3
IMSMQMessage4.get_Id object=M -> result=[0x2011, "1111111122223333444455555555555507000000"]
IMSMQMessage4.put_Label object=M bstrLabel="order 19"
IMSMQMessage4.Send object=M DestinationQueue=Q -> status=0xC00E0025
IMSMQQueue4.Close object=Q
"""
TRANSACTIONS: Final = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=1 -> gives=[Q]
IMSMQTransactionDispenser3.BeginTransaction object=D -> gives=[T1]
IMSMQQueue4.Receive object=Q Transaction=[9, T1] ReceiveTimeout=0 -> gives=[M1]
IMSMQMessage4.get_Body object=M1 -> result=[0x2011, "00112233"]
IMSMQTransaction3.Commit object=T1
IMSMQTransactionDispenser3.BeginTransaction object=D -> gives=[T2]
IMSMQQueue4.ReceiveCurrent object=Q Transaction=[9, T2] -> gives=[M2]
IMSMQMessage4.Send object=M2 DestinationQueue=Q Transaction=[9, T2]
IMSMQTransaction3.Abort object=T2
IMSMQTransactionDispenser3.BeginTransaction object=D -> gives=[T3]
IMSMQQueue4.Receive object=Q Transaction=[9, T3] -> gives=[M3]
IMSMQQueue4.Close object=Q
"""
COORDINATED: Final = r"""
IMSMQCoordinatedTransactionDispenser3.BeginTransaction object=D -> gives=[T]
IMSMQTransaction3.Commit object=T fRetaining=false grfTC=2 grfRM=0
IMSMQTransaction3.Commit object=T -> status=0xC00E0051
"""
MACHINE: Final = r"""
IMSMQApplication3.put_Machine object=A bstrMachine="branch7"
IMSMQApplication3.ActiveQueues object=A -> result=[0x2008, ["DIRECT=OS:hq\private$\orders"]]
IMSMQApplication3.get_PrivateQueues object=A -> result=[0x2008, ["hq\private$\orders"]]
IMSMQApplication3.get_IsConnected object=A -> result=true
IMSMQApplication3.Disconnect object=A
IMSMQApplication3.Tidy object=A -> status=0xC00E0025
IMSMQApplication3.Connect object=A
IMSMQApplication3.MachineIdOfMachineName object=A MachineName="hq" -> result="11111111-2222-3333-4444-555555555555"
IMSMQApplication3.RegisterCertificate object=A Flags=1 ExternalCertificate=[0x2011, "3082"]
"""
MANAGEMENT: Final = r"""
IMSMQManagement.Init object=G Machine="branch7" FormatName="DIRECT=OS:hq\private$\orders"
IMSMQManagement.get_MessageCount object=G -> result=7
IMSMQManagement.get_IsLocal object=G -> result=false
IMSMQManagement.get_BytesInQueue object=G -> result=[21, 4096]
"""
OUTGOING: Final = r"""
IMSMQOutgoingQueueManagement.Init object=G Pathname="hq\private$\orders"
IMSMQOutgoingQueueManagement.get_State object=G -> result=6
IMSMQOutgoingQueueManagement.Pause object=G
IMSMQOutgoingQueueManagement.Resume object=G
IMSMQOutgoingQueueManagement.EodResend object=G -> status=0xC00E0004
"""
QUERY: Final = r"""
IMSMQQuery4.LookupQueue object=X Label="orders" RelLabel=1 -> gives=[N]
IMSMQQueueInfos4.Next object=N -> gives=[I1]
IMSMQQueueInfo4.get_PathName object=I1 -> result="hq\orders"
IMSMQQueueInfo4.get_FormatName object=I1 -> result="PUBLIC=11111111-2222-3333-4444-555555555555"
IMSMQQueueInfo4.Open object=I1 Access=0x20 -> gives=[Q]
IMSMQQueue4.PeekFirstByLookupId object=Q -> gives=[M]
IMSMQQueueInfos4.Next object=N -> gives=[null]
"""
DESTINATION: Final = r"""
IMSMQDestination.put_FormatName object=D bstrFormatName="DIRECT=OS:hq\private$\orders"
IMSMQDestination.Open object=D
IMSMQMessage4.put_Body object=M varBody=[3, 17]
IMSMQMessage4.Send object=M DestinationQueue=D
IMSMQDestination.Close object=D
"""
EVENT: Final = r"""
IMSMQQueueInfo4.put_PathName object=I bstrPathName="hq\private$\orders"
IMSMQQueueInfo4.Open object=I Access=0x20 -> gives=[Q]
IMSMQQueue4.EnableNotification object=Q Event=E Cursor=0 ReceiveTimeout=1000
IMSMQQueue4.Close object=Q
"""
CONVERSATIONS: Final = {
    "queue": (READING, "MSMQQueueInfo=I"),
    "queue_info": (MAKING, "MSMQQueueInfo=I"),
    "message": (SENDING, "MSMQQueueInfo=I", "MSMQMessage=M"),
    "transaction": (TRANSACTIONS, "MSMQQueueInfo=I", "MSMQTransactionDispenser=D"),
    "coordinated_transaction": (COORDINATED, "MSMQCoordinatedTransactionDispenser=D"),
    "application": (MACHINE, "MSMQApplication=A"),
    "management": (MANAGEMENT, "MSMQManagement=G"),
    "outgoing_queue_management": (OUTGOING, "MSMQOutgoingQueueManagement=G"),
    "query": (QUERY, "MSMQQuery=X"),
    "destination": (DESTINATION, "MSMQDestination=D", "MSMQMessage=M"),
    "event": (EVENT, "MSMQQueueInfo=I", "MSMQEvent=E"),
}
"""Script and the objects that it begins with."""
