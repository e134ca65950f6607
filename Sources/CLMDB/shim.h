#include <lmdb.h>
#ifdef __linux__
/* statfs, which Swift's module of glibc leaves out. */
#include <sys/vfs.h>
#endif
