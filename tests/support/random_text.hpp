// Random text for tests that need megabytes of it. It is made here because test cases are not optimised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace spillway::testing {

// Letters, digits and blanks that hardly compress; the same for the same seed.
std::string random_text(std::uint32_t seed, std::size_t bytes);

}  // namespace spillway::testing
