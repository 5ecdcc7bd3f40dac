// Marks the step logic of kernels, which plain C++ compiles as well: it is then tested without a GPU, and under the
// sanitizers.
#pragma once

#ifdef __CUDACC__
#define SPILLWAY_HOST_DEVICE __host__ __device__
#else
#define SPILLWAY_HOST_DEVICE
#endif
