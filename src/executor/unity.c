/* The executor as one unit of compilation. */
#define _GNU_SOURCE
#include "executor.c"
