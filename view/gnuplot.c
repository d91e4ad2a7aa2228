/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/gnuplot.h"

#include "base/outfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void view_gnuplot_discard(struct view_gnuplot *g)
{
    if (g->data)
        fclose(g->data);
    if (g->body)
        fclose(g->body);
    free(g->data_text);
    free(g->body_text);
    *g = (struct view_gnuplot){0};
}

bool view_gnuplot_open(struct view_gnuplot *g, struct error *err)
{
    *g = (struct view_gnuplot){0};
    g->data = open_memstream(&g->data_text, &g->data_size);
    g->body = open_memstream(&g->body_text, &g->body_size);
    if (g->data && g->body)
        return true;
    view_gnuplot_discard(g);
    return error_set(err, ERROR_SYSTEM, "out of memory for a figure");
}

/* Runs `gnuplot NAME.gp` in the directory; its words go into *err. */
static bool gnuplot_run(const char *directory, const char *script, struct error *err)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC) != 0)
        return error_set_errno(err, "gnuplot cannot be started");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], STDOUT_FILENO);
        dup2(fd[1], STDERR_FILENO);
        if (chdir(directory) == 0)
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(127);
    }
    close(fd[1]);
    char said[256];
    size_t n = 0;
    for (ssize_t got; pid > 0 && (got = read(fd[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(fd[0]);
    said[n] = '\0';
    int status = -1;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return error_set_errno(err, "gnuplot cannot be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(err, ERROR_SYSTEM, "gnuplot is not installed (apt install gnuplot-nox)");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, ERROR_SYSTEM, "gnuplot %s/%s failed: %s", directory, script, said);
    return true;
}

static bool gnuplot_write(const struct view_gnuplot *g, const char *path, const char *name, int width, int height,
                          struct error *err)
{
    struct outfile f;
    if (!outfile_open(&f, path, err))
        return false;
    fprintf(f.stream, "# contraflow %s; draw again with: gnuplot %s.gp\n", CONTRAFLOW_VERSION, name);
    fwrite(g->data_text, 1, g->data_size, f.stream);
    fprintf(f.stream,
            "set terminal svg size %d,%d dynamic background rgb 'white' font 'DejaVu Sans,13'\nset output '%s.svg'\n",
            width, height, name);
    fwrite(g->body_text, 1, g->body_size, f.stream);
    fprintf(f.stream, "unset output\nset terminal pngcairo size %d,%d font 'DejaVu Sans,10'\nset output '%s.png'\n",
            width, height, name);
    fwrite(g->body_text, 1, g->body_size, f.stream);
    fputs("unset output\n", f.stream);
    return outfile_commit(&f, err);
}

bool view_gnuplot_draw(struct view_gnuplot *g, const char *directory, const char *name, int width, int height,
                  struct error *err)
{
    bool ok = fflush(g->data) == 0 && fflush(g->body) == 0;
    char *path = NULL;
    if (!ok || asprintf(&path, "%s/%s.gp", directory, name) < 0)
        ok = error_set(err, ERROR_SYSTEM, "out of memory for a figure");
    ok = ok && gnuplot_write(g, path, name, width, height, err) &&
         gnuplot_run(directory, strrchr(path, '/') + 1, err);
    free(path);
    view_gnuplot_discard(g);
    return ok;
}
