/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emu/ns3/device.h"

namespace contraflow
{

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(HostDevice);

uint64_t mac_to_number(Mac48Address address)
{
    uint8_t octets[6];
    address.CopyTo(octets);
    uint64_t number = 0;
    for (uint8_t octet : octets)
        number = number << 8 | octet;
    return number;
}

Mac48Address mac_from_number(uint64_t number)
{
    uint8_t octets[6];
    for (int i = 5; i >= 0; i--, number >>= 8)
        octets[i] = static_cast<uint8_t>(number);
    Mac48Address address;
    address.CopyFrom(octets);
    return address;
}

TypeId HostDevice::GetTypeId()
{
    static TypeId tid = TypeId("contraflow::HostDevice").SetParent<NetDevice>().SetGroupName("contraflow");
    return tid;
}

HostDevice::HostDevice(Mac48Address address, Transmit transmit)
    : m_address(address), m_transmit(std::move(transmit))
{
}

void HostDevice::DoDispose()
{
    m_node = nullptr;
    m_receive = ReceiveCallback();
    NetDevice::DoDispose();
}

/* Whose address it is; groups go to everybody. */
static uint32_t station(Mac48Address address)
{
    return address.IsGroup() ? EMU_FRAME_BROADCAST
                             : static_cast<uint32_t>(mac_to_number(address) - emu_frame_mac(0));
}

/* TCP over IPv4 without payload, SYN, FIN or RST: what ack-first queues serve first. */
static bool is_pure_ack(const Packet &packet, uint16_t protocol)
{
    uint8_t b[60 + 20]; /* longest IPv4 header and a plain TCP header */
    uint32_t n = protocol == 0x0800 ? packet.CopyData(b, sizeof b) : 0;
    if (n < 40 || b[9] != 6)
        return false;
    uint32_t ip_bytes = (b[0] & 15u) * 4, total = b[2] * 256u + b[3];
    if (n < ip_bytes + 20)
        return false;
    const uint8_t *tcp = b + ip_bytes;
    uint32_t tcp_bytes = (tcp[12] >> 4) * 4u;
    return total == ip_bytes + tcp_bytes && (tcp[13] & 0x17) == 0x10;
}

bool HostDevice::Send(Ptr<Packet> packet, const Address &to, uint16_t protocol)
{
    return SendFrom(packet, m_address, to, protocol);
}

bool HostDevice::SendFrom(Ptr<Packet> packet, const Address &from, const Address &to, uint16_t protocol)
{
    emu_frame frame{};
    frame.dst = station(Mac48Address::ConvertFrom(to));
    frame.src = station(Mac48Address::ConvertFrom(from));
    frame.ethertype = protocol;
    frame.payload_bytes = static_cast<uint16_t>(packet->GetSize()); /* kMtu bounds it */
    frame.pure_ack = is_pure_ack(*packet, protocol);
    packet->Ref(); /* the frame's own */
    frame.packet = PeekPointer(packet);
    m_transmit(frame);
    return true;
}

void HostDevice::Deliver(const emu_frame &frame)
{
    Ptr<Packet> packet(static_cast<Packet *>(frame.packet), false); /* takes the frame's reference */
    if (frame.dst != EMU_FRAME_BROADCAST && frame.dst != station(m_address))
        return; /* flooded to everybody, meant for another host */
    if (!m_receive.IsNull())
        m_receive(this, packet->Copy(), frame.ethertype, mac_from_number(emu_frame_mac(frame.src)));
}

} // namespace contraflow
