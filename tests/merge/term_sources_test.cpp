#include "merge/term_sources.hpp"

#include "tests/merge/cut_runs.hpp"
#include "tests/support/near_terms.hpp"

namespace spillway::testing {
namespace {

class TermSourcesTest : public MergeTest {
 protected:
  // Each term in some of `count` runs, of one document each.
  Runs scatter(const std::set<std::string>& terms, std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<SampleRun> samples(count);
    for (const std::string& term : terms) {
      for (std::size_t left = 1 + random() % count; left != 0; --left) {
        const std::size_t run = random() % count;
        samples[run].terms[term] = {{0, 1}};
        places_[term].insert(run);
      }
    }
    Runs runs;
    for (SampleRun& sample : samples) {
      sample.documents.resize(1);
      sample.documents[0].length = static_cast<std::uint32_t>(sample.terms.size());
      runs.push_back(write(sample, {}));
    }
    return runs;
  }

  void expect_all_between(const Runs& runs, const std::string& first, const std::string& last) {
    const auto all = inputs(runs);
    TermSources sources(all, first, last);
    for (auto at = places_.lower_bound(first); at != places_.end() && (last.empty() || at->first < last); ++at) {
      for (const std::size_t run : at->second) {
        ASSERT_FALSE(sources.done());
        ASSERT_EQ(sources.piece().term, at->first);
        ASSERT_EQ(sources.input(), run);
        ASSERT_EQ(sources.advance(), run != *at->second.rbegin());
      }
    }
    EXPECT_TRUE(sources.done());
  }

  std::map<std::string, std::set<std::size_t>> places_;  // runs that have a term
};

TEST_F(TermSourcesTest, OrderTermsThatAreEqualInTheirFirstBytes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    places_.clear();
    expect_all_between(scatter(near_terms(seed, 500), 1 + seed * 3, seed), "", "");
  }
}

TEST_F(TermSourcesTest, BeginAndEndBetweenSuchTerms) {
  const std::set<std::string> terms = near_terms(7, 100);
  const Runs runs = scatter(terms, 5, 7);
  std::mt19937_64 random(8);
  const std::vector<std::string> all(terms.begin(), terms.end());
  for (int i = 0; i < 100; ++i) {
    std::size_t first = random() % all.size(), last = random() % all.size();
    if (last < first) std::swap(first, last);
    SCOPED_TRACE(::testing::Message() << "terms " << first << " to " << last);
    if (first != last) expect_all_between(runs, all[first], all[last]);
    expect_all_between(runs, all[last], "");
  }
}

}  // namespace
}  // namespace spillway::testing
