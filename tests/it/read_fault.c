/* Loaded before the C library (LD_PRELOAD): the first read of one file fails, as on a bad disk.
 * READ_FAULT_FILE is the absolute path of the file, READ_FAULT_ERRNO the number of the error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int failed;

static int fails(int fd) {
    const char *file = getenv("READ_FAULT_FILE"), *number = getenv("READ_FAULT_ERRNO");
    char link[64], path[4096];
    if (!file || !number) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    if (strcmp(path, file) || atomic_exchange(&failed, 1)) return 0;
    errno = atoi(number);
    return 1;
}

ssize_t read(int fd, void *to, size_t bytes) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "read");
    return fails(fd) ? -1 : next(fd, to, bytes);
}

ssize_t pread64(int fd, void *to, size_t bytes, off_t at) {
    static ssize_t (*next)(int, void *, size_t, off_t);
    if (!next) next = dlsym(RTLD_NEXT, "pread64");
    return fails(fd) ? -1 : next(fd, to, bytes, at);
}
