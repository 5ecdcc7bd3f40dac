// Measures the peak memory of one of several jobs that this process runs one after the other.
#pragma once

namespace spillway {

// Restarts peak_resident_bytes() (io/memory/budget.hpp) from the memory that is resident now. Returns false if the
// system does not allow it.
bool reset_peak_resident_bytes();

}  // namespace spillway
