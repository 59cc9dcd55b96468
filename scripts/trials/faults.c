/* Loaded before the C library (LD_PRELOAD): calls of the system fail, as they do in a hostile night.
 *
 * FAULT_CALLS      kinds of calls that count: r (read), w (write), s (sync of a file), d (sync of a directory)
 * FAULT_NTH        the call that fails, counted over all threads from 1
 * FAULT_EVERY      each n-th call fails instead
 * FAULT_ERRNO      its error; -1 lets a sync report success without syncing
 * FAULT_LOSES      a failing sync also empties its file, as the kernel may drop pages it could not write
 * FAULT_DISK       a directory that gets what a disk must hold: at each sync, a copy of the file or a list of the directory
 *                  `left-out` says what a sync was left out of
 * FAULT_CUT        the sync before which the power fails: the program is killed
 * FAULT_COUNT      the file that gets the number of calls at the end
 * FAULT_PEAK       the file that gets the peak of memory in KiB at the end: of this program, not of the one that started it
 * FAULT_CLOCK      the clock of the day jumps by up to so many seconds at each look at it */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls, looks;
static long nth, every, error, loses, jump, cut;
static const char *kinds = "", *disk;

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void configure(void) {
    nth = number("FAULT_NTH", 0);
    every = number("FAULT_EVERY", 0);
    error = number("FAULT_ERRNO", EIO);
    jump = number("FAULT_CLOCK", 0);
    cut = number("FAULT_CUT", 0);
    loses = number("FAULT_LOSES", 0);
    disk = getenv("FAULT_DISK");
    if (getenv("FAULT_CALLS")) kinds = getenv("FAULT_CALLS");
}

__attribute__((destructor)) static void report(void) {
    const char *name = getenv("FAULT_COUNT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file) fprintf(file, "%ld", (long)calls), fclose(file);
    const char *peak = getenv("FAULT_PEAK");
    FILE *status = peak ? fopen("/proc/self/status", "r") : NULL;
    if (!status) return;
    char line[256];
    FILE *to = fopen(peak, "w");
    while (to && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6)) fprintf(to, "%ld", atol(line + 6));
    if (to) fclose(to);
    fclose(status);
}

/* Notes in FAULT_DISK what a sync is left out of: its inode and its name. */
static void note(int fd, const struct stat *status) {
    char own[64], name[4000], to[4096];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    snprintf(to, sizeof to, "%s/left-out", disk);
    ssize_t length = readlink(own, name, sizeof name - 1);
    FILE *file = length < 0 ? NULL : fopen(to, "w");
    if (file) fprintf(file, "%ld %.*s", (long)status->st_ino, (int)length, name), fclose(file);
}

/* Whether this call fails. Pipes and terminals are left alone: what is asked of them is no promise of a disk. */
static int fails(int fd, char kind) {
    struct stat status;
    if (!*kinds || fstat(fd, &status)) return 0;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return 0;
    if (kind == 's' && S_ISDIR(status.st_mode)) kind = 'd';
    if (!strchr(kinds, kind)) return 0;
    long n = atomic_fetch_add(&calls, 1) + 1;
    if (n == cut) raise(SIGKILL);
    if (n != nth && !(every && n % every == 0)) return 0;
    if (disk) note(fd, &status);
    errno = error;
    return 1;
}

#define CALL(result, name, kind, parameters, arguments)               \
    result name parameters {                                          \
        static result(*next) parameters;                              \
        if (!next) next = dlsym(RTLD_NEXT, #name);                    \
        return fails(fd, kind) ? -1 : next arguments;                 \
    }

CALL(ssize_t, read, 'r', (int fd, void *to, size_t bytes), (fd, to, bytes))
CALL(ssize_t, pread64, 'r', (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
CALL(ssize_t, write, 'w', (int fd, const void *from, size_t bytes), (fd, from, bytes))
CALL(ssize_t, pwrite64, 'w', (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))

static int sync_fails(int fd) {
    if (error == -1 || !loses) return error == -1 ? 0 : -1;
    int kept = errno;
    if (ftruncate(fd, 0)) { /* a directory: nothing is lost */ }
    errno = kept;
    return -1;
}

/* Copies what was synced to FAULT_DISK: a file, or the names of a directory with the inodes and kinds that they stand for. A
 * new copy takes the place of the old one at once, as the power may fail meanwhile. */
static void keep(int fd) {
    struct stat status;
    char own[64], whole[4000], part[4096];
    if (!disk || fstat(fd, &status)) return;
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    snprintf(whole, sizeof whole, "%s/%ld", disk, (long)status.st_ino);
    snprintf(part, sizeof part, "%s.%d", whole, gettid());
    FILE *to = fopen(part, "w");
    if (S_ISDIR(status.st_mode)) {
        DIR *names = opendir(own);
        for (struct dirent *one; to && names && (one = readdir(names));)
            if (strcmp(one->d_name, ".") && strcmp(one->d_name, ".."))
                fprintf(to, "%ld %d %s%c", (long)one->d_ino, one->d_type, one->d_name, 0);
        if (names) closedir(names);
    } else {
        FILE *from = fopen(own, "r");
        char bytes[1 << 16];
        for (size_t count; to && from && (count = fread(bytes, 1, sizeof bytes, from));) fwrite(bytes, 1, count, to);
        if (from) fclose(from);
    }
    if (!to || fclose(to) || rename(part, whole)) abort();
}

#define SYNC(name)                                                    \
    int name(int fd) {                                                \
        static int (*next)(int);                                      \
        if (!next) next = dlsym(RTLD_NEXT, #name);                    \
        if (fails(fd, 's')) return sync_fails(fd);                    \
        int result = next(fd);                                        \
        if (!result) keep(fd);                                        \
        return result;                                                \
    }

SYNC(fsync)
SYNC(fdatasync)

int clock_gettime(clockid_t clock, struct timespec *to) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, to);
    /* Back and forth, by another distance each time. */
    if (!result && jump && clock == CLOCK_REALTIME) {
        long n = atomic_fetch_add(&looks, 1);
        to->tv_sec += (n % 2 ? -1 : 1) * (n * 7919 % jump);
    }
    return result;
}
