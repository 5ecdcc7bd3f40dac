#include "corpora/synthetic/string_sets.hpp"

#include <string>

#include "corpora/synthetic/letter_sets.hpp"
#include "corpora/synthetic/name_sets.hpp"
#include "corpora/synthetic/word_sets.hpp"
#include "io/base/error.hpp"

namespace spillway {

// Counts: Deshpande and Narayanan 2013, Table I; random-ascii: Sinha and Zobel 2004. The count of words-dup is the one
// of the baselines in docs/results/, because no paper sorts that many raw tokens.
const std::vector<StringSetText>& string_sets() {
  static const std::vector<StringSetText> all{
      {"random", 1'000'000, "90 to 110 printable bytes", make_random_set},
      {"random-ascii", 20'000'000, "0 to 19 printable bytes", make_random_ascii_set},
      {"artificial-2", 1'000'000, "the same string, 100 times the letter A", make_artificial_2_set},
      {"artificial-4", 10'000'000, "letters a to i, some far more frequent than others", make_artificial_4_set},
      {"artificial-5", 1'000'000, "1 to 100 times the letter A", make_artificial_5_set},
      {"dna9", 31'623'000, "nine of the letters A, C, G, T", make_dna9_set},
      {"words", 10'000'000, "words, all different", make_words_set},
      {"words-dup", 3'900'000, "words as often as they come in a text", make_words_dup_set},
      {"url", 10'000'000, "addresses of pages, most of them many times", make_url_set},
      {"pc-filelist", 10'000'000, "paths of files on five machines with the same files", make_pc_filelist_set},
      {"sentences", 1'800'000, "sentences, many of which begin alike", make_sentences_set},
      {"dictcalls", 100'187, "call numbers of a library", make_dictcalls_set}};
  return all;
}

const StringSetText& find_string_set(std::string_view name) {
  std::string known;
  for (const StringSetText& set : string_sets()) {
    if (set.name == name) return set;
    known += (known.empty() ? "" : ", ") + std::string(set.name);
  }
  throw UsageError("there is no set of strings '" + printable(name) + "': choose one of " + known);
}

}  // namespace spillway
