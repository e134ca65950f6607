#ifdef __linux__
#include <malloc.h>

// What is allocated and not freed, in all arenas; below 0 where that is not told. Swift's Glibc module has no malloc.h.
static inline long heap_live_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 heap = mallinfo2();
  return (long)(heap.uordblks + heap.hblkhd);
#else
  return -1;
#endif
}
#else
static inline long heap_live_bytes(void) { return -1; }
#endif
