// The GPU that is used where none is named.
#pragma once

namespace spillway {

// Returns the lowest id of a usable GPU; asks the driver once a process. GpuError with the reason where there is none.
int first_usable_gpu();

}  // namespace spillway
