/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/ns3/flow.h - one bulk TCP flow: a connection with payload one way, as fast as TCP lets it. */
#pragma once

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

extern "C" {
#include "emu/engine.h"
}

namespace contraflow
{

class Flow
{
  public:
    Flow(const emu_flow_config &config, ns3::Ptr<ns3::Node> source, ns3::Ptr<ns3::Node> sink,
         ns3::Ipv4Address sink_address, uint16_t port);
    Flow(const Flow &) = delete;
    Flow &operator=(const Flow &) = delete;

    /* Makes both sockets and schedules the connect. Bad values end in ns-3's fatal error. */
    void Install();
    const emu_flow_stats &Stats() const { return m_stats; }

  private:
    ns3::Ptr<ns3::TcpSocketBase> MakeSocket(ns3::Ptr<ns3::Node> node);
    void Connect();
    void Connected(ns3::Ptr<ns3::Socket> socket);
    void Fill(ns3::Ptr<ns3::Socket> socket, uint32_t available);
    void Accepted(ns3::Ptr<ns3::Socket> socket, const ns3::Address &from);
    void Receive(ns3::Ptr<ns3::Socket> socket);
    void Sent(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader &header,
              ns3::Ptr<const ns3::TcpSocketBase> socket);

    emu_flow_config m_config;
    ns3::Ptr<ns3::Node> m_source_node, m_sink_node;
    ns3::Ipv4Address m_sink_address;
    uint16_t m_port;
    ns3::Ptr<ns3::TcpSocketBase> m_source, m_listener;
    int64_t m_written = 0;              /* bytes given to the source's socket */
    bool m_any_sent = false;
    ns3::SequenceNumber32 m_next_new;   /* first sequence number not sent yet */
    emu_flow_stats m_stats{};
};

} // namespace contraflow
