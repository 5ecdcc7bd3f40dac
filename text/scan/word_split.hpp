// Chooses where to cut a word that is too long to be held whole, so that as few tokens as possible change: after
// punctuation if there is any, otherwise before the letters that certainly belong to one token.
#pragma once

#include <cstddef>
#include <string_view>

namespace spillway {

// Returns how many leading bytes of a word are letters, digits and marks that certainly belong to one token: ASCII, and
// two-byte characters other than Latin-1 punctuation. Continues from `known`, which is 0 or an earlier result for a
// prefix of the word. Time O(result - known).
std::size_t one_token_prefix(std::string_view word, std::size_t known);

// Returns where to cut: a border between two characters in (0, limit]. Requires: 3 < limit < word.size(). Time
// O(limit).
std::size_t find_word_split(std::string_view word, std::size_t limit);

}  // namespace spillway
