// Marks the step logic of kernels. Plain C++ compiles it too, so that tests run it without a GPU and under the
// sanitizers. SPILLWAY_OUT_OF_LINE keeps rarely executed code out of unrolled loops, which then fit the instruction
// cache.
#pragma once

#ifdef __CUDACC__
#define SPILLWAY_HOST_DEVICE __host__ __device__
#define SPILLWAY_OUT_OF_LINE __noinline__
#else
#define SPILLWAY_HOST_DEVICE
#define SPILLWAY_OUT_OF_LINE
#endif

// Stands before a loop over an array in registers: it stays there only if all indices are constants.
#ifdef __CUDA_ARCH__
#define SPILLWAY_UNROLL _Pragma("unroll")
#else
#define SPILLWAY_UNROLL
#endif
