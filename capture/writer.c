/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/writer.h"

#include "base/outfile.h"
#include "capture/pcapng.h"

#include <pcap/pcap.h>

#define NS_PER_S 1000000000
#define NANOSECONDS_MAGIC 0xa1b23c4d /* of a file whose times have them (pcap-savefile(5)) */

/* A packet in a pcap file (libpcap's struct pcap_pkthdr has times as wide as the machine's). */
struct record_head {
    uint32_t seconds, nanoseconds, captured_bytes, wire_bytes;
};

struct capture_writer {
    struct outfile file;
    uint32_t snaplen;
    bool pcap; /* else pcapng */
};

/* As pcap_dump_fopen() writes it. libpcap itself would bring eight libraries more into a program that only runs
 * a scenario, and 1.5 million instructions into each of its starts. */
static void writer_put_pcap_header(struct capture_writer *w)
{
    const struct pcap_file_header head = {.magic = NANOSECONDS_MAGIC, .version_major = PCAP_VERSION_MAJOR,
                                          .version_minor = PCAP_VERSION_MINOR, .snaplen = w->snaplen, .linktype = DLT_EN10MB};
    fwrite(&head, sizeof head, 1, w->file.stream);
}

void capture_writer_discard(struct capture_writer *w)
{
    if (!w)
        return;
    outfile_discard(&w->file);
    free(w);
}

struct capture_writer *capture_writer_open(const char *path, const struct capture_writer_config *config,
                                           struct error *err)
{
    struct capture_writer *w = memory_zeroed(1, sizeof *w, "a capture");
    w->snaplen = config->snaplen;
    w->pcap = config->format == CAPTURE_FORMAT_PCAP;
    if (outfile_open(&w->file, path, err)) {
        if (w->pcap)
            writer_put_pcap_header(w);
        else
            pcapng_write_header(w->file.stream, config);
        return w;
    }
    capture_writer_discard(w);
    return NULL;
}

static bool writer_failed(const struct capture_writer *w, struct error *err)
{
    if (errno == 0)
        errno = EIO;
    return error_set_errno(err, "%s: cannot be written", w->file.path);
}

bool capture_writer_write(struct capture_writer *w, int64_t time_ns, const uint8_t *bytes, uint32_t captured_bytes,
                          uint32_t wire_bytes, enum capture_direction direction, struct error *err)
{
    if (captured_bytes > w->snaplen || captured_bytes > wire_bytes)
        return error_set(err, ERROR_SYSTEM, "%s: %" PRIu32 " bytes of a frame of %" PRIu32 " with a snap length of %"
                         PRIu32, w->file.path, captured_bytes, wire_bytes, w->snaplen);
    if (time_ns < 0 || (w->pcap && time_ns / NS_PER_S > INT32_MAX)) /* libpcap reads seconds as 32 bits, signed */
        return error_set(err, ERROR_SYSTEM, "%s: a time of %" PRId64 " ns does not fit the file", w->file.path,
                         time_ns);
    errno = 0;
    if (w->pcap) {
        const struct record_head head = {(uint32_t)(time_ns / NS_PER_S), (uint32_t)(time_ns % NS_PER_S), captured_bytes,
                                         wire_bytes};
        fwrite_unlocked(&head, sizeof head, 1, w->file.stream);
        fwrite_unlocked(bytes, 1, captured_bytes, w->file.stream);
    } else {
        pcapng_write_packet(w->file.stream, time_ns, bytes, captured_bytes, wire_bytes, direction);
    }
    return ferror_unlocked(w->file.stream) ? writer_failed(w, err) : true;
}

bool capture_writer_close(struct capture_writer *w, struct error *err)
{
    errno = 0;
    bool ok = fflush(w->file.stream) == 0 && !ferror(w->file.stream);
    if (!ok)
        writer_failed(w, err);
    ok = ok && outfile_commit(&w->file, err);
    capture_writer_discard(w);
    return ok;
}
