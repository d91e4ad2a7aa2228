/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test/capture/files.h - capture files put together byte by byte, in a directory of their own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILES_MAX_BYTES 4096

struct files_bytes {
    bool big_endian;
    size_t n;
    uint8_t bytes[FILES_MAX_BYTES];
};

void files_u16(struct files_bytes *f, uint16_t value);
void files_u32(struct files_bytes *f, uint32_t value);

/* A pcap header (magic 0xa1b2c3d4 for microseconds, 0xa1b23c4d for nanoseconds) and a packet of `captured` bytes, each
 * 0x55. */
void files_pcap_header(struct files_bytes *f, uint32_t magic, uint32_t link_type);
void files_pcap_packet(struct files_bytes *f, uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t wire);

/* pcapng blocks: section header, interface (if_tsresol = resolution), packet of n bytes, each 0x55. */
void files_pcapng_section(struct files_bytes *f);
void files_pcapng_interface(struct files_bytes *f, uint16_t link_type, uint32_t snaplen, uint8_t resolution);
/* With a name, a comment of five bytes, and if_speed. */
void files_pcapng_interface_speed(struct files_bytes *f, uint16_t link_type, uint64_t rate_bps);
void files_pcapng_packet(struct files_bytes *f, uint32_t interface, uint64_t time, uint32_t n);

/* cmocka group fixtures: make and remove the directory the paths below lie in. */
int files_setup(void **state);
int files_teardown(void **state);

/* PATH of a name in that directory; overwritten by the next call. */
const char *files_path(const char *name);

/* Writes n bytes, gzip'ed or as they are; returns files_path(name). */
const char *files_write(const char *name, const void *bytes, size_t n);
const char *files_write_gzip(const char *name, const void *bytes, size_t n);

/* Up to `size` bytes of the file; its length, or -1 when there is none. */
long files_read(const char *name, void *bytes, size_t size);
