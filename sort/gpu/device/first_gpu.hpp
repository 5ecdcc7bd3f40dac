// The GPU that is used where nobody named one.
#pragma once

namespace spillway {

// Lowest id of a usable GPU; looked for once. GpuError, saying why, where there is none.
int first_usable_gpu();

}  // namespace spillway
