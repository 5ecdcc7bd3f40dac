#include "indexer/merge_indexes.hpp"

#include "indexer/duplicate_ids.hpp"
#include "io/error.hpp"
#include "tests/merge/cut_runs.hpp"

namespace spillway::testing {
namespace {

class MergeIndexes : public MergeTest {
 protected:
  // What a job over `source` writes.
  std::string make_index(const SampleRun& source) {
    const std::string path = "/work/part-" + std::to_string(next_++);
    Runs runs;
    runs.push_back(write(source, {}));
    const auto all = inputs(runs);
    IndexWriter writer(files_, path, options_);
    const IdTable ids(all, options_.duplicate_ids, {budget_, temp_, *string_sorters().front(), 256 << 10});
    const Buffer codes = merge_documents(all, ids.dropped(), writer, budget_);
    ids.write_order(writer);
    const IndexMergeResult result = merge_lists(all, ids.dropped(), codes.span(), writer, {1, 1 << 20, {}, {}});
    writer.finish({source_document_count(all), source_sum(all), result.dropped_sum});
    return path;
  }

  std::string merge(const std::vector<std::string>& directories, unsigned threads = 2) {
    const std::string path = "/work/merged-" + std::to_string(next_++);
    result_ = merge_indexes(files_, directories, path, budget_, temp_, {threads, {}, {}});
    return path;
  }

  static SampleRun random_source(std::mt19937_64& random) {
    SampleRunOptions options;
    options.documents = random() % 300;
    options.terms = options.documents == 0 ? 0 : 1 + random() % 300;
    SampleRun source = make_source(random(), options);
    for (SampleDocument& document : source.documents) {
      document.id.reset();
      if (random() % 8 != 0) document.id = std::to_string(random() % 500);
    }
    return source;
  }

  static SampleRun joined(const std::vector<SampleRun>& sources) {
    SampleRun whole;
    for (const SampleRun& source : sources) {
      const auto base = static_cast<std::uint32_t>(whole.documents.size());
      for (const auto& [term, postings] : source.terms) {
        for (const SamplePosting& posting : postings) {
          whole.terms[term].push_back({base + posting.document, posting.frequency});
        }
      }
      whole.documents.insert(whole.documents.end(), source.documents.begin(), source.documents.end());
    }
    return whole;
  }

  TempSpace temp_{files_, {"/work"}, "merge.tmp", 0};
  IndexJoinResult result_;
  int next_ = 0;
};

TEST_F(MergeIndexes, GiveTheBytesOfOneJobOverAll) {
  for (const DuplicateIds policy : {DuplicateIds::kFirst, DuplicateIds::kKeep}) {
    options_.duplicate_ids = policy;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      std::mt19937_64 random(seed);
      std::vector<SampleRun> sources(1 + random() % 5);
      std::vector<std::string> parts;
      for (SampleRun& source : sources) {
        source = random_source(random);
        parts.push_back(make_index(source));
      }
      const auto expected = files_of(make_index(joined(sources)));
      ASSERT_EQ(files_of(merge(parts, 1 + seed % 4)), expected);
      // In two steps, too.
      std::vector<std::string> steps{merge({parts.begin(), parts.begin() + 1 + (parts.size() - 1) / 2})};
      steps.insert(steps.end(), parts.begin() + 1 + static_cast<std::ptrdiff_t>((parts.size() - 1) / 2), parts.end());
      ASSERT_EQ(files_of(merge(steps)), expected);
      EXPECT_EQ(result_.duplicate_documents == 0, policy == DuplicateIds::kKeep || steps.size() == 1);
    }
  }
}

TEST_F(MergeIndexes, RefusesOtherOptionsNamingThem) {
  std::mt19937_64 random(1);
  const std::string first = make_index(random_source(random));
  options_.icu_version = "71.1";
  options_.max_term_bytes = 100;
  const std::string second = make_index(random_source(random));
  try {
    merge({first, second});
    FAIL();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("longest term, version of ICU"), std::string::npos) << text;
    EXPECT_NE(text.find(second), std::string::npos);
  }
  EXPECT_THROW(merge({}), UsageError);
}

TEST_F(MergeIndexes, FailsOnDuplicatesIfTheIndexesSaySo) {
  options_.duplicate_ids = DuplicateIds::kFail;
  SampleRun one;
  one.documents.push_back({0, "same", {}, {}, {}, {}});
  const std::string path = make_index(one);
  EXPECT_THROW(merge({path, path}), InputError);
}

TEST_F(MergeIndexes, SaysHowMuchMemoryItNeeds) {
  std::mt19937_64 random(1);
  const std::string path = make_index(random_source(random));
  MemoryBudget little(IndexWriter::memory_bytes() + (300 << 10));
  try {
    merge_indexes(files_, {path, path}, "/work/out", little, temp_, {1, {}, {}});
    FAIL();
  } catch (const BudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spillway::testing
