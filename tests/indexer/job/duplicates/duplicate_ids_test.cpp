#include "indexer/job/duplicates/duplicate_ids.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "io/base/error.hpp"
#include "io/index/verify.hpp"
#include "merge/input/source_layout.hpp"
#include "sort/sorters.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class DuplicateIdsTest : public MergeTest {
 protected:
  struct Found {
    std::vector<bool> dropped;
    std::vector<std::uint32_t> order;
    std::uint64_t duplicates = 0;
    std::vector<IdTable::Duplicate> examples;
    std::size_t peak_bytes = 0;
  };

  static SampleRun with_ids(const std::vector<std::optional<std::string>>& ids) {
    SampleRun run;
    std::uint32_t length = 0;
    for (const auto& id : ids) run.documents.push_back({length++ % 50, id, {}, {}, {}, {}});
    for (std::uint32_t d = 0; d < run.documents.size(); ++d) {
      if (run.documents[d].length != 0) run.terms["term"].push_back({d, run.documents[d].length});
    }
    return run;
  }

  // The order of ids in the index that is written with it.
  Found find(const SampleRun& source, DuplicateIds policy, std::size_t run_count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const Runs runs = cut(source, run_count, random);
    const auto all = inputs(runs);
    const std::string path = "/job/" + std::to_string(next_++);
    IndexWriter writer(files_, path, options_);
    MemoryBudget budget(std::size_t{64} << 20);
    LengthCodes codes(budget_, lay_out_source(all).document_count);
    IdTable table(all, policy, {budget, temp_, *string_sorters().front(), 256 << 10}, codes);
    Found found;
    found.peak_bytes = budget.peak_bytes();
    found.duplicates = table.duplicate_count();
    found.examples = table.examples();
    for (std::uint32_t i = 0; i < source.documents.size(); ++i) found.dropped.push_back(table.dropped().contains(i));
    const LengthCodes read = read_length_codes(all, table.dropped(), budget_);
    EXPECT_TRUE(std::ranges::equal(codes.span(), read.span()));
    merge_documents(all, table.dropped(), writer, budget);
    table.write_order(writer);
    const std::size_t bitmap_bytes = (source.documents.size() + 63) / 64 * 12;
    EXPECT_EQ(budget.used_bytes(), table.dropped().none() ? 0 : bitmap_bytes) << "the memory of the sort was kept";
    const IndexMergeResult result = merge_lists(all, table.dropped(), codes.span(), writer, {1, 1 << 20, {}, {}});
    writer.finish({lay_out_source(all).document_count, lay_out_source(all).sum, result.dropped_sum});
    const IndexReader index(files_, path);
    verify_index(index);  // checks the order of ids
    return found;
  }

  static std::vector<bool> first_only(const SampleRun& source) {
    std::vector<bool> dropped;
    std::set<std::string> seen;
    for (const SampleDocument& document : source.documents) {
      dropped.push_back(document.id && !seen.insert(*document.id).second);
    }
    return dropped;
  }

  TempSpace temp_{files_, {}, "/job", 0};
  int next_ = 0;
};

TEST_F(DuplicateIdsTest, KeepTheFirstOfEach) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::optional<std::string>> ids(200 + random() % 4000);
    for (auto& id : ids) {
      if (random() % 10 != 0) id = "id-" + std::to_string(random() % 3000);
    }
    const SampleRun source = with_ids(ids);
    const Found found = find(source, DuplicateIds::kFirst, 1 + random() % 20, seed);
    const std::vector<bool> expected = first_only(source);
    ASSERT_EQ(found.dropped, expected) << seed;
    EXPECT_EQ(found.duplicates, static_cast<std::uint64_t>(std::count(expected.begin(), expected.end(), true)));
    EXPECT_EQ(found.examples.size(), std::min<std::size_t>(found.duplicates, IdTable::kExamples));
    for (const IdTable::Duplicate& example : found.examples) {
      EXPECT_EQ(ids[example.kept], example.value);
      EXPECT_EQ(ids[example.dropped], example.value);
      EXPECT_TRUE(found.dropped[example.dropped]);
      EXPECT_FALSE(found.dropped[example.kept]);
    }
  }
}

TEST_F(DuplicateIdsTest, KeepAllIfAsked) {
  const Found found = find(with_ids({"b", "a", "b", "b"}), DuplicateIds::kKeep, 3, 1);
  EXPECT_EQ(found.dropped, std::vector<bool>(4));
  EXPECT_EQ(found.duplicates, 0u);
}

TEST_F(DuplicateIdsTest, FailIfAskedNamingBothDocuments) {
  try {
    find(with_ids({"x", "a\x1b", "y", "a\x1b"}), DuplicateIds::kFail, 2, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("documents 2 and 4 of the input have the same id \"a\\x1B\""),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(find(with_ids({"x", "a", "y"}), DuplicateIds::kFail, 2, 1).duplicates, 0u);
}

TEST_F(DuplicateIdsTest, NeedNoMemoryWhereIdsAscend) {
  std::vector<std::optional<std::string>> ids;
  for (int i = 100000; i < 103000; ++i) ids.push_back(std::to_string(i));
  EXPECT_EQ(find(with_ids(ids), DuplicateIds::kFirst, 4, 1).peak_bytes, 0u);
  std::swap(ids[2999], ids[2998]);
  EXPECT_EQ(find(with_ids(ids), DuplicateIds::kFirst, 4, 1).peak_bytes, 256u << 10);
}

TEST_F(DuplicateIdsTest, TakeTheSameLengthsFromManyInputsAtATime) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const Runs runs = cut(with_ids(std::vector<std::optional<std::string>>(1 + random() % 3000)), 1 + seed, random);
    const auto all = inputs(runs);
    const LengthCodes expected = read_length_codes(all, {}, budget_);
    for (const std::size_t documents_bytes : {std::size_t{1} << 10, std::size_t{1} << 40}) {
      MemoryBudget budget(std::size_t{1} << 20);
      LengthCodes codes(budget_, lay_out_source(all).document_count);
      const IdTable table(all, DuplicateIds::kFirst,
                          {budget, temp_, *string_sorters().front(), 256 << 10, nullptr, {}, 4, documents_bytes},
                          codes);
      EXPECT_TRUE(std::ranges::equal(codes.span(), expected.span())) << seed;
      EXPECT_EQ(budget.peak_bytes(), documents_bytes == 1 << 10 ? 4096U : 0U);
    }
  }
}

TEST_F(DuplicateIdsTest, AreSortedWhereSomeDocumentsHaveNone) {
  EXPECT_EQ(find(with_ids({std::nullopt, "a", std::nullopt, "b"}), DuplicateIds::kFirst, 1, 1).duplicates, 0u);
  EXPECT_EQ(find(with_ids({std::nullopt, std::nullopt}), DuplicateIds::kFirst, 1, 1).peak_bytes, 0u);
  EXPECT_EQ(find(with_ids({"", std::nullopt, ""}), DuplicateIds::kFirst, 1, 1).duplicates, 1u);
}

// A run that reports its documents in two ranges: the first half, and the second half with any number as its first.
class StretchedRun : public MergeInput {
 public:
  StretchedRun(const MergeInput& run, const SampleRun& sample, std::uint64_t second)
      : run_(run), sample_(sample), second_(second) {}

  const RunIdentity& identity() const override { return run_.identity(); }
  const RunSummary& summary() const override { return run_.summary(); }
  std::vector<TermSample> term_samples() const override { return run_.term_samples(); }
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    return run_.terms(std::move(first), std::move(last));
  }
  std::unique_ptr<DocumentCursor> documents() const override { return run_.documents(); }
  std::vector<DocumentRange> document_ranges() const override {
    const std::span<const SampleDocument> all = sample_.documents;
    std::vector<DocumentRange> ranges;
    ranges.push_back({0, std::make_unique<Cursor>(all.first(all.size() / 2))});
    ranges.push_back({second_, std::make_unique<Cursor>(all.subspan(all.size() / 2))});
    return ranges;
  }
  std::string name() const override { return "stretched"; }

 private:
  class Cursor : public DocumentCursor {
   public:
    explicit Cursor(std::span<const SampleDocument> left) : left_(left) {}
    bool next() override {
      if (left_.empty()) return false;
      const auto& id = left_.front().id;
      document_.fields = id ? RunDocument::kId : 0;
      document_.length = left_.front().length;
      document_.id = id ? std::string_view(*id) : std::string_view();
      left_ = left_.subspan(1);
      return true;
    }
    const RunDocument& document() const override { return document_; }

   private:
    std::span<const SampleDocument> left_;
    RunDocument document_;
  };

  const MergeInput& run_;
  const SampleRun& sample_;
  std::uint64_t second_;
};

TEST_F(DuplicateIdsTest, RefuseStretchesThatOverlap) {
  constexpr std::uint64_t kDocuments = 1000;
  std::vector<std::optional<std::string>> ids;
  for (std::uint64_t i = 0; i < kDocuments; ++i) ids.push_back("id-" + std::to_string((kDocuments - i) % 400));
  const SampleRun source = with_ids(ids);
  std::mt19937_64 random(1);
  const Runs runs = cut(source, 1, random);
  const auto find_in = [&](std::uint64_t second) {
    const StretchedRun run(*runs[0].input, source, second);
    const MergeInput* const all[] = {&run};
    MemoryBudget budget(std::size_t{64} << 20);
    LengthCodes codes(budget_, kDocuments);
    return IdTable(all, DuplicateIds::kFirst, {budget, temp_, *string_sorters().front(), 1 << 20, nullptr, {}, 4, 4096},
                   codes)
        .duplicate_count();
  };
  EXPECT_EQ(find_in(kDocuments / 2), kDocuments - 400);
  for (const std::uint64_t second : {std::uint64_t{0}, kDocuments / 2 - 1, kDocuments / 2 + 1, 2 * kDocuments}) {
    EXPECT_THROW(find_in(second), FormatError) << second;
  }
}

// A source whose ids are taken in place and hashed, merged to an index.
class HashedIdsTest : public DuplicateIdsTest {
 protected:
  struct Merged {
    bool was_sorted_late = false;
    std::vector<bool> dropped;
    std::uint64_t duplicates = 0, known = 0, replaced = 0;
    std::string error;
    bool operator==(const Merged&) const = default;
  };
  struct Way {
    IdSort sort;
    IdHash hash;
  };
  static constexpr Way kAtOnce{IdSort::kAtOnce, hash_id}, kWhenNeeded{IdSort::kWhenNeeded, hash_id};
  // There are 64 hashes.
  static constexpr Way kAlike{IdSort::kWhenNeeded, [](std::string_view id) { return hash_id(id) % 64 + 1; }};

  Merged merge(const std::vector<std::optional<std::string>>& ids, DuplicateIds policy, const AppendedTo& appended_to,
               const Way& way) {
    const SampleRun source = with_ids(ids);
    std::mt19937_64 random(1);
    const Runs runs = cut(source, 1, random);
    const StretchedRun run(*runs[0].input, source, ids.size() / 2);
    const MergeInput* const all[] = {&run};
    const std::string path = "/job/" + std::to_string(next_++);
    IndexWriter writer(files_, path, options_);
    MemoryBudget budget(std::size_t{64} << 20);
    LengthCodes codes(budget_, ids.size());
    Merged merged;
    try {
      IdTable table(all, policy,
                    {.budget = budget,
                     .temp = temp_,
                     .sorter = *string_sorters().front(),
                     .memory_bytes = std::size_t{4} << 20,
                     .threads = 4,
                     .documents_bytes = 4096,
                     .appended_to = appended_to,
                     .id_sort = way.sort,
                     .id_hash = way.hash},
                    codes);
      merged.was_sorted_late = table.must_sort();
      if (next_ % 2 == 0) {
        table.sort();
        EXPECT_FALSE(table.must_sort());
      }
      for (std::uint32_t i = 0; i < ids.size(); ++i) merged.dropped.push_back(table.dropped().contains(i));
      merged.duplicates = table.duplicate_count();
      merged.known = table.known_count();
      merged.replaced = table.replaced_count();
      merge_documents(all, table.dropped(), writer, budget);
      table.write_order(writer);
      const IndexMergeResult result = merge_lists(all, table.dropped(), codes.span(), writer, {1, 1 << 20, {}, {}});
      writer.finish({ids.size(), lay_out_source(all).sum, result.dropped_sum});
    } catch (const InputError& error) {
      merged.error = error.what();
      return merged;
    }
    const IndexReader index(files_, path);
    verify_index(index);  // checks the order of ids
    return merged;
  }

  // Expects that the ids are sorted late or not, and everything else as with the sort at once.
  void expect_same(const std::vector<std::optional<std::string>>& ids, DuplicateIds policy,
                   const AppendedTo& appended_to, const Way& way, bool late) {
    const Merged expected = merge(ids, policy, appended_to, kAtOnce);
    EXPECT_FALSE(expected.was_sorted_late);
    Merged found = merge(ids, policy, appended_to, way);
    EXPECT_EQ(std::exchange(found.was_sorted_late, false), late);
    EXPECT_TRUE(found == expected) << found.error << expected.error;
  }

  static std::vector<std::optional<std::string>> distinct(std::size_t count) {
    std::vector<std::optional<std::string>> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back("id-" + std::to_string(i * 7919 % 10007));
    return ids;
  }
};

TEST_F(HashedIdsTest, AreSortedLateOnlyIfTheyDiffer) {
  for (const std::size_t count : {2, 3, 100, 5000}) {
    auto ids = distinct(count);
    if (count == 2) ids = {"b", "a"};
    const std::size_t last = count - 1;
    const auto expect = [&](bool differ) {
      SCOPED_TRACE(count);
      expect_same(ids, DuplicateIds::kFirst, {}, kWhenNeeded, differ);
      expect_same(ids, DuplicateIds::kFail, {}, kWhenNeeded, differ);
      expect_same(ids, DuplicateIds::kKeep, {}, kWhenNeeded, true);
    };
    expect(true);
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, last}, {last, last - 1}}) {
      const auto before = std::exchange(ids[to], ids[from]);
      expect(false);
      ids[to] = before;
    }
  }
}

TEST_F(HashedIdsTest, MayBeMissingOrEmpty) {
  auto ids = distinct(1000);
  for (std::size_t i = 0; i < ids.size(); i += 3) ids[i].reset();
  expect_same(ids, DuplicateIds::kFirst, {}, kWhenNeeded, true);
  ids[1] = "";
  expect_same(ids, DuplicateIds::kFirst, {}, kWhenNeeded, true);
  ids[500] = "";
  expect_same(ids, DuplicateIds::kFirst, {}, kWhenNeeded, false);
  expect_same({std::nullopt, "a", std::nullopt}, DuplicateIds::kFirst, {}, kWhenNeeded, true);
}

// Chance may give two ids one hash.
TEST_F(HashedIdsTest, MayDifferThoughTheirHashesDoNot) {
  auto ids = distinct(1000);
  expect_same(ids, DuplicateIds::kFirst, {}, kAlike, false);
  expect_same(ids, DuplicateIds::kFail, {}, kAlike, false);
  ids[700] = ids[3];
  expect_same(ids, DuplicateIds::kFirst, {}, kAlike, false);
  EXPECT_EQ(merge(ids, DuplicateIds::kFirst, {}, kAlike).duplicates, 1u);
  EXPECT_NE(merge(ids, DuplicateIds::kFail, {}, kAlike).error, "");
}

TEST_F(HashedIdsTest, MayBeKnown) {
  auto ids = distinct(1000);
  for (const KnownIds known : {KnownIds::kRefuse, KnownIds::kSkip, KnownIds::kReplace}) {
    for (const DuplicateIds policy : {DuplicateIds::kFirst, DuplicateIds::kKeep, DuplicateIds::kFail}) {
      SCOPED_TRACE(static_cast<int>(known));
      const AppendedTo appended_to{400, known};
      ids[999] = "other";
      expect_same(ids, policy, appended_to, kWhenNeeded, true);
      ids[999] = ids[0];
      expect_same(ids, policy, appended_to, kWhenNeeded, !SameIds::may_drop(policy, appended_to));
    }
  }
}

TEST_F(HashedIdsTest, AreSortedAtOnceWithoutMemoryForHashes) {
  const auto ids = distinct(5000);
  const SampleRun source = with_ids(ids);
  std::mt19937_64 random(1);
  const Runs runs = cut(source, 1, random);
  const StretchedRun run(*runs[0].input, source, ids.size() / 2);
  const MergeInput* const all[] = {&run};
  for (const std::size_t bytes : {std::size_t{256} << 10, std::size_t{4} << 20}) {
    MemoryBudget budget(std::size_t{64} << 20);
    LengthCodes codes(budget_, ids.size());
    const IdTable table(all, DuplicateIds::kFirst,
                        {.budget = budget,
                         .temp = temp_,
                         .sorter = *string_sorters().front(),
                         .memory_bytes = bytes,
                         .threads = 4,
                         .documents_bytes = 4096,
                         .id_sort = IdSort::kWhenNeeded},
                        codes);
    EXPECT_EQ(table.must_sort(), bytes != std::size_t{256} << 10);
    EXPECT_EQ(budget.peak_bytes(), bytes);
  }
}

}  // namespace
}  // namespace spillway::testing
