/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emu/ns3/device.h - the host side of our NIC as a NetDevice: what the stack sends becomes an
 * emu_frame, what the network delivers goes up the stack. No queue of its own. */
#pragma once

#include "ns3/channel.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"

#include <functional>

extern "C" {
#include "emu/frame.h"
}

namespace contraflow
{

uint64_t mac_to_number(ns3::Mac48Address address);
ns3::Mac48Address mac_from_number(uint64_t address);

class HostDevice : public ns3::NetDevice
{
  public:
    using Transmit = std::function<void(const emu_frame &)>;

    static ns3::TypeId GetTypeId();
    HostDevice(ns3::Mac48Address address, Transmit transmit);

    /* A frame from the network reaches this host. Takes frame.packet. */
    void Deliver(const emu_frame &frame);

    void SetIfIndex(const uint32_t index) override { m_index = index; }
    uint32_t GetIfIndex() const override { return m_index; }
    ns3::Ptr<ns3::Channel> GetChannel() const override { return nullptr; }
    void SetAddress(ns3::Address address) override { m_address = ns3::Mac48Address::ConvertFrom(address); }
    ns3::Address GetAddress() const override { return m_address; }
    bool SetMtu(const uint16_t mtu) override { return mtu == kMtu; }
    uint16_t GetMtu() const override { return kMtu; }
    bool IsLinkUp() const override { return true; }
    void AddLinkChangeCallback(ns3::Callback<void>) override {} /* the link never changes */
    bool IsBroadcast() const override { return true; }
    ns3::Address GetBroadcast() const override { return ns3::Mac48Address::GetBroadcast(); }
    bool IsMulticast() const override { return true; }
    ns3::Address GetMulticast(ns3::Ipv4Address group) const override { return ns3::Mac48Address::GetMulticast(group); }
    ns3::Address GetMulticast(ns3::Ipv6Address group) const override { return ns3::Mac48Address::GetMulticast(group); }
    bool IsBridge() const override { return false; }
    bool IsPointToPoint() const override { return false; }
    bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address &to, uint16_t protocol) override;
    bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address &from, const ns3::Address &to,
                  uint16_t protocol) override;
    ns3::Ptr<ns3::Node> GetNode() const override { return m_node; }
    void SetNode(ns3::Ptr<ns3::Node> node) override { m_node = node; }
    bool NeedsArp() const override { return true; }
    void SetReceiveCallback(ReceiveCallback callback) override { m_receive = callback; }
    void SetPromiscReceiveCallback(PromiscReceiveCallback) override {} /* nothing listens on other hosts' frames */
    bool SupportsSendFrom() const override { return true; }

  private:
    static constexpr uint16_t kMtu = EMU_FRAME_MOST_PAYLOAD;
    void DoDispose() override;

    ns3::Mac48Address m_address;
    Transmit m_transmit;
    ns3::Ptr<ns3::Node> m_node;
    ReceiveCallback m_receive;
    uint32_t m_index = 0;
};

} // namespace contraflow
