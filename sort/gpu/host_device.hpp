// Marks the step logic of kernels, which plain C++ compiles as well: it is then tested without a GPU, and under the
// sanitizers.
#pragma once

#ifdef __CUDACC__
#define SPILLWAY_HOST_DEVICE __host__ __device__
#else
#define SPILLWAY_HOST_DEVICE
#endif

// Before a loop over registers: an array stays in registers only where all its indices are constants.
#ifdef __CUDA_ARCH__
#define SPILLWAY_UNROLL _Pragma("unroll")
#else
#define SPILLWAY_UNROLL
#endif
