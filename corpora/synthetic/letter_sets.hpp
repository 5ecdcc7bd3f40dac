// Sets of random letters.
#pragma once

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

MadeStringSet make_random_set(std::uint64_t seed);
MadeStringSet make_random_ascii_set(std::uint64_t seed);
MadeStringSet make_artificial_2_set(std::uint64_t seed);
MadeStringSet make_artificial_4_set(std::uint64_t seed);
MadeStringSet make_artificial_5_set(std::uint64_t seed);
MadeStringSet make_dna9_set(std::uint64_t seed);

}  // namespace spillway
