/* Loaded before the C library (LD_PRELOAD): what is asked of one file fails, as on a bad disk.
 * The number of the error is in FAULT_ERRNO. Each variable names the end of an absolute path:
 * READ_FAULT_FILE fails at its first read, or at that of number READ_FAULT_AT, and the file
 * READ_FAULT_MARK is made then; OPEN_FAULT_FILE whenever it is opened, STAT_FAULT_FILE
 * whenever it is looked at. PAUSED_FILE is not opened before the file PAUSE is gone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int reads;

/* Whether a variable names the end of the path; sets errno if it does. */
static int fails(const char *variable, const char *path) {
    const char *end = getenv(variable), *number = getenv("FAULT_ERRNO");
    if (!end || !number) return 0;
    size_t whole = strlen(path), length = strlen(end);
    if (whole < length || strcmp(path + whole - length, end)) return 0;
    errno = atoi(number);
    return 1;
}

/* The path of a descriptor; empty if it has none. */
static void path_of(int fd, char *path, size_t bytes) {
    char link[64];
    if (fd == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, bytes - 1);
    path[length > 0 ? length : 0] = 0;
}

static int read_fails(int fd) {
    char path[4096];
    int before = errno;
    path_of(fd, path, sizeof path);
    errno = before;
    if (!fails("READ_FAULT_FILE", path)) return 0;
    const char *at = getenv("READ_FAULT_AT"), *mark = getenv("READ_FAULT_MARK");
    if (atomic_fetch_add(&reads, 1) + 1 != (at ? atoi(at) : 1)) {
        errno = before;
        return 0;
    }
    int number = errno, made = mark ? creat(mark, 0600) : -1;
    if (made >= 0) close(made);
    errno = number;
    return 1;
}

static int name_fails(const char *variable, int directory, const char *name) {
    char base[4096] = "", path[8200];
    int before = errno;
    if (name && name[0] != '/') path_of(directory, base, sizeof base);
    snprintf(path, sizeof path, "%s/%s", base, name ? name : "");
    errno = before;
    return fails(variable, path);
}

ssize_t read(int fd, void *to, size_t bytes) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "read");
    return read_fails(fd) ? -1 : next(fd, to, bytes);
}

ssize_t pread64(int fd, void *to, size_t bytes, off_t at) {
    static ssize_t (*next)(int, void *, size_t, off_t);
    if (!next) next = dlsym(RTLD_NEXT, "pread64");
    return read_fails(fd) ? -1 : next(fd, to, bytes, at);
}

static void pause_at(const char *name) {
    const char *end = getenv("PAUSED_FILE"), *pause = getenv("PAUSE");
    size_t whole = name ? strlen(name) : 0, length = end ? strlen(end) : 0;
    if (!end || !pause || whole < length || strcmp(name + whole - length, end)) return;
    int before = errno;
    while (!access(pause, F_OK)) usleep(2000);
    errno = before;
}

int open64(const char *name, int flags, ...) {
    static int (*next)(const char *, int, ...);
    if (!next) next = dlsym(RTLD_NEXT, "open64");
    va_list further;
    va_start(further, flags);
    mode_t mode = va_arg(further, mode_t);
    va_end(further);
    pause_at(name);
    return name_fails("OPEN_FAULT_FILE", AT_FDCWD, name) ? -1 : next(name, flags, mode);
}

int statx(int directory, const char *restrict name, int flags, unsigned mask,
          struct statx *restrict to) {
    static int (*next)(int, const char *, int, unsigned, struct statx *);
    if (!next) next = dlsym(RTLD_NEXT, "statx");
    /* The header says that it is never null, but it is where a caller asks whether statx works. */
    const char *volatile given = name;
    if (given && given[0] && name_fails("STAT_FAULT_FILE", directory, name)) return -1;
    return next(directory, name, flags, mask, to);
}
