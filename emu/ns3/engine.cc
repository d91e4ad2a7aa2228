/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reference engine behind emu/engine.h: ns-3's scheduler and TCP/IP stack.
 *
 * ns-3 reports a fatal error by printing to std::cerr and ending the process. While a call
 * runs here, std::cerr is collected and a terminate handler jumps back out, so that the
 * caller gets a status and the sentence; the engine is not usable after that. */
#include "emu/ns3/device.h"
#include "emu/ns3/flow.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <csetjmp>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

extern "C" {
}

using namespace ns3;
using contraflow::Flow;
using contraflow::HostDevice;

struct emu_engine {
    emu_engine_config config;
    struct Host {
        Ptr<Node> node;
        Ptr<HostDevice> device;
        Ipv4Address address;
    };
    std::vector<Host> hosts;
    std::vector<std::unique_ptr<Flow>> flows;
};

namespace
{

emu_engine *the_engine; /* ns-3's simulator is process-wide, so is this */
std::jmp_buf fatal_exit;
bool broken; /* after a fatal error */

[[noreturn]] void on_terminate()
{
    std::longjmp(fatal_exit, 1);
}

/* What ns-3 printed, without file and line, on one line. */
std::string fatal_sentence(const std::string &text)
{
    std::string::size_type from = text.find("msg=\"");
    if (from == std::string::npos)
        return text.empty() ? "no message" : text.substr(0, 200);
    from += 5;
    return text.substr(from, text.find('"', from) - from);
}

/* Runs body; a C++ exception or an ns-3 fatal error becomes *err. Objects on body's stack are
 * lost with a fatal error: the process is about to end. */
template <typename Body> bool guarded(const char *doing, error *err, Body body)
{
    if (broken)
        return error_set(err, ERROR_SYSTEM, "%s: the engine failed before", doing);
    static std::ostringstream said;
    said.str("");
    static std::streambuf *terminal;
    terminal = std::cerr.rdbuf(said.rdbuf());
    static std::terminate_handler before;
    before = std::set_terminate(on_terminate);
    bool ok = true;
    if (setjmp(fatal_exit) == 0) {
        try {
            body();
        } catch (const std::exception &e) {
            ok = error_set(err, ERROR_SYSTEM, "%s: %s", doing, e.what());
        } catch (...) {
            ok = error_set(err, ERROR_SYSTEM, "%s: unknown exception", doing);
        }
    } else {
        broken = true;
        ok = error_set(err, ERROR_SYSTEM, "%s: %s", doing, fatal_sentence(said.str()).c_str());
    }
    std::set_terminate(before);
    std::cerr.rdbuf(terminal);
    return ok;
}

int64_t now_ps(void *)
{
    return Simulator::Now().GetTimeStep(); /* resolution is 1 ps */
}

void schedule(void *, int64_t delay_ps, void (*fn)(void *), void *arg)
{
    Simulator::Schedule(Time(delay_ps), fn, arg);
}

void *packet_share(void *packet)
{
    static_cast<Packet *>(packet)->Ref();
    return packet;
}

void packet_release(void *packet)
{
    static_cast<Packet *>(packet)->Unref();
}

uint32_t sum16(const uint8_t *bytes, size_t n, uint32_t sum)
{
    for (size_t i = 0; i + 1 < n; i += 2)
        sum += bytes[i] * 256u + bytes[i + 1];
    return n & 1 ? sum + bytes[n - 1] * 256u : sum;
}

void put_checksum(uint8_t *at, uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    at[0] = static_cast<uint8_t>(~sum >> 8);
    at[1] = static_cast<uint8_t>(~sum);
}

/* IPv4 header and TCP checksums (RFC 791, RFC 9293 section 3.1), which ns-3 leaves at zero. */
void fill_checksums(uint8_t *ip, size_t n)
{
    size_t header = n >= 20 ? (ip[0] & 15u) * 4u : 0, total = n >= 20 ? ip[2] * 256u + ip[3] : 0;
    if (header < 20 || header > n || total < header || total > n)
        return;
    ip[10] = ip[11] = 0;
    put_checksum(ip + 10, sum16(ip, header, 0));
    if (ip[9] != 6 || total < header + 20)
        return;
    uint8_t *tcp = ip + header;
    size_t tcp_bytes = total - header;
    tcp[16] = tcp[17] = 0;
    uint32_t pseudo = sum16(ip + 12, 8, 6u + static_cast<uint32_t>(tcp_bytes));
    put_checksum(tcp + 16, sum16(tcp, tcp_bytes, pseudo));
}

/* By the sink's port, which only it has in its range: clients' are ephemeral. */
uint32_t packet_flow(const emu_frame *frame)
{
    uint8_t b[64] = {};
    uint32_t n = static_cast<const Packet *>(frame->packet)->CopyData(b, sizeof b);
    uint32_t at = (b[0] & 15u) * 4;
    if (frame->ethertype != 0x0800 || b[9] != 6 || at + 4 > n)
        return EMU_FRAME_NO_FLOW;
    uint32_t src = b[at] << 8u | b[at + 1], dst = b[at + 2] << 8u | b[at + 3];
    bool back = src < dst;
    return 2 * ((back ? src : dst) - EMU_ENGINE_FIRST_PORT) + back;
}

/* RFC 3168, section 5. A packet is this object's own; its bytes are shared until they change. */
bool packet_mark(const emu_frame *frame)
{
    Packet *packet = static_cast<Packet *>(frame->packet);
    Ipv4Header header;
    if (frame->ethertype != 0x0800 || packet->PeekHeader(header) == 0 || header.GetEcn() == Ipv4Header::ECN_NotECT)
        return false;
    packet->RemoveHeader(header);
    header.SetEcn(Ipv4Header::ECN_CE);
    packet->AddHeader(header);
    return true;
}

size_t packet_bytes(const emu_frame *frame, uint8_t *out, size_t limit)
{
    static uint8_t whole[EMU_FRAME_HEADER_BYTES + 65536]; /* checksums need every byte */
    for (int i = 0; i < 6; i++) {
        whole[i] = static_cast<uint8_t>(emu_frame_mac(frame->dst) >> (40 - 8 * i));
        whole[6 + i] = static_cast<uint8_t>(emu_frame_mac(frame->src) >> (40 - 8 * i));
    }
    whole[12] = static_cast<uint8_t>(frame->ethertype >> 8);
    whole[13] = static_cast<uint8_t>(frame->ethertype);
    uint8_t *payload = whole + EMU_FRAME_HEADER_BYTES;
    size_t n = static_cast<const Packet *>(frame->packet)->CopyData(payload, sizeof whole - EMU_FRAME_HEADER_BYTES);
    if (frame->ethertype == 0x0800)
        fill_checksums(payload, n);
    if (n < EMU_FRAME_MIN_PAYLOAD) {
        std::memset(payload + n, 0, EMU_FRAME_MIN_PAYLOAD - n);
        n = EMU_FRAME_MIN_PAYLOAD;
    }
    n = std::min(limit, n + EMU_FRAME_HEADER_BYTES);
    std::memcpy(out, whole, n);
    return n;
}

} // namespace

extern "C" {

emu_engine *emu_engine_new(const emu_engine_config *config, error *err)
{
    if (the_engine) {
        error_set(err, ERROR_SYSTEM, "a process holds one simulation engine, and it has one already");
        return nullptr;
    }
    bool ok = guarded("starting the engine", err, [&] {
        Time::SetResolution(Time::PS);
        RngSeedManager::SetSeed(static_cast<uint32_t>(1 + config->seed % 0xfffffffeu));
        RngSeedManager::SetRun(config->seed >> 32);
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        Config::SetDefault("ns3::ArpCache::AliveTimeout", TimeValue(Seconds(100000))); /* refreshing drops packets */
        Config::SetDefault("ns3::ArpCache::PendingQueueSize", UintegerValue(1000));
        the_engine = new emu_engine{*config, {}, {}};
    });
    return ok ? the_engine : nullptr;
}

void emu_engine_free(emu_engine *e)
{
    if (!e)
        return;
    error ignored;
    guarded("ending the engine", &ignored, [] { Simulator::Destroy(); });
    if (!broken)
        delete e; /* after a fatal error its objects may be half-changed: the process's end frees them */
    the_engine = nullptr;
}

const char *emu_engine_name(void)
{
    return "ns-3 " ENGINE_VERSION;
}

int emu_engine_add_host(emu_engine *e, error *err)
{
    int index = static_cast<int>(e->hosts.size());
    uint64_t mac = emu_frame_mac(static_cast<uint32_t>(index));
    uint32_t ipv4 = emu_engine_ipv4(index);
    bool ok = guarded("adding a host", err, [&] {
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(node);
        auto transmit = [e, index](const emu_frame &frame) { e->config.transmit(e->config.user, index, &frame); };
        Ptr<HostDevice> device = CreateObject<HostDevice>(contraflow::mac_from_number(mac), transmit);
        node->AddDevice(device);
        Ptr<Ipv4> ip = node->GetObject<Ipv4>();
        uint32_t interface = ip->AddInterface(device);
        ip->AddAddress(interface, Ipv4InterfaceAddress(Ipv4Address(ipv4), Ipv4Mask("255.0.0.0")));
        ip->SetMetric(interface, 1);
        ip->SetUp(interface);
        e->hosts.push_back({node, device, Ipv4Address(ipv4)});
    });
    return ok ? index : -1;
}

int emu_engine_add_flow(emu_engine *e, const emu_flow_config *config, error *err)
{
    int index = static_cast<int>(e->flows.size());
    if (config->tcp.congestion >= EMU_CONGESTION_COUNT || !emu_congestion_rows[config->tcp.congestion].ns3_type) {
        error_set(err, ERROR_INPUT, "ns-3 has no such congestion control");
        return -1;
    }
    if (config->written) {
        error_set(err, ERROR_INPUT, "flows written step by step are native's alone");
        return -1;
    }
    bool ok = guarded("adding a flow", err, [&] {
        const auto &source = e->hosts.at(static_cast<size_t>(config->source));
        const auto &sink = e->hosts.at(static_cast<size_t>(config->sink));
        auto flow = std::make_unique<Flow>(*config, source.node, sink.node, sink.address,
                                           static_cast<uint16_t>(EMU_ENGINE_FIRST_PORT + index));
        flow->Install();
        e->flows.push_back(std::move(flow));
    });
    return ok ? index : -1;
}

void emu_engine_left(emu_engine *, int, const emu_frame *)
{
    /* ns-3's TCP does not ask */
}

void emu_engine_write(emu_engine *, int, int64_t)
{
    /* flows with `written` are refused above */
}

void emu_engine_write_way(emu_engine *, int, bool, int64_t)
{
    /* likewise */
}

bool emu_engine_add_program(emu_engine *, const emu_program_config *, error *err)
{
    return error_set(err, ERROR_INPUT, "ns-3 runs no programs");
}

bool emu_engine_programs_done(const emu_engine *)
{
    return true;
}

void emu_engine_set_window(emu_engine *, int, int64_t)
{
    /* ns-3 lacks the control that asks for it */
}

void emu_engine_set_ahead(emu_engine *, int64_t)
{
    /* ns-3's clock does not ask */
}

emu_clock emu_engine_clock(emu_engine *e)
{
    return {nullptr, nullptr, now_ps, schedule, e, nullptr};
}

const struct emu_engine_hosts *emu_engine_hosts_apart(const emu_engine *)
{
    return nullptr; /* ns-3 has one clock */
}

const emu_frame_ops *emu_engine_frame_ops(void)
{
    static const emu_frame_ops ops = {packet_share, packet_release, packet_flow, packet_bytes, packet_mark, nullptr, false};
    return &ops;
}

void emu_engine_deliver(emu_engine *e, int host, const emu_frame *frame)
{
    e->hosts[static_cast<size_t>(host)].device->Deliver(*frame);
}

emu_flow_stats emu_engine_flow_stats(const emu_engine *e, int flow)
{
    return e->flows[static_cast<size_t>(flow)]->Stats();
}

bool emu_engine_run(emu_engine *e, int64_t until_ps, error *err)
{
    return guarded("simulating", err, [&] {
        Simulator::Stop(Time(until_ps - now_ps(e)));
        Simulator::Run();
    });
}

void emu_engine_stop(emu_engine *)
{
    Simulator::Stop();
}

} // extern "C"
