/*
 * The executor as one unit of compilation; each file uses those above it.
 *
 * A call of a compiled program runs through the files that are compiled as build.rs says. The others run once a program,
 * or beside a call of a driver or of a vendor's library: those are compiled for size where the compiler can change its mind.
 */
#define _GNU_SOURCE
#if defined(__GNUC__) && !defined(__clang__)
#define BEGIN_FOR_SIZE _Pragma("GCC push_options") _Pragma("GCC optimize(\"Os\")")
#define END_FOR_SIZE _Pragma("GCC pop_options")
#else
#define BEGIN_FOR_SIZE
#define END_FOR_SIZE
#endif
#include "tensor.c"

BEGIN_FOR_SIZE
#include "plan.c"
END_FOR_SIZE

#include "pool.c"

BEGIN_FOR_SIZE
#include "cuda_driver.c"
#include "cuda_device.c"
#include "cuda_memory.c"
#include "cuda_launch.c"
#include "cuda_staging.c"
#include "vendor_library.c"
#include "cublaslt.c"
#include "cudnn.c"
#include "cufft.c"
#include "cusolver.c"
#include "factorise.c"
#include "linalg.h"
#if LX_HAS_LINALG
#include "linalg.c"
#endif
END_FOR_SIZE

#include "panels.c"
#include "frame.c"
#include "random.c"
#include "bind.c"

BEGIN_FOR_SIZE
#include "routine.c"
#include "profile.c"
END_FOR_SIZE

#include "steps.c"

BEGIN_FOR_SIZE
#include "observe.c"
#include "host_tensors.c"
#include "common.c"
#include "derived.c"
#include "recover.c"
END_FOR_SIZE

#include "instance.c"

BEGIN_FOR_SIZE
#include "cuda_graphs.c"
END_FOR_SIZE

#include "run.c"

BEGIN_FOR_SIZE
#include "overlap.c"
#include "constants.c"
END_FOR_SIZE
