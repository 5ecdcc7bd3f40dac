// Texts: analysis gives the terms, places and lengths of the plain definition, and lists of stop words keep their form.
#include "text/analysis/analyzer.hpp"

#include "tests/fuzz/support/target.hpp"
#include "tests/support/inverted_oracle.hpp"

using namespace spillway;

namespace {

const ContentOptions& options_of(std::uint8_t choice) {
  static const std::vector<ContentOptions> kAll = [] {
    std::vector<ContentOptions> all(4);
    all[1].tokenizer = Tokenizer::kAscii;
    all[1].max_term_bytes = 5;
    all[2].stemmer = "english";
    all[2].stop_words = normalize_stop_words("the of und", all[2]);
    all[3].stemmer = "russian";
    all[3].max_term_bytes = 20;
    return all;
  }();
  return kAll[choice % kAll.size()];
}

Analyzer& analyzer_of(std::uint8_t choice) {
  static Analyzer analyzers[] = {Analyzer(options_of(0)), Analyzer(options_of(1)), Analyzer(options_of(2)),
                                 Analyzer(options_of(3))};
  return analyzers[choice % std::size(analyzers)];
}

void check_stop_words(std::string_view text, const ContentOptions& options) {
  const std::string words = normalize_stop_words(text, options);
  EXPECT_TRUE(words.empty() || words.ends_with('\n'));
  std::string before;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = words.find('\n', begin);
    const std::string word = words.substr(begin, end - begin);
    EXPECT_LT(before, word) << "sorted, distinct and not empty";
    before = word;
    begin = end + 1;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const ContentOptions& options = options_of(input.options);
  std::map<std::string, std::vector<std::uint32_t>> found;
  analyzer_of(input.options).analyze_places(input.text, [&](std::string_view term, std::uint32_t place) {
    found[std::string(term)].push_back(place);
  });
  const auto oracle = spillway::testing::invert({{"id", "", "", "", std::string(input.text)}}, options);
  std::map<std::string, std::vector<std::uint32_t>> expected;
  for (const auto& [term, documents] : oracle.positions) expected[term] = documents.at(0);
  EXPECT_EQ(found, expected);
  check_stop_words(input.text, options);
  return 0;
}
