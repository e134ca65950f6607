#ifdef __linux__
#include <sys/prctl.h>

// prctl takes a variable number of arguments, which Swift cannot call.
static inline int process_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
static inline int process_set_not_dumpable(void) { return 0; }
#endif
