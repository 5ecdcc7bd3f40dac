// The peak of this process's memory, for one of several jobs that it runs one after the other.
#pragma once

namespace spillway {

// From here on peak_resident_bytes() (io/memory/budget.hpp) is counted anew, from what is resident now. False: the
// system does not let it.
bool reset_peak_resident_bytes();

}  // namespace spillway
