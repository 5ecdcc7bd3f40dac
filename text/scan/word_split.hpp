// Where a run of word bytes that is too long to be held whole is cut, so that no token of it changes that can be kept:
// behind punctuation if there is any, else where it goes over to letters that are surely of one token.
#pragma once

#include <cstddef>
#include <string_view>

namespace spillway {

// Counts on from `known` (0 or an earlier result for a prefix of `run`) how many leading bytes of a run are letters,
// digits and marks that stand together in one token, whatever it is: ASCII, and characters of two bytes but those of
// Latin-1 punctuation.
std::size_t one_token_prefix(std::string_view run, std::size_t known);

// Where to cut: in (0, limit], between two characters. Requires: limit < run.size(), 3 < limit.
std::size_t find_run_cut(std::string_view run, std::size_t limit);

}  // namespace spillway
