// Makers of the string sets of corpora/synthetic/string_set.hpp: one function a set, by the kind of the set.
#pragma once

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

using MadeStringSet = std::unique_ptr<const StringSet>;

// corpora/synthetic/letter_sets.cpp: random letters
MadeStringSet make_random_set(std::uint64_t seed);
MadeStringSet make_random_ascii_set(std::uint64_t seed);
MadeStringSet make_artificial_2_set(std::uint64_t seed);
MadeStringSet make_artificial_4_set(std::uint64_t seed);
MadeStringSet make_artificial_5_set(std::uint64_t seed);
MadeStringSet make_dna9_set(std::uint64_t seed);

// corpora/synthetic/word_sets.cpp: words and sentences
MadeStringSet make_words_set(std::uint64_t seed);
MadeStringSet make_words_dup_set(std::uint64_t seed);
MadeStringSet make_sentences_set(std::uint64_t seed);

// corpora/synthetic/name_sets.cpp: names that are built of parts, from the general to the special
MadeStringSet make_url_set(std::uint64_t seed);
MadeStringSet make_pc_filelist_set(std::uint64_t seed);
MadeStringSet make_dictcalls_set(std::uint64_t seed);

}  // namespace spillway
