// How many files a merge may open.
#pragma once

#include <cstddef>

namespace spillway {

// Descriptors that are left for inputs, at least 2: less than the process may open by those that are open, a few
// others, and `kept` for scratch files.
std::size_t free_descriptors(std::size_t kept);

}  // namespace spillway
