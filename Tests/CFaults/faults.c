/* Lets calls on files fail or end the process, for a program that is linked to the C library at run time. script/crash
 * builds it and preloads it:
 *
 *   FAULTS_PATH   only files below this folder count
 *   FAULTS_AT     the number of the call that fails, from 1
 *   FAULTS_COUNT  how many fail from there on; 0: all
 *   FAULTS_KIND   kill    the process dies before the call
 *                 after   the process dies after it
 *                 eio     the call fails with EIO
 *                 enospc  a call that takes room fails with ENOSPC
 *                 short   a write writes half
 *                 sync    a sync fails with EIO
 *   FAULTS_LOG    a file to which the number of calls that count for this kind is written at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum class { writing, room, syncing, naming };

static atomic_long calls;
static long at, count;
static const char *folder, *kind, *list;
static pid_t owner;
/* Is the file behind a descriptor below the folder? */
static atomic_uchar ours[65536];

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULTS_PATH");
  kind = getenv("FAULTS_KIND");
  list = getenv("FAULTS_LOG");
  at = getenv("FAULTS_AT") ? atol(getenv("FAULTS_AT")) : 0;
  count = getenv("FAULTS_COUNT") ? atol(getenv("FAULTS_COUNT")) : 1;
  owner = getpid();
}

__attribute__((destructor)) static void end(void) {
  if (!list || getpid() != owner) return;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
  int file = REAL(open)(list, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0 && REAL(write)(file, text, length) >= 0) REAL(close)(file);
}

static int below(const char *path) {
  if (!folder || !kind || !path) return 0;
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int counts(enum class class) {
  if (strcmp(kind, "kill") == 0 || strcmp(kind, "after") == 0 || strcmp(kind, "eio") == 0) return 1;
  if (strcmp(kind, "enospc") == 0) return class == writing || class == room;
  if (strcmp(kind, "short") == 0) return class == writing;
  return class == syncing;
}

/* Is this call the one that fails? */
static int fails(enum class class) {
  if (!counts(class)) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (at == 0 || number < at || (count > 0 && number >= at + count)) return 0;
  if (strcmp(kind, "kill") == 0) raise(SIGKILL);
  return 1;
}

static int is(const char *what) { return strcmp(kind, what) == 0; }

static int error_number(void) { return is("enospc") ? ENOSPC : EIO; }

/* Before a call of which nothing is done when it fails. */
#define GUARD(affected, class)                     \
  int hit = (affected) && fails(class);            \
  if (hit && !is("after") && !is("short")) {       \
    errno = error_number();                        \
    return -1;                                     \
  }

/* After it. */
#define DONE(value)                                \
  do {                                             \
    if (hit && is("after")) raise(SIGKILL);        \
    return value;                                  \
  } while (0)

static int known(int file) { return file >= 0 && file < 65536 && atomic_load(&ours[file]); }

static void note(int file, const char *path) {
  if (file >= 0 && file < 65536) atomic_store(&ours[file], below(path));
}

#define OPEN(name)                                                   \
  int name(const char *path, int flags, ...) {                       \
    va_list rest;                                                    \
    va_start(rest, flags);                                           \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                    \
    GUARD((flags & O_CREAT) && below(path), room)                    \
    int file = REAL(name)(path, flags, mode);                        \
    note(file, path);                                                \
    DONE(file);                                                      \
  }
OPEN(open)
OPEN(open64)

int close(int file) {
  if (file >= 0 && file < 65536) atomic_store(&ours[file], 0);
  return REAL(close)(file);
}

ssize_t write(int file, const void *bytes, size_t length) {
  GUARD(known(file), writing)
  ssize_t done = REAL(write)(file, bytes, hit && is("short") ? (length + 1) / 2 : length);
  DONE(done);
}

#define PWRITE(name, offset_type)                                                       \
  ssize_t name(int file, const void *bytes, size_t length, offset_type offset) {        \
    GUARD(known(file), writing)                                                         \
    ssize_t done = REAL(name)(file, bytes, hit && is("short") ? (length + 1) / 2 : length, offset); \
    DONE(done);                                                                         \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type)                                                      \
  ssize_t name(int file, const struct iovec *parts, int parts_count, offset_type offset) { \
    GUARD(known(file), writing)                                                         \
    ssize_t done;                                                                       \
    if (hit && is("short"))                                                             \
      done = REAL(pwrite)(file, parts[0].iov_base, (parts[0].iov_len + 1) / 2, offset); \
    else                                                                                \
      done = REAL(name)(file, parts, parts_count, offset);                              \
    DONE(done);                                                                         \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t writev(int file, const struct iovec *parts, int parts_count) {
  GUARD(known(file), writing)
  ssize_t done;
  if (hit && is("short"))
    done = REAL(write)(file, parts[0].iov_base, (parts[0].iov_len + 1) / 2);
  else
    done = REAL(writev)(file, parts, parts_count);
  DONE(done);
}

#define ON_FILE(name, class)          \
  int name(int file) {                \
    GUARD(known(file), class)         \
    int done = REAL(name)(file);      \
    DONE(done);                       \
  }
ON_FILE(fsync, syncing)
ON_FILE(fdatasync, syncing)

#define TRUNCATE(name, size_type)            \
  int name(int file, size_type size) {       \
    GUARD(known(file), room)                 \
    int done = REAL(name)(file, size);       \
    DONE(done);                              \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* Says what failed by its value. */
#define ALLOCATE(name, offset_type)                                   \
  int name(int file, offset_type offset, offset_type length) {        \
    int hit = known(file) && fails(room);                             \
    if (hit && !is("after") && !is("short")) return error_number();   \
    int done = REAL(name)(file, offset, length);                      \
    DONE(done);                                                       \
  }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

#define ON_TWO_NAMES(name)                          \
  int name(const char *from, const char *to) {      \
    GUARD(below(from) || below(to), naming)         \
    int done = REAL(name)(from, to);                \
    DONE(done);                                     \
  }
ON_TWO_NAMES(rename)
ON_TWO_NAMES(link)

int unlink(const char *path) {
  GUARD(below(path), naming)
  int done = REAL(unlink)(path);
  DONE(done);
}

int mkdir(const char *path, mode_t mode) {
  GUARD(below(path), room)
  int done = REAL(mkdir)(path, mode);
  DONE(done);
}
