/* The executor as one unit of compilation; each file uses those above it. */
#define _GNU_SOURCE
#include "tensor.c"
#include "plan.c"
#include "pool.c"
#include "cuda.c"
#include "frame.c"
#include "bind.c"
#include "steps.c"
#include "instance.c"
#include "run.c"
#include "constants.c"
