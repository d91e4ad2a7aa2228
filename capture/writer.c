/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/writer.h"

#include "base/memory.h"
#include "base/outfile.h"
#include "capture/pcapng.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 18)
#define NS_PER_S 1000000000

struct capture_writer {
    struct outfile file;
    uint32_t snaplen;
    pcap_t *pcap;           /* owned; NULL for pcapng */
    pcap_dumper_t *dumper;  /* owned; writes to file.stream through a stream of its own */
    FILE *stream;           /* where packets go: file.stream, or the dumper's */
    char *buffer;           /* owned; of the stream */
};

/* libpcap closes the stream it dumps to, outfile_commit() wants to close its own: so the dumper gets
 * a second stream on the same file, opened before anything is written. */
static bool writer_open_pcap(struct capture_writer *w, const struct capture_writer_config *config, struct error *err)
{
    int fd = dup(fileno(w->file.stream));
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!stream)
        return error_set_errno(err, "%s: cannot be written", w->file.path);
    setvbuf(stream, w->buffer, _IOFBF, BUFFER_BYTES);
    w->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, (int)config->snaplen, PCAP_TSTAMP_PRECISION_NANO);
    w->dumper = w->pcap ? pcap_dump_fopen(w->pcap, stream) : NULL;
    if (!w->dumper) {
        fclose(stream);
        return error_set(err, ERROR_SYSTEM, "%s: %s", w->file.path, w->pcap ? pcap_geterr(w->pcap) : "out of memory");
    }
    w->stream = stream;
    return true;
}

void capture_writer_discard(struct capture_writer *w)
{
    if (!w)
        return;
    if (w->dumper)
        pcap_dump_close(w->dumper);
    if (w->pcap)
        pcap_close(w->pcap);
    outfile_discard(&w->file);
    free(w->buffer);
    free(w);
}

struct capture_writer *capture_writer_open(const char *path, const struct capture_writer_config *config,
                                           struct error *err)
{
    struct capture_writer *w = memory_zeroed(1, sizeof *w, "a capture");
    w->buffer = memory_zeroed(BUFFER_BYTES, 1, "a capture");
    w->snaplen = config->snaplen;
    bool ok = outfile_open(&w->file, path, err);
    if (ok && config->format == CAPTURE_FORMAT_PCAPNG) {
        w->stream = w->file.stream;
        setvbuf(w->stream, w->buffer, _IOFBF, BUFFER_BYTES);
        pcapng_write_header(w->stream, config);
    } else if (ok) {
        ok = writer_open_pcap(w, config, err);
    }
    if (ok)
        return w;
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
    if (time_ns < 0 || (w->dumper && time_ns / NS_PER_S > INT32_MAX)) /* libpcap reads seconds as 32 bits, signed */
        return error_set(err, ERROR_SYSTEM, "%s: a time of %" PRId64 " ns does not fit the file", w->file.path,
                         time_ns);
    errno = 0;
    if (w->dumper) {
        struct pcap_pkthdr header = {.caplen = captured_bytes, .len = wire_bytes};
        header.ts.tv_sec = time_ns / NS_PER_S;
        header.ts.tv_usec = time_ns % NS_PER_S; /* nanoseconds, as the file's magic says */
        pcap_dump((u_char *)w->dumper, &header, bytes);
    } else {
        pcapng_write_packet(w->stream, time_ns, bytes, captured_bytes, wire_bytes, direction);
    }
    return ferror(w->stream) ? writer_failed(w, err) : true;
}

bool capture_writer_close(struct capture_writer *w, struct error *err)
{
    errno = 0;
    bool ok = fflush(w->stream) == 0 && !ferror(w->stream);
    if (!ok)
        writer_failed(w, err);
    if (w->dumper)
        pcap_dump_close(w->dumper);
    w->dumper = NULL;
    ok = ok && outfile_commit(&w->file, err);
    capture_writer_discard(w);
    return ok;
}
