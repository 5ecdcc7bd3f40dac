#include "merge/cursor/term_ranges.hpp"

#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class TermRanges : public MergeTest {};

TEST_F(TermRanges, AscendAndCoverAboutEqualShares) {
  std::mt19937_64 random(1);
  SampleRunOptions options;
  options.documents = 60;
  options.terms = 30000;
  const SampleRun whole = make_source(1, options);
  const Runs runs = cut(whole, 7, random);
  for (const std::size_t count : {2, 3, 8, 17}) {
    const std::vector<std::string> splitters = choose_term_splitters(inputs(runs), count);
    ASSERT_EQ(splitters.size(), count - 1);
    std::vector<std::size_t> postings(count);
    for (const auto& [term, list] : whole.terms) {
      const auto range = std::upper_bound(splitters.begin(), splitters.end(), term) - splitters.begin();
      postings[static_cast<std::size_t>(range)] += list.size();
    }
    const std::size_t share = whole.summary().posting_count / count;
    for (std::size_t i = 0; i + 1 < count; ++i) EXPECT_LT(splitters[i], i + 2 < count ? splitters[i + 1] : "\xFF\xFF");
    for (const std::size_t range : postings) {
      EXPECT_GT(range, share / 3);
      EXPECT_LT(range, share * 3);
    }
  }
}

TEST_F(TermRanges, AreFewerWhereTermsAreFew) {
  SampleRun few;
  few.documents.resize(1);
  few.terms["only"] = {{0, 1}};
  few.documents[0].length = 1;
  Runs runs;
  runs.push_back(write(few, {}));
  EXPECT_TRUE(choose_term_splitters(inputs(runs), 1).empty());
  EXPECT_LE(choose_term_splitters(inputs(runs), 8).size(), 1u);
}

}  // namespace
}  // namespace spillway::testing
