#include "indexer/job/merge_job.hpp"

#include <zstd.h>

#include <set>

#include "indexer/job/duplicates/duplicate_ids.hpp"
#include "io/base/error.hpp"
#include "io/index/verify.hpp"
#include "merge/input/source_layout.hpp"
#include "sort/sorters.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class MergeJob : public MergeTest {
 protected:
  MergeJob() { options_.zstd_version = ZSTD_versionString(); }

  // The files that a job over `source` writes.
  std::string make_index(const SampleRun& source) {
    const std::string path = "/job/part-" + std::to_string(next_++);
    Runs runs;
    runs.push_back(write(source, {}));
    const auto all = inputs(runs);
    IndexWriter writer(files_, path, options_);
    LengthCodes codes(budget_, lay_out_source(all).document_count);
    IdTable ids(all, options_.duplicate_ids, {budget_, temp_, *string_sorters().front(), 256 << 10}, codes);
    merge_documents(all, ids.dropped(), writer, budget_);
    ids.write_order(writer);
    const IndexMergeResult result = merge_lists(all, ids.dropped(), codes.span(), writer, {1, 1 << 20, {}, {}});
    writer.finish({lay_out_source(all).document_count, lay_out_source(all).sum, result.dropped_sum});
    return path;
  }

  std::string merge(const std::vector<std::string>& directories, unsigned threads = 2) {
    const std::string path = "/job/merged-" + std::to_string(next_++);
    MergeOptions options;
    options.inputs = directories;
    options.output = path;
    options.threads = threads;
    options.memory_bytes = memory_bytes_;
    options.max_fan_in = fan_in_;
    if (!drop_.empty()) {
      files_.put("/job/drop", drop_);
      options.drop_ids.files = {"/job/drop"};
    }
    report_ = {};
    warnings_.clear();
    IndexProgress progress;
    const auto warn = [this](const std::string& words) { warnings_ += words; };
    run_merge(options, {files_, signal_, progress, warn, [](const std::string&) {}}, report_);
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

  static SampleRun without(const SampleRun& source, const std::set<std::string>& ids) {
    SampleRun rest;
    std::vector<std::optional<std::uint32_t>> numbers;
    for (const SampleDocument& document : source.documents) {
      const bool gone = document.id && ids.contains(*document.id);
      numbers.push_back(gone ? std::nullopt : std::optional(static_cast<std::uint32_t>(rest.documents.size())));
      if (!gone) rest.documents.push_back(document);
    }
    for (const auto& [term, postings] : source.terms) {
      for (const SamplePosting& posting : postings) {
        if (numbers[posting.document]) rest.terms[term].push_back({*numbers[posting.document], posting.frequency});
      }
    }
    return rest;
  }

  TempSpace temp_{files_, {}, "/job", 0};
  MergeReport report_;
  std::string drop_, warnings_;
  std::uint64_t memory_bytes_ = std::uint64_t{1} << 30;
  std::size_t fan_in_ = 0;
  std::atomic<int> signal_{0};
  int next_ = 0;
};

TEST_F(MergeJob, GiveTheBytesOfOneJobOverAll) {
  for (const DuplicateIds policy : {DuplicateIds::kFirst, DuplicateIds::kKeep}) {
    options_.duplicate_ids = policy;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      std::mt19937_64 random(seed);
      std::vector<SampleRun> sources(1 + random() % 9);
      fan_in_ = seed % 3 == 0 ? 2 + random() % 3 : 0;
      std::vector<std::string> parts;
      for (SampleRun& source : sources) {
        source = random_source(random);
        parts.push_back(make_index(source));
      }
      const auto expected = files_of(make_index(joined(sources)));
      ASSERT_TRUE(files_of(merge(parts, 1 + seed % 4)) == expected);
      // The same in two steps.
      std::vector<std::string> steps{merge({parts.begin(), parts.begin() + 1 + (parts.size() - 1) / 2})};
      steps.insert(steps.end(), parts.begin() + 1 + static_cast<std::ptrdiff_t>((parts.size() - 1) / 2), parts.end());
      ASSERT_TRUE(files_of(merge(steps)) == expected);
      EXPECT_EQ(report_.duplicate_documents == 0, policy == DuplicateIds::kKeep || steps.size() == 1);
    }
  }
}

TEST_F(MergeJob, RefusesOtherOptionsNamingThem) {
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
    EXPECT_NE(text.find("--max-term-bytes is 255 in " + first + " and 100 in " + second), std::string::npos) << text;
    EXPECT_NE(text.find("version of ICU is none in " + first + " and 71.1 in " + second), std::string::npos) << text;
  }
  EXPECT_THROW(merge({}), UsageError);
}

TEST_F(MergeJob, FailsOnDuplicatesIfTheIndexesSaySo) {
  options_.duplicate_ids = DuplicateIds::kFail;
  SampleRun one;
  one.documents.push_back({0, "same", {}, {}, {}, {}});
  const std::string path = make_index(one), other = make_index(one);
  EXPECT_THROW(merge({path, other}), InputError);
  drop_ = "same\n";
  EXPECT_NO_THROW(merge({path, other}));
  EXPECT_EQ(report_.dropped_documents, 2U);
}

TEST_F(MergeJob, RefusesOneIndexTwice) {
  std::mt19937_64 random(1);
  const std::string path = make_index(random_source(random));
  EXPECT_THROW(merge({path, path}), UsageError);
  EXPECT_THROW(merge({path, path + "/"}), UsageError);
}

TEST_F(MergeJob, RefusesIndexesOfAnotherZstd) {
  options_.zstd_version = "0.0.1";
  std::mt19937_64 random(1);
  EXPECT_THROW(merge({make_index(random_source(random))}), UsageError);
}

TEST_F(MergeJob, NamesTheMemoryAndTheDiskThatItNeeds) {
  std::mt19937_64 random(1);
  const std::string path = make_index(random_source(random));
  const auto refusal = [&] {
    try {
      merge({path});
    } catch (const BudgetError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  memory_bytes_ = 63 << 20;
  EXPECT_NE(refusal().find("--memory"), std::string::npos);
  memory_bytes_ = std::uint64_t{1} << 30;
  files_.set_free_bytes(1000);
  EXPECT_NE(refusal().find("1000 free"), std::string::npos);
}

TEST_F(MergeJob, StopsWhenTheUserSaysSo) {
  std::mt19937_64 random(1);
  const std::string path = make_index(random_source(random));
  signal_ = 15;
  EXPECT_THROW(merge({path}), InterruptedError);
}

// Dropped documents leave traces only in the list of dropped documents and in the manifest, which counts them.
TEST_F(MergeJob, DropsWhatTheListNamesAsIfItHadNotBeenThere) {
  for (const DuplicateIds policy : {DuplicateIds::kFirst, DuplicateIds::kKeep}) {
    options_.duplicate_ids = policy;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(seed);
      std::mt19937_64 random(seed);
      std::vector<SampleRun> sources(1 + random() % 4);
      std::vector<std::string> parts;
      std::set<std::string> gone{"no such id", "none either"};
      for (SampleRun& source : sources) {
        source = random_source(random);
        parts.push_back(make_index(source));
        for (const SampleDocument& document : source.documents) {
          if (document.id && random() % (seed % 4 == 0 ? 1 : 3) == 0) gone.insert(*document.id);
        }
      }
      drop_.clear();
      for (const std::string& id : gone) drop_ += id + (random() % 2 == 0 ? "\r\n" : "\n\n");
      fan_in_ = seed % 2 == 0 ? 2 : 0;
      auto found = files_of(merge(parts));
      EXPECT_EQ(report_.unknown_ids, 2U);
      EXPECT_EQ(report_.unknown_examples, (std::vector<std::string>{"no such id", "none either"}));
      EXPECT_NE(warnings_.find("2 of " + std::to_string(gone.size()) + " ids to drop"), std::string::npos) << warnings_;
      auto expected = files_of(make_index(without(joined(sources), gone)));
      for (const char* counts_dropped : {"dropped", "manifest"}) {
        found.erase(counts_dropped);
        expected.erase(counts_dropped);
      }
      ASSERT_TRUE(found == expected);
      const IndexReader index(files_, "/job/merged-" + std::to_string(next_ - 2));
      EXPECT_NO_THROW(verify_index(index));
      EXPECT_EQ(report_.documents, index.counts().documents);
    }
  }
}

TEST_F(MergeJob, DropsDocumentsWithoutIdsByTheirPlace) {
  SampleRun source;
  for (int d = 0; d < 10; ++d) source.documents.push_back({1, {}, {}, {}, {}, {}});
  for (std::uint32_t d = 0; d < 10; ++d) source.terms["term" + std::to_string(d)] = {{d, 1}};
  drop_ = "1\n13\n013\n20\n21\n";
  const std::string one = make_index(source), other = make_index(source);
  const IndexReader index(files_, merge({one, other}));
  EXPECT_EQ(report_.dropped_documents, 3U);
  EXPECT_EQ(report_.unknown_examples, (std::vector<std::string>{"013", "21"}));
  EXPECT_EQ(index.counts().documents, 17U);
  EXPECT_EQ(index.find_term("term0")->document_count, 1U);
  EXPECT_EQ(index.find_term("term1")->document_count, 2U);
  EXPECT_EQ(index.find_term("term2")->document_count, 1U);
}

}  // namespace
}  // namespace spillway::testing
