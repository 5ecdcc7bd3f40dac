#include "merge/cursor/term_merge_cursor.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <tuple>

#include "tests/merge/run/cut_runs.hpp"
#include "tests/support/near_terms.hpp"

namespace spillway::testing {
namespace {

class TermMergeCursorTest : public MergeTest {
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
    TermMergeCursor sources(all, first, last);
    for (auto at = places_.lower_bound(first); at != places_.end() && (last.empty() || at->first < last); ++at) {
      for (const std::size_t run : at->second) {
        ASSERT_FALSE(sources.done());
        ASSERT_EQ(sources.entry().term, at->first);
        ASSERT_EQ(sources.input(), run);
        ASSERT_EQ(sources.advance(), run != *at->second.rbegin());
      }
    }
    EXPECT_TRUE(sources.done());
  }

  // Reads like a merge that looks at all entries of a term before it moves on.
  void expect_all_by_term(const Runs& runs) {
    const auto all = inputs(runs);
    TermMergeCursor sources(all, "", "");
    std::size_t whole = 0;
    for (const auto& [term, runs_of_term] : places_) {
      ASSERT_FALSE(sources.done());
      ASSERT_TRUE(
          std::equal(sources.inputs().begin(), sources.inputs().end(), runs_of_term.begin(), runs_of_term.end()));
      for (const std::uint32_t input : sources.inputs()) ASSERT_EQ(sources.entry(input).term, term);
      if (sources.are_whole()) {
        ++whole;
        sources.advance_term();
      } else {
        while (sources.advance()) {
        }
      }
    }
    EXPECT_TRUE(sources.done());
    EXPECT_GT(whole, places_.size() / 2);
  }

  std::map<std::string, std::set<std::size_t>> places_;  // runs that have a term
};

TEST_F(TermMergeCursorTest, OrderTermsThatAreEqualInTheirFirstBytes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    places_.clear();
    expect_all_between(scatter(near_terms(seed, 500), 1 + seed * 3, seed), "", "");
  }
}

TEST_F(TermMergeCursorTest, StandAtAllEntriesOfATermTogether) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    places_.clear();
    expect_all_by_term(scatter(near_terms(seed, 500), 1 + seed * 3, seed));
  }
}

TEST_F(TermMergeCursorTest, BeginAndEndBetweenSuchTerms) {
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

using Terms = std::vector<std::string>;  // of the entries of an input, ascending; a term may have several

class ListedTerms final : public TermCursor {
 public:
  explicit ListedTerms(const Terms& terms) : terms_(terms) {}
  bool next() override {
    text_.clear();  // views live until here
    if (next_ == terms_.size()) return false;
    text_ = terms_[next_++];
    entry_.term = text_;
    entry_.last_document = static_cast<std::uint32_t>(next_);
    return true;
  }
  const RunEntry& entry() const override { return entry_; }

 private:
  const Terms& terms_;
  std::size_t next_ = 0;
  std::string text_;
  RunEntry entry_;
};

class ListedInput final : public MergeInput {
 public:
  explicit ListedInput(const Terms& terms) : terms_(terms) {}
  const RunIdentity& identity() const override { throw std::logic_error("nobody asks for it"); }
  const RunSummary& summary() const override { throw std::logic_error("nobody asks for it"); }
  std::vector<TermSample> term_samples() const override { return {}; }
  std::unique_ptr<TermCursor> terms(std::string, std::string) const override {
    return std::make_unique<ListedTerms>(terms_);
  }
  std::unique_ptr<DocumentCursor> documents() const override { return nullptr; }
  std::string name() const override { return "listed"; }

 private:
  const Terms& terms_;
};

struct FoundEntry {
  std::string term;
  std::size_t input;
  std::uint32_t place;  // among the entries of the input, from 1
  bool is_first;        // of its term
  bool operator==(const FoundEntry&) const = default;
};

std::vector<FoundEntry> merge(const std::vector<Terms>& terms) {
  std::vector<ListedInput> inputs(terms.begin(), terms.end());
  std::vector<const MergeInput*> views;
  views.reserve(inputs.size());
  for (const ListedInput& input : inputs) views.push_back(&input);
  std::vector<FoundEntry> merged;
  TermMergeCursor sources(views, "", "");
  for (bool is_first = true; !sources.done(); is_first = !sources.advance()) {
    merged.push_back({std::string(sources.entry().term), sources.input(), sources.entry().last_document, is_first});
  }
  return merged;
}

std::vector<FoundEntry> expected_merge(const std::vector<Terms>& terms) {
  std::vector<FoundEntry> all;
  for (std::size_t input = 0; input < terms.size(); ++input) {
    for (std::size_t i = 0; i < terms[input].size(); ++i) {
      all.push_back({terms[input][i], input, static_cast<std::uint32_t>(i + 1), false});
    }
  }
  const auto order = [](const FoundEntry& entry) { return std::tie(entry.term, entry.input, entry.place); };
  std::sort(all.begin(), all.end(), [&](const FoundEntry& a, const FoundEntry& b) { return order(a) < order(b); });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].is_first = i == 0 || all[i].term != all[i - 1].term;
  return all;
}

// Terms that share 0, 7, 8, 9, 16 or 17 first bytes, with bytes of zeros and ones among them.
std::string random_term(std::mt19937_64& random) {
  constexpr std::size_t kShared[] = {0, 0, 7, 8, 9, 16, 17};
  constexpr char kBytes[] = {'\0', 'a', 'b', '\xFF'};
  std::string term(kShared[random() % std::size(kShared)], kBytes[random() % 4]);
  for (std::size_t more = random() % 4 + (term.empty() ? 1 : 0); more != 0; --more) term += kBytes[random() % 4];
  return term;
}

TEST(TermMergeCursor, AreInOrderOfTermsThenOfInputsHoweverManyThereAre) {
  std::mt19937_64 random(1);
  for (const std::size_t count : {1U, 2U, 3U, 63U, 64U, 65U, 128U, 200U}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<Terms> terms(count);
      for (Terms& of_input : terms) {
        for (std::size_t i = random() % 60; i != 0; --i) of_input.push_back(random_term(random));
        std::sort(of_input.begin(), of_input.end());
      }
      ASSERT_EQ(merge(terms), expected_merge(terms)) << count << " inputs, round " << round;
    }
  }
}

TEST(TermMergeCursor, HoldInputsWithoutTerms) {
  EXPECT_TRUE(merge({{}}).empty());
  EXPECT_TRUE(merge({{}, {}, {}}).empty());
  const std::string last(20, '\xFF');
  EXPECT_EQ(merge({{}, {last}, {}}), (std::vector<FoundEntry>{{last, 1, 1, true}}));
}

}  // namespace
}  // namespace spillway::testing
