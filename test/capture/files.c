/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test/capture/files.h"

#include "test/cm.h"

#include <dirent.h>
#include <zlib.h>

static char directory[64];

static void put(struct files_bytes *f, uint64_t value, int n)
{
    assert_true(f->n + (size_t)n <= sizeof f->bytes);
    for (int i = 0; i < n; i++)
        f->bytes[f->n++] = (uint8_t)(value >> 8 * (f->big_endian ? n - 1 - i : i));
}

static void put_payload(struct files_bytes *f, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        put(f, 0x55, 1);
}

void files_u16(struct files_bytes *f, uint16_t value)
{
    put(f, value, 2);
}

void files_u32(struct files_bytes *f, uint32_t value)
{
    put(f, value, 4);
}

void files_pcap_header(struct files_bytes *f, uint32_t magic, uint32_t link_type)
{
    files_u32(f, magic);
    files_u16(f, 2);
    files_u16(f, 4);
    files_u32(f, 0);
    files_u32(f, 0);
    files_u32(f, 65535);
    files_u32(f, link_type);
}

void files_pcap_packet(struct files_bytes *f, uint32_t seconds, uint32_t fraction, uint32_t captured, uint32_t wire)
{
    files_u32(f, seconds);
    files_u32(f, fraction);
    files_u32(f, captured);
    files_u32(f, wire);
    put_payload(f, captured);
}

void files_pcapng_section(struct files_bytes *f)
{
    files_u32(f, 0x0a0d0d0a);
    files_u32(f, 28);
    files_u32(f, 0x1a2b3c4d);
    files_u16(f, 1);
    files_u16(f, 0);
    put(f, UINT64_MAX, 8); /* length not given */
    files_u32(f, 28);
}

void files_pcapng_interface(struct files_bytes *f, uint16_t link_type, uint32_t snaplen, uint8_t resolution)
{
    files_u32(f, 1);
    files_u32(f, 32);
    files_u16(f, link_type);
    files_u16(f, 0);
    files_u32(f, snaplen);
    files_u16(f, 9); /* if_tsresol */
    files_u16(f, 1);
    put(f, resolution, 1);
    put(f, 0, 3);
    files_u32(f, 0); /* end of options */
    files_u32(f, 32);
}

void files_pcapng_interface_speed(struct files_bytes *f, uint16_t link_type, uint64_t rate_bps)
{
    files_u32(f, 1);
    files_u32(f, 56);
    files_u16(f, link_type);
    files_u16(f, 0);
    files_u32(f, 262144);
    files_u16(f, 2); /* if_name */
    files_u16(f, 4);
    put(f, 'x', 4);
    files_u16(f, 1); /* opt_comment */
    files_u16(f, 5);
    put(f, 'y', 5);
    put(f, 0, 3);
    files_u16(f, 8); /* if_speed */
    files_u16(f, 8);
    put(f, rate_bps, 8);
    files_u32(f, 0); /* end of options */
    files_u32(f, 56);
}

void files_pcapng_packet(struct files_bytes *f, uint32_t interface, uint64_t time, uint32_t n)
{
    uint32_t padding = -n & 3u;
    files_u32(f, 6);
    files_u32(f, 32 + n + padding);
    files_u32(f, interface);
    files_u32(f, (uint32_t)(time >> 32));
    files_u32(f, (uint32_t)time);
    files_u32(f, n);
    files_u32(f, n);
    put_payload(f, n);
    put(f, 0, (int)padding);
    files_u32(f, 32 + n + padding);
}

int files_setup(void **state)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.40s/contraflow-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(directory) ? 0 : -1;
}

int files_teardown(void **state)
{
    DIR *d = opendir(directory);
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    return rmdir(directory);
}

const char *files_path(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

const char *files_write(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(files_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    return files_path(name);
}

const char *files_write_gzip(const char *name, const void *bytes, size_t n)
{
    gzFile f = gzopen(files_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, bytes, (unsigned)n), (int)n);
    assert_int_equal(gzclose(f), Z_OK);
    return files_path(name);
}

long files_read(const char *name, void *bytes, size_t size)
{
    FILE *f = fopen(files_path(name), "rb");
    if (!f)
        return -1;
    size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return (long)n;
}
