/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/ns3/flow.h"

#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/nstime.h"

#include <algorithm>

namespace contraflow
{

using namespace ns3;

Flow::Flow(const emu_flow_config &config, Ptr<Node> source, Ptr<Node> sink, Ipv4Address sink_address, uint16_t port)
    : m_config(config), m_source_node(source), m_sink_node(sink), m_sink_address(sink_address), m_port(port)
{
    m_stats.first_data_ps = m_stats.last_delivery_ps = -1;
}

/* Every attribute whose default differs from Linux's, or that the scenario names, is set here. */
Ptr<TcpSocketBase> Flow::MakeSocket(Ptr<Node> node)
{
    const emu_tcp_config &tcp = m_config.tcp;
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(tcp.hystart));
    Config::SetDefault("ns3::TcpWestwood::ProtocolType", StringValue("WestwoodPlus"));
    TypeId congestion = TypeId::LookupByName(emu_congestion_rows[tcp.congestion].ns3_type);
    Ptr<TcpSocketBase> s = DynamicCast<TcpSocketBase>(node->GetObject<TcpL4Protocol>()->CreateSocket(congestion));
    s->SetAttribute("SegmentSize", UintegerValue(static_cast<uint64_t>(tcp.segment_bytes)));
    s->SetAttribute("SndBufSize", UintegerValue(static_cast<uint64_t>(tcp.send_buffer_bytes)));
    s->SetAttribute("RcvBufSize", UintegerValue(static_cast<uint64_t>(tcp.receive_buffer_bytes)));
    s->SetAttribute("InitialCwnd", UintegerValue(static_cast<uint64_t>(tcp.initial_window_segments)));
    s->SetAttribute("DelAckCount", UintegerValue(static_cast<uint64_t>(tcp.delayed_ack)));
    s->SetAttribute("DelAckTimeout", TimeValue(PicoSeconds(tcp.delayed_ack_timeout_ps)));
    s->SetAttribute("MinRto", TimeValue(PicoSeconds(tcp.min_rto_ps)));
    s->SetAttribute("Sack", BooleanValue(tcp.sack));
    s->SetAttribute("Timestamp", BooleanValue(true));
    s->SetAttribute("WindowScaling", BooleanValue(true));
    s->SetAttribute("TcpNoDelay", BooleanValue(true));
    if (tcp.ecn)
        s->SetUseEcn(TcpSocketState::On); /* TcpDctcp says so itself */
    return s;
}

void Flow::Install()
{
    m_listener = MakeSocket(m_sink_node);
    m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port));
    m_listener->Listen();
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                  MakeCallback(&Flow::Accepted, this));
    m_source = MakeSocket(m_source_node);
    Simulator::Schedule(PicoSeconds(m_config.start_ps), &Flow::Connect, this);
}

void Flow::Connect()
{
    m_source->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::Sent, this));
    m_source->SetConnectCallback(MakeCallback(&Flow::Connected, this), MakeNullCallback<void, Ptr<Socket>>());
    m_source->SetSendCallback(MakeCallback(&Flow::Fill, this));
    m_source->Bind();
    m_source->Connect(InetSocketAddress(m_sink_address, m_port));
}

void Flow::Connected(Ptr<Socket> socket)
{
    m_stats.connected = true;
    Fill(socket, socket->GetTxAvailable());
}

/* Keeps the send buffer full, whole segments at a time: a buffer that is not a multiple of the
 * segment must not leave a train of small segments. */
void Flow::Fill(Ptr<Socket> socket, uint32_t available)
{
    if (!m_stats.connected)
        return; /* ns-3 reports buffer space before the handshake is over */
    while (available > 0 && (m_config.bytes == 0 || m_written < m_config.bytes)) {
        int64_t left = m_config.bytes ? m_config.bytes - m_written : INT64_MAX;
        int64_t size = std::min<int64_t>(left, m_config.tcp.segment_bytes);
        if (size > available)
            return;
        int sent = socket->Send(Create<Packet>(static_cast<uint32_t>(size)));
        if (sent <= 0)
            return;
        m_written += sent;
        available = socket->GetTxAvailable();
    }
    if (m_config.bytes && m_written == m_config.bytes) {
        socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
        socket->Close(); /* FIN after the last byte */
    }
}

void Flow::Accepted(Ptr<Socket> socket, const Address &)
{
    socket->SetRecvCallback(MakeCallback(&Flow::Receive, this));
}

void Flow::Receive(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv()) {
        if (packet->GetSize() == 0) {
            socket->Close(); /* the source closed */
            break;
        }
        m_stats.delivered_bytes += packet->GetSize();
        m_stats.last_delivery_ps = Simulator::Now().GetPicoSeconds();
    }
    m_stats.done = m_config.bytes && m_stats.delivered_bytes >= m_config.bytes;
}

void Flow::Sent(Ptr<const Packet> packet, const TcpHeader &header, Ptr<const TcpSocketBase>)
{
    uint32_t size = packet->GetSize();
    if (size == 0)
        return;
    SequenceNumber32 end = header.GetSequenceNumber() + size;
    if (!m_any_sent) {
        m_any_sent = true;
        m_next_new = header.GetSequenceNumber();
        m_stats.first_data_ps = Simulator::Now().GetPicoSeconds();
    }
    if (header.GetSequenceNumber() < m_next_new) {
        m_stats.retransmitted_segments++;
        m_stats.retransmitted_bytes += std::min<int64_t>(size, m_next_new - header.GetSequenceNumber());
    }
    m_next_new = std::max(m_next_new, end);
}

} // namespace contraflow
