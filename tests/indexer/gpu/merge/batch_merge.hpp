// Merges whose lists may go through lanes (merge/index/batch_lane.hpp), with and without positions.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "merge/index/merge.hpp"
#include "sort/gpu/device/faults.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {

class BatchMergeTest : public MergeTest, public ::testing::WithParamInterface<Positions> {
 protected:
  BatchMergeTest() { options_.positions = has_positions(); }
  ~BatchMergeTest() override { fail_gpu_call(0); }
  static bool has_positions() { return GetParam() == Positions::kStored; }

  SampleRun source(std::uint64_t seed, std::size_t documents, std::size_t terms,
                   std::uint32_t largest_frequency) const {
    SampleRunOptions options;
    options.documents = documents;
    options.terms = terms;
    options.largest_frequency = largest_frequency;
    SampleRun run = make_source(seed, options);
    if (has_positions()) add_positions(run, seed);
    return run;
  }

  DroppedDocuments drop(std::size_t documents, std::uint32_t one_in, std::mt19937_64& random) {
    if (one_in == 0) return {};
    DroppedDocuments dropped(budget_, documents);
    for (std::uint32_t i = 0; i < documents; ++i) {
      if (random() % one_in == 0) dropped.drop(i);
    }
    dropped.seal();
    return dropped;
  }

  static IndexMergeOptions with(unsigned threads, BatchLanes* lanes = nullptr) {
    IndexMergeOptions options;
    options.threads = threads;
    options.batch_bytes = 4096;
    options.lanes = lanes;
    return options;
  }

  // Runs of a random source, and the index that the processor makes of them.
  struct RandomMerge {
    Runs runs;
    DroppedDocuments dropped;
    Merged expected;
  };
  RandomMerge random_merge(std::uint64_t seed, std::mt19937_64& random) {
    const std::uint32_t largest = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 9 : 400;
    const SampleRun whole = source(seed, 1 + random() % 600, 1 + random() % 300, largest);
    Runs runs = cut(whole, 1 + random() % 30, random);
    DroppedDocuments dropped = drop(whole.documents.size(), std::array{0U, 1U, 2U, 40U}[seed % 4], random);
    Merged expected = merge_to_index(runs, dropped, with(1));
    return {std::move(runs), std::move(dropped), std::move(expected)};
  }

  // Lists of so many postings, with gaps and frequencies of many widths.
  static SampleRun source_of_lists(std::size_t postings) {
    std::mt19937_64 random(postings);
    SampleRun whole;
    whole.documents.resize(70'000);
    for (unsigned term = 0; term < 12; ++term) {
      std::vector<SamplePosting>& list = whole.terms["term" + std::to_string(term)];
      const std::uint32_t step = std::uint32_t{1} << term % 6;
      std::uint32_t document = term;
      for (std::size_t i = 0; i < postings; ++i, document += 1 + static_cast<std::uint32_t>(random() % step)) {
        list.push_back({document, term % 4 == 0 ? 1 : 1 + static_cast<std::uint32_t>(random() % (1U << term))});
      }
    }
    for (const auto& [term, list] : whole.terms) {
      for (const SamplePosting& posting : list) whole.documents[posting.document].length += posting.frequency;
    }
    if (has_positions()) add_positions(whole, postings);
    return whole;
  }
};

inline std::string batch_case_name(const ::testing::TestParamInfo<Positions>& tested) {
  return tested.param == Positions::kStored ? "WithPositions" : "WithoutPositions";
}

}  // namespace spillway::testing
