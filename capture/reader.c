/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/reader.h"

#include "capture/decode.h"

#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct capture_reader {
    char *path;       /* owned */
    gzFile file;      /* owned by the stream: closed with it */
    pcap_t *pcap;     /* owned; owns the stream */
    int64_t file_bytes;
    int64_t stored_bytes; /* read so far, as stored; kept up by reader_read() */
    int64_t frames;
    int file_error;   /* errno of a failed read; -1: damaged gzip */
    int link_type;
};

/* libpcap reads through stdio, stdio through zlib: plain files pass through unchanged. */
static ssize_t reader_read(void *cookie, char *bytes, size_t n)
{
    struct capture_reader *r = cookie;
    int got = gzread(r->file, bytes, (unsigned)(n > 1 << 20 ? 1 << 20 : n));
    r->stored_bytes = gzoffset(r->file);
    int code = Z_OK;
    gzerror(r->file, &code);
    if (got < 0 || code == Z_BUF_ERROR)
        r->file_error = code == Z_ERRNO ? errno : -1;
    return got;
}

static int reader_close(void *cookie)
{
    struct capture_reader *r = cookie;
    return gzclose(r->file) == Z_OK ? 0 : EOF;
}

static bool reader_open_file(struct capture_reader *r, struct error *err)
{
    int fd = strcmp(r->path, "-") == 0 ? dup(STDIN_FILENO) : open(r->path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        bool input = errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG;
        error_set(err, input ? ERROR_INPUT : ERROR_SYSTEM, "%s: %s", r->path, strerror(errno));
    } else if (S_ISDIR(st.st_mode)) {
        error_set(err, ERROR_INPUT, "%s: is a directory, not a pcap or pcapng file", r->path);
    } else if (S_ISREG(st.st_mode) && st.st_size == 0) {
        error_set(err, ERROR_INPUT, "%s: is empty, not a pcap or pcapng file", r->path);
    } else {
        r->file_bytes = S_ISREG(st.st_mode) ? (int64_t)st.st_size : 0;
        r->file = gzdopen(fd, "rb");
        if (r->file) {
            gzbuffer(r->file, 1 << 17);
            return true;
        }
        error_set(err, ERROR_SYSTEM, "%s: out of memory", r->path);
    }
    if (fd >= 0)
        close(fd);
    return false;
}

/* libpcap's own sentence; where it refuses files that are sound, how to make one it takes. */
static bool reader_refused(const struct capture_reader *r, const char *said, struct error *err)
{
    if (strstr(said, "different from the") || strstr(said, "different byte orders"))
        return error_set(err, ERROR_INPUT,
                         "%s: %s; split it by interface first: editcap, or tshark -r %s -Y 'frame.interface_id == 0' "
                         "-w one.pcapng (editcap -F pcap -T ether makes one link type of it)",
                         r->path, said, r->path);
    return error_set(err, ERROR_INPUT, "%s: %s", r->path, said);
}

static bool reader_open_pcap(struct capture_reader *r, struct error *err)
{
    cookie_io_functions_t functions = {.read = reader_read, .close = reader_close};
    FILE *stream = fopencookie(r, "rb", functions);
    if (!stream) {
        gzclose(r->file);
        return error_set(err, ERROR_SYSTEM, "%s: out of memory", r->path);
    }
    char said[PCAP_ERRBUF_SIZE] = "";
    r->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, said);
    if (!r->pcap) {
        fclose(stream);
        if (r->file_error > 0)
            return error_set(err, ERROR_SYSTEM, "%s: %s", r->path, strerror(r->file_error));
        if (strstr(said, "unknown file format"))
            return error_set(err, ERROR_INPUT, "%s: is not a pcap or pcapng file", r->path);
        if (strstr(said, "truncated"))
            return error_set(err, ERROR_INPUT, "%s: stops inside its file header: not a whole pcap or pcapng file",
                             r->path);
        return reader_refused(r, said, err);
    }
    r->link_type = pcap_datalink(r->pcap);
    if (capture_decode_supports(r->link_type))
        return true;
    const char *name = pcap_datalink_val_to_name(r->link_type);
    return error_set(err, ERROR_INPUT,
                     "%s: link type %s (%d) is not supported; Ethernet, Linux cooked, raw IP and BSD loopback are",
                     r->path, name ? name : "unknown", r->link_type);
}

struct capture_reader *capture_reader_open(const char *path, struct error *err)
{
    struct capture_reader *r = calloc(1, sizeof *r);
    if (r)
        r->path = strdup(path);
    if (!r || !r->path) {
        error_set(err, ERROR_SYSTEM, "%s: out of memory", path);
        free(r);
        return NULL;
    }
    if (!reader_open_file(r, err) || !reader_open_pcap(r, err)) {
        capture_reader_close(r);
        return NULL;
    }
    return r;
}

void capture_reader_close(struct capture_reader *r)
{
    if (!r)
        return;
    if (r->pcap)
        pcap_close(r->pcap);
    free(r->path);
    free(r);
}

enum capture_next capture_reader_next(struct capture_reader *r, struct capture_frame *frame, struct error *err)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int got = pcap_next_ex(r->pcap, &header, &bytes);
    if (got == 1) {
        r->frames++;
        frame->time_ns = (int64_t)header->ts.tv_sec * INT64_C(1000000000) + header->ts.tv_usec;
        frame->captured_bytes = header->caplen;
        frame->wire_bytes = header->len < header->caplen ? header->caplen : header->len;
        frame->bytes = bytes;
        return CAPTURE_NEXT_FRAME;
    }
    if (got == PCAP_ERROR_BREAK && r->file_error == 0)
        return CAPTURE_NEXT_END;
    const char *said = got == PCAP_ERROR_BREAK ? "" : pcap_geterr(r->pcap);
    if (strstr(said, "different")) {
        reader_refused(r, said, err);
        error_prefix(err, "stopped after packet %" PRId64 ": ", r->frames);
    } else if (r->file_error > 0) {
        error_set(err, ERROR_SYSTEM, "%s: reading stops after packet %" PRId64 ": %s; everything before it was read",
                  r->path, r->frames, strerror(r->file_error));
    } else if (r->file_error < 0 || strstr(said, "truncated")) {
        error_set(err, ERROR_INPUT, "%s: stops inside packet %" PRId64 " (%" PRId64
                  " bytes in): the file is cut%s; everything before it was read",
                  r->path, r->frames + 1, r->stored_bytes, r->file_error < 0 ? " or its gzip damaged" : "");
    } else {
        error_set(err, ERROR_INPUT, "%s: damaged at packet %" PRId64 " (%s): reading stops there; everything before it "
                  "was read", r->path, r->frames + 1, said);
    }
    return CAPTURE_NEXT_TRUNCATED;
}

int capture_reader_link_type(const struct capture_reader *r)
{
    return r->link_type;
}

int64_t capture_reader_bytes_read(const struct capture_reader *r)
{
    return r->stored_bytes;
}

int64_t capture_reader_file_bytes(const struct capture_reader *r)
{
    return r->file_bytes;
}
