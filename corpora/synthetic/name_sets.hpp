// Sets of names that are built from components, from the general to the specific.
#pragma once

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

MadeStringSet make_url_set(std::uint64_t seed);
MadeStringSet make_pc_filelist_set(std::uint64_t seed);
MadeStringSet make_dictcalls_set(std::uint64_t seed);

}  // namespace spillway
