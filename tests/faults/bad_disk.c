/* A disk and a clock that misbehave, for one process: loaded before libc by LD_PRELOAD, told what to do by the
 * functions at the end. Only files below one folder are concerned. Linux with glibc. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { ON_WRITE = 1, ON_SYNC = 2, ON_NAME = 4, ON_CREATE = 8 };
enum { DO_KILL = 1, DO_TEAR = 2, DO_FAIL = 3, DO_DELAY = 4, DO_KILL_AFTER = 5, DO_JUMP = 6 };

static char root[4096];
static size_t root_length;
static int rule_on, rule_do, rule_forever;
static long rule_nth, rule_with, counted, clock_offset_s;
static int record = -1;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name); real; })

static ssize_t real_write(int fd, const void *data, size_t size) { return REAL(write)(fd, data, size); }

static int concerned(const char *path) {
    return root_length && path && strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

/* The path of an open file below the folder; NULL for any other, and for one that has no name any more. */
static const char *path_of(int fd, char *into, size_t room) {
    char link[64];
    if (!root_length) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, into, room - 1);
    if (length <= 0) return NULL;
    into[length] = 0;
    if (strstr(into, " (deleted)")) return NULL;
    size_t end = (size_t)length;
    if (end > 4 && strcmp(into + end - 4, "-shm") == 0) return NULL;
    return (concerned(into) || strcmp(into, root) == 0) ? into : NULL;
}

static void absolute(int folder, const char *path, char *into, size_t room) {
    if (path[0] == '/') { snprintf(into, room, "%s", path); return; }
    char base[4096] = "";
    if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t length = readlink(link, base, sizeof base - 1);
        base[length > 0 ? length : 0] = 0;
    }
    snprintf(into, room, "%s/%s", base, path);
}

struct entry { char kind; char pad[3]; uint32_t path_size; uint32_t data_size; uint32_t pad2; int64_t offset; };

static void note(char kind, const char *path, const void *data, size_t size, int64_t offset) {
    if (record < 0) return;
    struct entry entry = { .kind = kind, .path_size = (uint32_t)strlen(path), .data_size = (uint32_t)size, .offset = offset };
    real_write(record, &entry, sizeof entry);
    real_write(record, path, entry.path_size);
    size_t done = 0;
    while (done < size) {
        ssize_t n = real_write(record, (const char *)data + done, size - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
}

static void die(void) { REAL(kill)(getpid(), SIGKILL); for (;;) pause(); }

/* What the rule wants done with this operation: 0 for nothing. */
static int struck(int on) {
    if (!(rule_on & on)) return 0;
    long number = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
    if (number != rule_nth && !(rule_forever && number > rule_nth)) return 0;
    if (rule_do == DO_KILL) die();
    if (rule_do == DO_DELAY) usleep((useconds_t)rule_with);
    if (rule_do == DO_JUMP) { clock_offset_s = rule_with; return 0; }
    return rule_do;
}

#define GUARDED(path_, on, call, half, kind, data, size, offset)                                         \
    char buffer_[4096];                                                                                  \
    const char *path_ = path_of(fd, buffer_, sizeof buffer_);                                            \
    if (!path_) return call;                                                                             \
    pthread_mutex_lock(&guard);                                                                          \
    int what_ = struck(on);                                                                              \
    if (what_ == DO_TEAR) { half; die(); }                                                               \
    if (what_ == DO_FAIL) { pthread_mutex_unlock(&guard); errno = (int)rule_with; return -1; }           \
    __typeof__(call) result_ = call;                                                                     \
    int kept_ = errno;                                                                                   \
    if (result_ >= 0) note(kind, path_, data, size, offset);                                             \
    if (what_ == DO_KILL_AFTER) die();                                                                   \
    pthread_mutex_unlock(&guard);                                                                        \
    errno = kept_;                                                                                       \
    return result_;

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    GUARDED(path, ON_WRITE, REAL(pwrite64)(fd, data, size, at), REAL(pwrite64)(fd, data, size / 2, at), 'W',
            data, (size_t)result_, at)
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size) {
    if (fd == 1 || fd == 2) {
        pthread_mutex_lock(&guard);
        ssize_t done = real_write(fd, data, size);
        if (done > 0) note(fd == 1 ? 'O' : 'E', "", data, (size_t)done, 0);
        pthread_mutex_unlock(&guard);
        return done;
    }
    off_t at = root_length ? lseek(fd, 0, SEEK_CUR) : 0;
    GUARDED(path, ON_WRITE, real_write(fd, data, size), real_write(fd, data, size / 2), 'W', data,
            (size_t)result_, at)
}

int fsync(int fd) { GUARDED(path, ON_SYNC, REAL(fsync)(fd), (void)0, 'S', NULL, 0, 0) }

int fdatasync(int fd) { GUARDED(path, ON_SYNC, REAL(fdatasync)(fd), (void)0, 'S', NULL, 0, 0) }

int ftruncate64(int fd, off64_t size) {
    GUARDED(path, ON_WRITE, REAL(ftruncate64)(fd, size), (void)0, 'T', NULL, 0, size)
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

/* Copies inside the kernel are done by hand, so that they are seen like other writes. */
ssize_t sendfile64(int out, int in, off64_t *at, size_t size) {
    char buffer[4096];
    if (!path_of(out, buffer, sizeof buffer)) return REAL(sendfile64)(out, in, at, size);
    errno = EINVAL;
    return -1;
}

ssize_t sendfile(int out, int in, off_t *at, size_t size) { return sendfile64(out, in, at, size); }

#define NAMED(first, second, call, kind)                                                                 \
    if (!concerned(first)) return call;                                                                  \
    pthread_mutex_lock(&guard);                                                                          \
    int what_ = struck(ON_NAME);                                                                         \
    if (what_ == DO_TEAR) die();                                                                         \
    if (what_ == DO_FAIL) { pthread_mutex_unlock(&guard); errno = (int)rule_with; return -1; }           \
    int result_ = call, kept_ = errno;                                                                   \
    if (result_ == 0) note(kind, first, second, strlen(second), 0);                                      \
    if (what_ == DO_KILL_AFTER) die();                                                                   \
    pthread_mutex_unlock(&guard);                                                                        \
    errno = kept_;                                                                                       \
    return result_;

int renameat(int a, const char *from, int b, const char *to) {
    char first[4096], second[4096];
    absolute(a, from, first, sizeof first);
    absolute(b, to, second, sizeof second);
    NAMED(first, second, REAL(renameat)(a, from, b, to), 'R')
}

int rename(const char *from, const char *to) {
    char first[4096], second[4096];
    absolute(AT_FDCWD, from, first, sizeof first);
    absolute(AT_FDCWD, to, second, sizeof second);
    NAMED(first, second, REAL(rename)(from, to), 'R')
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
    char first[4096], second[4096];
    absolute(a, from, first, sizeof first);
    absolute(b, to, second, sizeof second);
    NAMED(first, second, REAL(linkat)(a, from, b, to, flags), 'L')
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char *path, int flags) {
    char first[4096];
    absolute(folder, path, first, sizeof first);
    NAMED(first, "", REAL(unlinkat)(folder, path, flags), 'U')
}

int unlink(const char *path) {
    char first[4096];
    absolute(AT_FDCWD, path, first, sizeof first);
    NAMED(first, "", REAL(unlink)(path), 'U')
}

int rmdir(const char *path) {
    char first[4096];
    absolute(AT_FDCWD, path, first, sizeof first);
    NAMED(first, "", REAL(rmdir)(path), 'U')
}

int mkdir(const char *path, mode_t mode) {
    char first[4096];
    absolute(AT_FDCWD, path, first, sizeof first);
    NAMED(first, "", REAL(mkdir)(path, mode), 'M')
}

static int open_file(int folder, const char *path, int flags, mode_t mode) {
    char first[4096];
    absolute(folder, path, first, sizeof first);
    size_t end = strlen(first);
    int shared = end > 4 && strcmp(first + end - 4, "-shm") == 0;
    if (!concerned(first) || shared || !(flags & (O_CREAT | O_TRUNC))) return REAL(openat64)(folder, path, flags, mode);
    pthread_mutex_lock(&guard);
    int is_new = access(first, F_OK) != 0;
    int what = is_new ? struck(ON_CREATE) : 0;
    if (what == DO_TEAR) die();
    if (what == DO_FAIL) { pthread_mutex_unlock(&guard); errno = (int)rule_with; return -1; }
    int fd = REAL(openat64)(folder, path, flags, mode), kept = errno;
    if (fd >= 0 && is_new) note('C', first, NULL, 0, 0);
    else if (fd >= 0 && (flags & O_TRUNC)) note('T', first, NULL, 0, 0);
    if (what == DO_KILL_AFTER) die();
    pthread_mutex_unlock(&guard);
    errno = kept;
    return fd;
}

#define OPENING(folder)                                                                                  \
    mode_t mode = 0;                                                                                     \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
    return open_file(folder, path, flags, mode);

int open(const char *path, int flags, ...) { OPENING(AT_FDCWD) }
int open64(const char *path, int flags, ...) { OPENING(AT_FDCWD) }
int openat(int folder, const char *path, int flags, ...) { OPENING(folder) }
int openat64(int folder, const char *path, int flags, ...) { OPENING(folder) }

int clock_gettime(clockid_t which, struct timespec *into) {
    int result = REAL(clock_gettime)(which, into);
    if (which == CLOCK_REALTIME) into->tv_sec += clock_offset_s;
    return result;
}

int gettimeofday(struct timeval *into, void *zone) {
    int result = REAL(gettimeofday)(into, zone);
    into->tv_sec += clock_offset_s;
    return result;
}

time_t time(time_t *into) {
    time_t now = REAL(time)(NULL) + clock_offset_s;
    if (into) *into = now;
    return now;
}

/* What a child of the nursery says before it begins. */
void bad_disk_root(const char *path) {
    snprintf(root, sizeof root, "%s", path);
    root_length = strlen(root);
}

void bad_disk_rule(int on, int what, long nth, int forever, long with) {
    rule_on = on, rule_do = what, rule_nth = nth, rule_forever = forever, rule_with = with, counted = 0;
}

void bad_disk_record(const char *path) { record = REAL(openat64)(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600); }

void bad_disk_clock(long offset_s) { clock_offset_s = offset_s; }

long bad_disk_counted(void) { return counted; }
