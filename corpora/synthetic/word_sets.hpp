// Sets of words and sentences.
#pragma once

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

MadeStringSet make_words_set(std::uint64_t seed);
MadeStringSet make_words_dup_set(std::uint64_t seed);
MadeStringSet make_sentences_set(std::uint64_t seed);

}  // namespace spillway
