// Sets for figures that vary the length of strings: random strings of one length (Drozd et al. 2014, figure 5), and
// sets whose ties are shorter or longer than those of another set (Deshpande and Narayanan 2013, figure 4).
#pragma once

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

// Strings of `bytes` random printable bytes.
MadeStringSet make_printable_set(std::size_t bytes, std::uint64_t seed);

// Every k-th byte of each string of a set, from the first on: ties are k times as short. Requires: k >= 1.
MadeStringSet make_every_kth_byte(MadeStringSet set, std::size_t k);

// Each byte of each string k times: ties are k times as long. Requires: k >= 1.
MadeStringSet make_repeated_bytes(MadeStringSet set, std::size_t k);

}  // namespace spillway
