// Marks the step logic of kernels, which plain C++ compiles as well: it is then tested without a GPU, and under the
// sanitizers. SPILLWAY_OUT_OF_LINE keeps what is seldom needed out of unrolled loops: they stay in the instruction
// cache.
#pragma once

#ifdef __CUDACC__
#define SPILLWAY_HOST_DEVICE __host__ __device__
#define SPILLWAY_OUT_OF_LINE __noinline__
#else
#define SPILLWAY_HOST_DEVICE
#define SPILLWAY_OUT_OF_LINE
#endif

// Before a loop over registers: an array stays in registers only where all its indices are constants.
#ifdef __CUDA_ARCH__
#define SPILLWAY_UNROLL _Pragma("unroll")
#else
#define SPILLWAY_UNROLL
#endif
