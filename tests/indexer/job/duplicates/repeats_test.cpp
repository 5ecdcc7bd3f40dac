#include "indexer/job/duplicates/repeats.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sort/sorters.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

using Repeat = std::tuple<std::string, std::uint32_t, std::uint32_t>;

class RepeatsTest : public MergeTest {
 protected:
  static SampleRun with_urls(const std::vector<std::optional<std::string>>& urls) {
    SampleRun run;
    for (const auto& url : urls) run.documents.push_back({1, {}, {}, url, {}, {}});
    for (std::uint32_t d = 0; d < run.documents.size(); ++d) run.terms["term"].push_back({d, 1});
    return run;
  }

  std::vector<Repeat> find(const SampleRun& source, std::size_t run_count, const DroppedDocuments& dropped = {},
                           Dedup what = Dedup::kUrl) {
    std::mt19937_64 random(run_count);
    const Runs runs = cut(source, run_count, random);
    const auto all = inputs(runs);
    std::vector<Repeat> found;
    const RepeatSearch search{
        .what = what, .budget = budget_, .temp = temp_, .sorter = *string_sorters().front(), .memory_bytes = 256 << 10};
    find_repeats(all, dropped, search, [&](std::string_view value, std::uint32_t first, std::uint32_t repeated) {
      found.emplace_back(value, first, repeated);
    });
    return found;
  }

  TempSpace temp_{files_, {}, "/job", 0};
};

TEST_F(RepeatsTest, LaterDocumentsRepeatTheFirst) {
  const SampleRun source = with_urls({"b", "a", std::nullopt, "b", "", "A", "a/", "b", "a", std::nullopt, ""});
  const std::vector<Repeat> expected{{"a", 1, 8}, {"b", 0, 3}, {"b", 0, 7}};
  for (const std::size_t run_count : {1, 2, 5}) EXPECT_EQ(find(source, run_count), expected) << run_count;
}

TEST_F(RepeatsTest, DroppedDocumentsDoNotCount) {
  DroppedDocuments dropped(budget_, 3);
  dropped.drop(0);
  EXPECT_EQ(find(with_urls({"a", "a", "a"}), 1, dropped), (std::vector<Repeat>{{"a", 1, 2}}));
}

TEST_F(RepeatsTest, UrlsThatMayBeCutAreDistinct) {
  const std::string uncut(65531, 'u'), cut(65532, 'u');
  EXPECT_EQ(find(with_urls({cut, uncut, cut, uncut}), 1), (std::vector<Repeat>{{uncut, 1, 3}}));
}

// Broken UTF-8 is U+FFFD by then.
TEST_F(RepeatsTest, UrlsThatWereRepairedAreDistinct) {
  EXPECT_TRUE(find(with_urls({"http://a/\xEF\xBF\xBD", "http://a/\xEF\xBF\xBD"}), 1).empty());
}

// A document that is cut between runs has its hash where it ends.
TEST_F(RepeatsTest, TextsAreComparedByTheirHashes) {
  const std::string a(16, 'a'), b = std::string(15, '\0') + "b";
  SampleRun source = with_urls({"u", "u", std::nullopt, "u", std::nullopt, "v", std::nullopt});
  const std::vector<std::optional<std::string>> hashes{b, a, std::nullopt, b, a, a, b};
  for (std::size_t i = 0; i < hashes.size(); ++i) source.documents[i].text_hash = hashes[i];
  const std::vector<Repeat> expected{{b, 0, 3}, {b, 0, 6}, {a, 1, 4}, {a, 1, 5}};
  for (std::size_t run_count = 1; run_count <= 12; ++run_count) {
    EXPECT_EQ(find(source, run_count, {}, Dedup::kExact), expected) << run_count;
  }
}

TEST_F(RepeatsTest, MoreUrlsThanMemoryHolds) {
  constexpr std::uint32_t kDistinct = 20000;
  std::vector<std::optional<std::string>> urls;
  for (std::uint32_t d = 0; d < 2 * kDistinct; ++d) {
    urls.push_back("http://example.com/a/rather/long/path/" + std::to_string(100000 + d % kDistinct));
  }
  const std::vector<Repeat> found = find(with_urls(urls), 3);
  ASSERT_EQ(found.size(), kDistinct);
  EXPECT_GT(temp_.written_bytes(), 0u);
  for (std::uint32_t i = 0; i < kDistinct; ++i) EXPECT_EQ(found[i], (Repeat{*urls[i], i, i + kDistinct}));
}

}  // namespace
}  // namespace spillway::testing
