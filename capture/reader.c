/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/reader.h"

#include "base/filekind.h"
#include "capture/confine.h"
#include "capture/decode.h"
#include "capture/live.h"
#include "capture/pcapng.h"
#include "capture/records.h"
#include "capture/unpack.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <signal.h>
#include <sys/stat.h>
#include <zlib.h>

#define READ_BYTES (1 << 18) /* a multiple of zlib's buffer */

#define HEAD_BYTES 4096 /* of a pcapng: its section and the first interface, with comments */

struct capture_reader {
    char *path;       /* owned */
    int fd;           /* of a regular file that is not gzip: READ_BYTES at a time, without a copy in zlib; else -1 */
    gzFile file;      /* of any other; NULL. Both owned by the stream: closed with it */
    pcap_t *pcap;     /* owned; owns the stream */
    uint8_t *buffer;  /* owned; READ_BYTES more than the longest record: bytes that nobody took yet lie at */
    size_t at, filled;
    bool ended, failed; /* the stream; a failed one has ended, too */
    bool plain;       /* libpcap had no more than the file's header: frames are taken from the buffer */
    struct records records;
    struct unpack *unpack; /* owned; NULL: bytes are taken as the file has them */
    uint8_t *packed;       /* owned; READ_BYTES, of which those from packed_at are not unpacked yet */
    size_t packed_at, packed_filled;
    bool packed_ended;
    const char *packing;   /* what is cut or damaged where file_error says so: "gzip" */
    int64_t file_bytes;
    int64_t stored_bytes; /* read so far, as stored; kept up by reader_read() */
    int64_t frames;       /* pulled */
    int file_error;       /* errno of a failed read; -1: cut or damaged packing, -2: one too large to unpack, -3: one
                           * that nobody here can unpack */
    int link_type;
    int status;           /* as of pcap_next_ex(): 1 while there are frames */
    const char *said;     /* what libpcap or we said of a status of PCAP_ERROR; else "" */
    char length_said[64];
    bool live;            /* an interface: the stream above is none */
    volatile sig_atomic_t stopped;
    int64_t told_ns;      /* of an interface: time of the frame before which it was idle */
    int time_unit_ns;     /* of libpcap's times */
    bool waiting;         /* the frame below has been read but not handed out */
    struct capture_frame frame;
    uint8_t head[HEAD_BYTES];   /* the first of the file */
    size_t head_bytes;
};

/* zlib hands on plain data from pipes unchanged. */
static ssize_t reader_read_gzip(struct capture_reader *r, uint8_t *to)
{
    int got = gzread(r->file, to, READ_BYTES);
    int64_t offset = gzoffset(r->file); /* -1 on a pipe */
    r->stored_bytes = offset >= 0 ? offset : gztell(r->file);
    int code = Z_OK;
    gzerror(r->file, &code);
    if (got < 0 || code == Z_BUF_ERROR)
        r->file_error = code == Z_ERRNO && errno ? errno : code == Z_MEM_ERROR ? ENOMEM : -1;
    return got;
}

/* What the file has next, up to READ_BYTES of it. */
static ssize_t reader_read_file(struct capture_reader *r, uint8_t *to)
{
    if (r->file)
        return reader_read_gzip(r, to);
    ssize_t got = read(r->fd, to, READ_BYTES);
    if (got > 0)
        r->stored_bytes += got;
    if (got < 0)
        r->file_error = errno;
    return got;
}

/* What that is unpacked. */
static ssize_t reader_read_packed(struct capture_reader *r, uint8_t *to)
{
    for (;;) {
        if (r->packed_at == r->packed_filled && !r->packed_ended) {
            ssize_t got = reader_read_file(r, r->packed);
            if (got < 0)
                return got;
            r->packed_ended = got == 0;
            r->packed_at = 0;
            r->packed_filled = (size_t)got;
        }
        size_t used, made, n = r->packed_filled - r->packed_at;
        enum unpack_state state = unpack_take(r->unpack, r->packed + r->packed_at, n, &used, to, READ_BYTES, &made);
        r->packed_at += used;
        if (made > 0)
            return (ssize_t)made;
        if (state >= UNPACK_DAMAGED || (n > 0 && used == 0)) { /* nor shall a library's mood keep us here for ever */
            r->file_error = state == UNPACK_MEMORY ? ENOMEM : state == UNPACK_LARGE ? -2 : -1;
            return -1;
        }
        if (state == UNPACK_WHOLE && r->packed_ended)
            return 0;
    }
}

/* The file's first bytes lie in the buffer: where they are packed, what they are goes there. */
static ssize_t reader_begin_packed(struct capture_reader *r, size_t n)
{
    enum unpack_kind kind = unpack_kind_of(r->buffer, n);
    if (kind == UNPACK_NONE)
        return (ssize_t)n;
    r->packing = unpack_names[kind];
    r->unpack = unpack_open(kind);
    if (!r->unpack) {
        r->file_error = -3;
        return -1;
    }
    r->packed = memory_resized(NULL, READ_BYTES, 1, "a packed capture");
    memcpy(r->packed, r->buffer, n);
    r->packed_filled = n;
    return reader_read_packed(r, r->buffer);
}

/* Once more so many bytes behind those that nobody took. */
static void reader_fill(struct capture_reader *r)
{
    r->filled -= r->at;
    memmove(r->buffer, r->buffer + r->at, r->filled);
    r->at = 0;
    uint8_t *to = r->buffer + r->filled;
    ssize_t got = r->unpack ? reader_read_packed(r, to) : reader_read_file(r, to);
    if (got > 0 && r->head_bytes == 0)
        got = reader_begin_packed(r, (size_t)got);
    r->ended = got <= 0;
    r->failed = got < 0;
    size_t taken = got > 0 ? (size_t)got : 0, room = HEAD_BYTES - r->head_bytes, keep = taken < room ? taken : room;
    memcpy(r->head + r->head_bytes, r->buffer + r->filled, keep);
    r->head_bytes += keep;
    r->filled += taken;
}

/* libpcap reads through stdio, stdio from the buffer. */
static ssize_t reader_read(void *cookie, char *bytes, size_t n)
{
    struct capture_reader *r = cookie;
    bool first = r->head_bytes == 0 && !r->ended;
    if (r->at == r->filled && !r->ended)
        reader_fill(r);
    size_t ready = r->filled - r->at, opening = first ? records_open(&r->records, r->buffer, ready) : 0;
    r->plain = opening > 0 && opening <= n; /* and libpcap asks for no more to open it */
    ready = r->plain ? opening : ready;
    size_t given = ready < n ? ready : n;
    memcpy(bytes, r->buffer + r->at, given);
    r->at += given;
    return given == 0 && r->failed ? -1 : (ssize_t)given;
}

static int reader_close(void *cookie)
{
    struct capture_reader *r = cookie;
    return (r->file ? gzclose(r->file) == Z_OK : close(r->fd) == 0) ? 0 : EOF;
}

/* Standard input may begin somewhere in a file. */
static bool reader_is_gzip(int fd)
{
    uint8_t magic[2] = {0};
    off_t at = lseek(fd, 0, SEEK_CUR);
    return at < 0 || pread(fd, magic, sizeof magic, at) < 0 || (magic[0] == 0x1f && magic[1] == 0x8b);
}

static bool reader_open_file(struct capture_reader *r, struct error *err)
{
    int fd = strcmp(r->path, "-") == 0 ? STDIN_FILENO : open(r->path, O_RDONLY | O_CLOEXEC);
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
        r->fd = S_ISREG(st.st_mode) && !reader_is_gzip(fd) ? fd : -1;
        r->stored_bytes = r->fd >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
        r->file = r->fd < 0 ? gzdopen(fd, "rb") : NULL;
        if (r->file)
            gzbuffer(r->file, 1 << 17);
        if (r->file || r->fd >= 0)
            return true;
        error_set(err, ERROR_SYSTEM, "%s: out of memory", r->path);
    }
    error_close(fd);
    return false;
}

/* What makes a file that libpcap takes of a sound one that it refuses (libpcap 1.10: a later interface whose
 * link type or snapshot length is not the first one's); NULL for any other complaint. */
static const char *reader_remedy(const char *said)
{
    if (!strstr(said, "different from the"))
        return NULL;
    if (strstr(said, "has a type"))
        return "take one interface out with tshark -r FILE -Y frame.interface_id==0 -w one.pcapng and give it one link "
               "type with editcap -F nsecpcap -T ether one.pcapng one.pcap";
    return "make one interface of them with editcap -F nsecpcap FILE one.pcap";
}

/* No link type carries more than an IP packet, whose length field ends at 64 kB; where that is 0, offloads of TCP made
 * longer ones (BIG TCP). A length on the wire costs a file nothing, and whoever cuts such a frame up much. */
static __attribute__((cold)) bool reader_length_possible(const struct capture_reader *r)
{
    struct capture_segment s;
    uint32_t captured = r->frame.captured_bytes, wire = r->frame.wire_bytes;
    if (wire <= captured)
        return true;
    if (wire > CAPTURE_FRAME_LONGEST)
        return false;
    enum capture_decode_result result = capture_decode(r->link_type, r->frame.bytes, captured, wire, &s);
    return result == CAPTURE_DECODE_SHORT ||
           (result == CAPTURE_DECODE_TCP && s.payload_bytes + CAPTURE_FRAME_HEADERS >= wire);
}

/* A pcapng file can hold times that int64_t nanoseconds cannot, or whose differences they cannot.
 * Once a capture: apart from what is done for every packet. */
__attribute__((noinline, cold)) static void reader_refuse(struct capture_reader *r, bool in_time)
{
    r->status = PCAP_ERROR;
    r->said = "its time is out of range";
    if (!in_time)
        return;
    snprintf(r->length_said, sizeof r->length_said, "no frame of its kind is %" PRIu32 " bytes long",
             r->frame.wire_bytes);
    r->said = r->length_said;
}

/* A frame from the buffer. False: libpcap goes on from there, to the end. */
static bool reader_take(struct capture_reader *r)
{
    while (r->plain) {
        size_t used;
        enum records_next next = records_take(&r->records, r->buffer + r->at, r->filled - r->at, &r->frame, &used);
        r->at += used;
        if (next == RECORDS_FRAME)
            return true;
        r->plain = next == RECORDS_MORE && !r->ended;
        if (r->plain)
            reader_fill(r);
    }
    return false;
}

/* A frame from libpcap. False: none, or its time is beyond int64_t nanoseconds. */
static bool reader_pull_pcap(struct capture_reader *r, bool *in_time)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    r->status = r->stopped ? PCAP_ERROR_BREAK : pcap_next_ex(r->pcap, &header, &bytes);
    if (r->status == 0) {
        capture_live_wait(r->pcap);
        r->status = pcap_next_ex(r->pcap, &header, &bytes);
    }
    if (r->status != 1) {
        if (r->status == PCAP_ERROR && errno == ENOMEM) /* which ends the process wherever else it happens */
            r->file_error = ENOMEM;
        r->said = r->status == PCAP_ERROR ? pcap_geterr(r->pcap) : "";
        return false;
    }
    r->frame = (struct capture_frame){.captured_bytes = header->caplen, .wire_bytes = header->len, .bytes = bytes};
    int64_t part_ns = (int64_t)header->ts.tv_usec * r->time_unit_ns;
    *in_time = !__builtin_mul_overflow((int64_t)header->ts.tv_sec, INT64_C(1000000000), &r->frame.time_ns) &&
               !__builtin_add_overflow(r->frame.time_ns, part_ns, &r->frame.time_ns) &&
               r->frame.time_ns <= INT64_MAX / 2 && r->frame.time_ns >= -(INT64_MAX / 2);
    return true;
}

static void reader_pull(struct capture_reader *r)
{
    bool in_time = true;
    r->said = "";
    r->status = 1;
    if (!reader_take(r) && !reader_pull_pcap(r, &in_time))
        return;
    if (!in_time || (r->frame.wire_bytes > CAPTURE_FRAME_LONGEST_IP && !reader_length_possible(r)))
        reader_refuse(r, in_time);
    r->frames += r->status == 1;
}

/* *err: why no frame came after the last one. */
static enum capture_next reader_stopped(const struct capture_reader *r, struct error *err)
{
    const char *remedy = reader_remedy(r->said);
    if (r->status == PCAP_ERROR_BREAK && r->file_error == 0)
        return CAPTURE_NEXT_END;
    if (r->live) {
        error_set(err, ERROR_SYSTEM, "%s: capturing ends after packet %" PRId64 ": %s", r->path, r->frames, r->said);
        return CAPTURE_NEXT_TRUNCATED;
    }
    if (r->file_error > 0) {
        error_set(err, ERROR_SYSTEM, "%s: reading fails after packet %" PRId64 ": %s", r->path, r->frames,
                  strerror(r->file_error));
        return CAPTURE_NEXT_FAILED;
    }
    if (remedy) {
        error_set(err, ERROR_INPUT, "%s: libpcap refuses what follows packet %" PRId64 ", %s; %s", r->path, r->frames,
                  r->said, remedy);
        return CAPTURE_NEXT_FAILED;
    }
    if (r->file_error < 0)
        error_set(err, ERROR_INPUT, "%s: stops after packet %" PRId64 " (%" PRId64
                  " bytes in): the %s data %s there; everything before it was read",
                  r->path, r->frames, r->stored_bytes, r->packing,
                  r->file_error == -2 ? "needs more memory than is given" : "is cut or damaged");
    else if (strstr(r->said, "truncated"))
        error_set(err, ERROR_INPUT, "%s: stops inside packet %" PRId64 " (%" PRId64
                  " bytes in); everything before it was read", r->path, r->frames + 1, r->stored_bytes);
    else
        error_set(err, ERROR_INPUT, "%s: damaged at packet %" PRId64 " (%s); everything before it was read", r->path,
                  r->frames + 1, r->said);
    return CAPTURE_NEXT_TRUNCATED;
}

/* Why libpcap takes the stream for no capture at all. */
static bool reader_no_capture(const struct capture_reader *r, const char *said, struct error *err)
{
    if (r->file_error > 0)
        return error_set(err, ERROR_SYSTEM, "%s: %s", r->path, strerror(r->file_error));
    if (r->file_error == -2)
        return error_set(err, ERROR_INPUT, "%s: unpacking this %s data needs more than %d MiB of memory; unpack it first",
                         r->path, r->packing, UNPACK_MEMORY_MIB);
    if (r->file_error == -3)
        return error_set(err, ERROR_INPUT, "%s: is packed with %s, which this contraflow was built without; unpack it "
                         "first", r->path, r->packing);
    if (r->file_error < 0)
        return error_set(err, ERROR_INPUT, "%s: the %s data is cut or damaged before the first packet", r->path,
                         r->packing);
    if (r->head_bytes == 0)
        return error_set(err, ERROR_INPUT, "%s: is empty, not a pcap or pcapng file", r->path);
    if (strstr(said, "unknown file format") || strstr(said, "tried to read 4 file header bytes"))
        return error_set(err, ERROR_INPUT, "%s: is not a pcap or pcapng file", r->path) ||
               filekind_blame(r->path, FILEKIND_CAPTURE, err);
    if (strstr(said, "truncated"))
        return error_set(err, ERROR_INPUT, "%s: stops inside its file header: not a whole pcap or pcapng file",
                         r->path);
    return error_set(err, ERROR_INPUT, "%s: %s", r->path, said);
}

static bool reader_link_type(struct capture_reader *r, struct error *err)
{
    r->link_type = pcap_datalink(r->pcap);
    const char *name = pcap_datalink_val_to_name(r->link_type);
    return capture_decode_supports(r->link_type) ||
           error_set(err, ERROR_INPUT, "%s: link type %s (%d) is not supported; EN10MB (Ethernet), LINUX_SLL, "
                     "LINUX_SLL2, RAW, IPV4, IPV6, NULL and LOOP are", r->path, name ? name : "unknown", r->link_type);
}

static bool reader_open_pcap(struct capture_reader *r, struct error *err)
{
    cookie_io_functions_t functions = {.read = reader_read, .close = reader_close};
    FILE *stream = fopencookie(r, "rb", functions);
    if (!stream) {
        reader_close(r);
        return error_set(err, ERROR_SYSTEM, "%s: out of memory", r->path);
    }
    setvbuf(stream, NULL, _IOFBF, READ_BYTES);
    char said[PCAP_ERRBUF_SIZE] = "";
    errno = 0;
    r->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, said);
    if (!r->pcap) {
        if (errno == ENOMEM)
            r->file_error = ENOMEM;
        reader_no_capture(r, said, err);
        fclose(stream);
        return false;
    }
    r->records.snaplen = (uint32_t)pcap_snapshot(r->pcap);
    if (!reader_link_type(r, err))
        return false;
    /* libpcap looks at a second interface only when it is asked for a packet: better refused here than half-way. */
    reader_pull(r);
    r->waiting = true;
    if (!reader_remedy(r->said))
        return true;
    reader_stopped(r, err);
    return false;
}

struct capture_reader *capture_reader_open(const char *path, struct error *err)
{
    struct capture_reader *r = memory_zeroed(1, sizeof *r, "a capture");
    r->path = memory_text("%s", path);
    r->packing = "gzip";
    r->time_unit_ns = 1;
    r->buffer = memory_resized(NULL, READ_BYTES + RECORDS_LONGEST, 1, "a capture");
    if (!reader_open_file(r, err) || !reader_open_pcap(r, err)) {
        capture_reader_close(r);
        return NULL;
    }
    return r;
}

struct capture_reader *capture_reader_open_live(const char *interface, struct error *err)
{
    struct capture_reader *r = memory_zeroed(1, sizeof *r, "a capture");
    r->path = memory_text("%s", interface);
    r->live = true;
    r->status = 1;
    r->said = "";
    r->pcap = capture_live_open(interface, err);
    if (!r->pcap || !reader_link_type(r, err)) {
        capture_reader_close(r);
        return NULL;
    }
    r->time_unit_ns = pcap_get_tstamp_precision(r->pcap) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
    return r;
}

bool capture_reader_confine(const struct capture_reader *r, bool filter, struct error *err)
{
    return capture_confine_live(filter, pcap_get_selectable_fd(r->pcap), err);
}

void capture_reader_stop(struct capture_reader *r)
{
    r->stopped = 1; /* pcap_breakloop() is heard of when frames come */
}

int64_t capture_reader_missed(const struct capture_reader *r)
{
    struct pcap_stat stat;
    return r->live && pcap_stats(r->pcap, &stat) == 0 ? (int64_t)stat.ps_drop : 0;
}

void capture_reader_close(struct capture_reader *r)
{
    if (!r)
        return;
    if (r->pcap)
        pcap_close(r->pcap);
    unpack_close(r->unpack);
    MEMORY_FREE(r->packed, r->buffer, r->path, r);
}

/* Is it time for word that nothing came, or that what came is worth a look? */
static bool reader_idle(struct capture_reader *r)
{
    if (r->status == 0) {
        r->status = 1;
        return true;
    }
    if (r->status != 1 || llabs(r->frame.time_ns - r->told_ns) < CAPTURE_LIVE_WAIT_MS * INT64_C(1000000))
        return false;
    r->told_ns = r->frame.time_ns;
    r->waiting = true;
    return true;
}

enum capture_next capture_reader_next(struct capture_reader *r, struct capture_frame *frame, struct error *err)
{
    size_t used;
    if (r->plain && !r->waiting && r->status == 1 && /* what nearly every call is, first; whatever it is not, below */
        records_take(&r->records, r->buffer + r->at, r->filled - r->at, frame, &used) == RECORDS_FRAME &&
        frame->wire_bytes <= CAPTURE_FRAME_LONGEST_IP) {
        frame->wire_bytes = frame->wire_bytes < frame->captured_bytes ? frame->captured_bytes : frame->wire_bytes;
        r->at += used;
        r->frames++;
        return CAPTURE_NEXT_FRAME;
    }
    if (!r->waiting && r->status == 1)
        reader_pull(r);
    bool told = r->waiting;
    r->waiting = false;
    if (r->live && !told && reader_idle(r))
        return CAPTURE_NEXT_IDLE;
    if (r->status != 1)
        return reader_stopped(r, err);
    *frame = r->frame;
    frame->wire_bytes = frame->wire_bytes < frame->captured_bytes ? frame->captured_bytes : frame->wire_bytes;
    return CAPTURE_NEXT_FRAME;
}

uint64_t capture_reader_link_rate_bps(const struct capture_reader *r)
{
    return r->live ? 0 : pcapng_link_rate_bps(r->head, r->head_bytes);
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
