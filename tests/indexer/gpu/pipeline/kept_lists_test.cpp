// Tests that lists which stay in memory as the GPU encoded them say what the run of the block says.
#include "indexer/gpu/pipeline/kept_lists.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "indexer/gpu/merge/gpu_batches.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/writer.hpp"
#include "io/run/decode_positions.hpp"
#include "io/run/postings_decoder.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/run.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/run/merge.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "tests/indexer/gpu/pipeline/pass_blocks.hpp"
#include "tests/support/host_gpu/host_batches.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/read_length_codes.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::cpu_run;
using testing::FormedBlock;
using testing::kTestBudget;
using testing::NamedBlock;

// A list, however it is cut into entries.
struct WholeList {
  std::vector<std::uint32_t> documents, frequencies, positions;
  bool operator==(const WholeList&) const = default;
};
using Lists = std::map<std::string, WholeList>;

void add_positions(const RunEntry& entry, const std::vector<std::uint32_t>& frequencies, WholeList& to) {
  std::vector<std::uint32_t> distances;
  decode_positions(entry, "a test", distances);
  std::size_t at = 0;
  for (const std::uint32_t frequency : frequencies) {
    std::uint32_t position = 0;
    for (std::uint32_t i = 0; i < frequency; ++i) to.positions.push_back(position += distances.at(at++));
  }
}

// Reads the terms first <= term < last.
void read_lists(const MergeInput& input, const std::string& first, const std::string& last, Lists& to) {
  const auto cursor = input.terms(first, last);
  std::string term_before;
  while (cursor->next()) {
    const RunEntry& entry = cursor->entry();
    EXPECT_LE(term_before, entry.term);
    term_before = entry.term;
    std::vector<std::uint32_t> documents, frequencies;
    decode_postings(entry, "a test", documents, frequencies);
    WholeList& list = to[term_before];
    if (input.identity().has_positions) add_positions(entry, frequencies, list);
    for (std::size_t i = 0; i < documents.size(); ++i) {
      if (!list.documents.empty() && list.documents.back() == documents[i]) {
        list.frequencies.back() += frequencies[i];
        continue;
      }
      list.documents.push_back(documents[i]);
      list.frequencies.push_back(frequencies[i]);
    }
  }
}

using Document = std::tuple<std::uint64_t, std::uint32_t, std::string, std::string>;
void read_documents(DocumentCursor& cursor, std::uint64_t number, std::vector<Document>& to) {
  for (; cursor.next(); ++number) {
    const RunDocument& document = cursor.document();
    to.emplace_back(number, document.length, document.id, document.title);
  }
}

std::vector<Document> documents_of(const MergeInput& input) {
  std::vector<Document> documents;
  read_documents(*input.documents(), 0, documents);
  return documents;
}

std::vector<Document> documents_of_ranges(const MergeInput& input) {
  std::vector<Document> documents;
  for (const DocumentRange& range : input.document_ranges()) read_documents(*range.cursor, range.first, documents);
  return documents;
}

struct KeptCase {
  ChunkForm form;
  Positions positions;
  bool stay;             // on the GPU alone, until the host needs them
  bool has_gpu = false;  // a real one; else the host takes its part
};

class Kept : public ::testing::TestWithParam<KeptCase> {
 protected:
  void SetUp() override {
    if (!GetParam().has_gpu) return;
    const GpuStatus gpus = find_gpus();
    if (gpus.state != GpuState::kUsable) GTEST_SKIP() << gpus.detail;
    gpu_ = gpus.gpus.front().id;
  }

  std::unique_ptr<GpuLane> make_gpu_lane() {
    GpuSorterOptions options;
    options.form = GetParam().form;
    options.gpus = {gpu_};
    options.lanes = options.arenas = 1;
    options.arena_bytes = std::size_t{256} << 20;
    options.holds_lists = true;
    options.staying = {.text_bytes = 1, .merges_always = true};
    options.staging_bytes = std::size_t{16} << 20;
    options.record_sorter = "gpu-radix";
    options.string_sorter = "gpu-string-radix";
    return std::move(make_gpu_lanes(options, budget_).front());
  }

  std::unique_ptr<BatchLanes> make_gpu_batches(DeviceLists&& held) {
    GpuBatchOptions options{.gpus = {gpu_}, .limits = gpu_batch_limits(GetParam().positions == Positions::kStored)};
    options.held.push_back(std::move(held));
    options.order_bytes = most_order_bytes(options.held);
    return make_gpu_batch_lanes(options, budget_);
  }

  std::unique_ptr<GpuLane> make_lane() {
    if (GetParam().has_gpu) return make_gpu_lane();
    const bool tables = GetParam().form == ChunkForm::kTables;
    return std::move(testing::make_host_lanes({GetParam().form, std::size_t{64} << 20, 1, 1,
                                               tables ? find_record_sorter("cpu-radix") : nullptr,
                                               find_string_sorter("cpu-msd"), GetParam().stay},
                                              budget_)
                         .front());
  }

  // Null where the lane says that it must become a run.
  std::unique_ptr<MergeSource> keep(GpuLane& lane, const Block& block, const BlockSortOptions& options) {
    BlockSortStats stats;
    return tbb::task_arena(2).execute([&]() -> std::unique_ptr<MergeSource> {
      lane.sort(block, options, stats);
      const auto bytes = lane.kept_bytes(block, options);
      if (!bytes) return nullptr;
      auto kept = lane.keep(block, options, budget_, stats);
      EXPECT_LE(kept->bytes, *bytes);
      EXPECT_NO_THROW(lane.sort(block, options, stats)) << "the lane is free";
      return kept;
    });
  }

  void expect_like_run(const NamedBlock& named, const MergeInput& kept, const std::vector<std::string>& borders) {
    SCOPED_TRACE(named.name);
    const std::string bytes = cpu_run(named);
    MemoryFile file(budget_, "run");
    file.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    const RunReader reader(file);
    const RunInput run(reader);
    Lists expected, whole, by_ranges;
    read_lists(run, "", "", expected);
    read_lists(kept, "", "", whole);
    EXPECT_TRUE(whole == expected);
    for (std::size_t i = 0; i <= borders.size(); ++i) {
      read_lists(kept, i == 0 ? "" : borders[i - 1], i == borders.size() ? "" : borders[i], by_ranges);
    }
    EXPECT_TRUE(by_ranges == expected);
    EXPECT_EQ(documents_of(kept), documents_of(run));
    if (!kept.document_ranges().empty()) {
      EXPECT_EQ(documents_of_ranges(kept), documents_of(run));
    }
    EXPECT_EQ(kept.summary().sum, run.summary().sum);
    EXPECT_EQ(kept.summary().document_count, run.summary().document_count);
    EXPECT_EQ(kept.summary().occurrence_count, run.summary().occurrence_count);
    EXPECT_EQ(kept.summary().has_stored_ids, run.summary().has_stored_ids);
  }

  static void expect_on_host(MergeSource& source, bool are_there) {
    EXPECT_EQ(dynamic_cast<KeptLists&>(source).is_on_host(), are_there);
  }

  void expect_same(const NamedBlock& named, const BlockSortOptions& options) {
    const FormedBlock block(named.block, GetParam().form);
    const auto lane = make_lane();
    const auto source = keep(*lane, block, options);
    if (source == nullptr) {
      EXPECT_EQ(GetParam().positions, Positions::kStored);
      return;
    }
    ++kept_;
    expect_on_host(*source, !GetParam().stay || source->summary.posting_count == 0);
    const MergeInput& kept = source->open(1);
    std::vector<std::string> borders;
    for (const TermSample& sample : kept.term_samples()) {
      if (!sample.first_term.empty() && (borders.empty() || sample.first_term > borders.back())) {
        borders.push_back(sample.first_term);
      }
    }
    expect_like_run(named, kept, borders);
    expect_like_run(named, kept, {"a", "common", "m", "word"});
    expect_on_host(*source, true);
    // A merge checks the counts of the summary.
    MemoryFile merged(budget_, "merged");
    merge_runs(std::vector<const MergeInput*>{&kept}, merged, {});
    const RunReader reader(merged);
    expect_like_run(named, RunInput(reader), {});
  }

  MemoryBudget budget_{kTestBudget};
  int kept_ = 0;
  int gpu_ = 0;
};

std::string kept_case_name(const ::testing::TestParamInfo<KeptCase>& test) {
  return std::string(test.param.positions == Positions::kNone ? "Plain" : "Positions") +
         (test.param.form == ChunkForm::kTokens ? "OfTokens" : "") + (test.param.stay ? "OnTheGpu" : "");
}

INSTANTIATE_TEST_SUITE_P(, Kept,
                         ::testing::Values(KeptCase{ChunkForm::kTables, Positions::kNone, false},
                                           KeptCase{ChunkForm::kTables, Positions::kStored, false},
                                           KeptCase{ChunkForm::kTokens, Positions::kNone, false},
                                           KeptCase{ChunkForm::kTokens, Positions::kStored, false},
                                           KeptCase{ChunkForm::kTables, Positions::kStored, true},
                                           KeptCase{ChunkForm::kTokens, Positions::kNone, true},
                                           KeptCase{ChunkForm::kTokens, Positions::kStored, true}),
                         kept_case_name);
INSTANTIATE_TEST_SUITE_P(Gpu, Kept,
                         ::testing::Values(KeptCase{ChunkForm::kTables, Positions::kStored, true, true},
                                           KeptCase{ChunkForm::kTokens, Positions::kNone, true, true},
                                           KeptCase{ChunkForm::kTokens, Positions::kStored, true, true}),
                         kept_case_name);

TEST_P(Kept, ListsSayWhatTheRunSays) {
  testing::take_pass_test_blocks(GetParam().positions, 24,
                                 [&](const NamedBlock& named) { expect_same(named, named.options); });
  EXPECT_GT(kept_, 20);
}

// Without positions long lists are read in pieces; with positions a fragment of 2^16 occurrences must fit a block.
TEST_P(Kept, LongListsSayWhatTheRunSays) {
  testing::take_long_lists(GetParam().positions, [&](const NamedBlock& named) {
    expect_same(named, named.options);
    EXPECT_EQ(kept_, GetParam().positions == Positions::kNone ? 1 : 0);
    kept_ = 0;
    BlockSortOptions options = named.options;
    options.run_block_bytes = std::size_t{512} << 10;
    expect_same(named, options);
    EXPECT_EQ(kept_, 1);
  });
}

TEST_P(Kept, ListsOfBlocksWithTextsBecomeRuns) {
  testing::take_random_blocks(3, GetParam().positions, [&](const NamedBlock& named) {
    BlockSortOptions options = named.options;
    options.has_texts = true;
    const FormedBlock block(named.block, GetParam().form);
    EXPECT_EQ(keep(*make_lane(), block, options), nullptr);
  });
}

// A damaged GPU could send such lists: no view may leave its array.
TEST(KeptLists, RefusesListsThatContradictEachOther) {
  const std::vector<std::uint64_t> text_offsets{0, 3, 6};
  const std::vector<std::uint8_t> text{'o', 'n', 'e', 't', 'w', 'o'}, postings{3, 5, 5};
  const std::vector<EncodedFragment> good{{0, 0, 0, 0, 0, 3}, {1, 0, 1, 1, 1, 4}, {3, 0, 0xFFFFFFFF, 3, 3, 0}};
  const auto bytes = [&](const std::vector<EncodedFragment>& fragments, const std::vector<std::uint64_t>& offsets) {
    EncodedLists lists;
    lists.fragments = fragments;
    lists.rank_text_offsets = offsets;
    lists.rank_text = text;
    lists.postings = postings;
    return KeptLists::memory_bytes({}, lists, {});
  };
  EXPECT_TRUE(bytes(good, text_offsets));
  const auto expect_refused = [&](const auto& damage) {
    std::vector<EncodedFragment> fragments = good;
    std::vector<std::uint64_t> offsets = text_offsets;
    damage(fragments, offsets);
    EXPECT_THROW(bytes(fragments, offsets), GpuError);
  };
  expect_refused([](auto& fragments, auto&) { fragments.back().first_posting_byte = 4; });
  expect_refused([](auto& fragments, auto&) { fragments[1].first_posting_byte = 0; });
  expect_refused([](auto& fragments, auto&) { fragments[1].first_posting_byte = 1000; });
  expect_refused([](auto& fragments, auto&) { fragments[1].first_distance_byte = 1; });
  expect_refused([](auto& fragments, auto&) { fragments.back().first_distance_byte = 1; });
  expect_refused([](auto& fragments, auto&) { fragments[1].first_posting = 0; });
  expect_refused([](auto& fragments, auto&) { fragments[1].first_occurrence = 9; });
  expect_refused([](auto& fragments, auto&) { fragments[1].rank = 2; });
  expect_refused([](auto& fragments, auto&) { fragments[0].rank = 1, fragments[1].rank = 0; });
  expect_refused([](auto&, auto& offsets) { offsets[1] = 7; });
  expect_refused([](auto&, auto& offsets) { offsets[1] = 0; });
  expect_refused([](auto&, auto& offsets) { offsets[2] = 7; });
  expect_refused([](auto&, auto& offsets) { offsets = {0, 3}; });
  expect_refused([](auto& fragments, auto&) { fragments.clear(); });
}

// A merge checks what it has read of each input.
TEST_P(Kept, ListsAreRefusedWhereTheirCountIsNotThatOfParsing) {
  testing::take_random_blocks(1, GetParam().positions, [&](const NamedBlock& named) {
    const FormedBlock block(named.block, GetParam().form);
    const auto source = keep(*make_lane(), block, named.options);
    ASSERT_NE(source, nullptr);
    source->summary.occurrence_count += 1;
    MemoryFile merged(budget_, "merged");
    EXPECT_THROW(merge_runs(std::vector<const MergeInput*>{&source->open(1)}, merged, {}), FormatError);
  });
}

TEST_P(Kept, ListsAreRefusedByAnIndexWhereTheirSumIsNotThatOfParsing) {
  testing::take_random_blocks(1, GetParam().positions, [&](const NamedBlock& named) {
    const FormedBlock block(named.block, GetParam().form);
    const auto source = keep(*make_lane(), block, named.options);
    ASSERT_NE(source, nullptr);
    const auto merge = [&] {
      const MergeInput* const inputs[] = {&source->open(1)};
      const testing::ScratchDirectory scratch;
      ContentOptions options;
      options.positions = GetParam().positions == Positions::kStored;
      IndexWriter writer(posix_file_system(), scratch / "index", options);
      const LengthCodes codes = testing::read_length_codes(inputs, {}, budget_);
      merge_documents(inputs, {}, writer, budget_);
      merge_lists(inputs, {}, codes.span(), writer, {});
    };
    EXPECT_NO_THROW(merge());
    source->summary.sum.lanes[0] ^= 1;
    EXPECT_THROW(merge(), FormatError);
  });
}

TEST_P(Kept, ListsComeToTheHostOnceForManyThreads) {
  std::size_t staging_bytes = 0;
  testing::take_random_blocks(12, GetParam().positions, [&](const NamedBlock& named) {
    const FormedBlock block(named.block, GetParam().form);
    const auto source = keep(*make_lane(), block, named.options);
    ASSERT_NE(source, nullptr);
    auto& kept = dynamic_cast<KeptLists&>(*source);
    std::atomic<int> asked = 0;
    std::vector<std::uint8_t> staging(staging_bytes);
    staging_bytes = (staging_bytes + 4097) % 40000;
    kept.bring_with([&] {
      ++asked;
      kept.bring_down(staging);
    });
    const MergeInput& input = source->open(1);
    std::array<Lists, 4> lists;
    {
      std::vector<std::jthread> threads;
      for (Lists& of_thread : lists) threads.emplace_back([&] { read_lists(input, "", "", of_thread); });
    }
    EXPECT_FALSE(lists[0].empty());
    for (const Lists& of_thread : lists) EXPECT_TRUE(of_thread == lists[0]);
    EXPECT_EQ(asked != 0, GetParam().stay);
    const int before = asked;
    Lists again;
    read_lists(input, "", "", again);
    EXPECT_EQ(asked, before);
  });
}

TEST_P(Kept, ListsThatAreGoneAreLost) {
  if (!GetParam().stay) return;
  testing::take_random_blocks(1, GetParam().positions, [&](const NamedBlock& named) {
    const FormedBlock block(named.block, GetParam().form);
    const auto source = keep(*make_lane(), block, named.options);
    ASSERT_NE(source, nullptr);
    dynamic_cast<KeptLists&>(*source).drop_device_lists();
    Lists lists;
    EXPECT_THROW(read_lists(source->open(1), "", "", lists), ListsLostError);
  });
}

// The lists that stay on the GPU are those that the host keeps.
TEST_P(Kept, ListsOnTheGpuGiveTheIndexOfThoseOnTheHost) {
  int merged = 0;
  testing::take_pass_test_blocks(GetParam().positions, 12, [&](const NamedBlock& named) {
    SCOPED_TRACE(named.name);
    const FormedBlock block(named.block, GetParam().form);
    const auto source = keep(*make_lane(), block, named.options);
    if (source == nullptr) return;
    const MergeInput* const inputs[] = {&source->open(1)};
    if (lay_out_source(inputs).first_open || lay_out_source(inputs).last_open) return;
    auto held = dynamic_cast<KeptLists&>(*source).take_device_lists();
    ASSERT_TRUE(held);
    const bool has_positions = GetParam().positions == Positions::kStored;
    const auto merge = [&](BatchLanes* lanes) {
      const testing::ScratchDirectory scratch;
      ContentOptions options;
      options.positions = has_positions;
      IndexWriter writer(posix_file_system(), scratch / "index", options);
      const LengthCodes codes = testing::read_length_codes(inputs, {}, budget_);
      merge_documents(inputs, {}, writer, budget_);
      std::map<std::string, std::uint32_t> ids;
      for (const auto& [number, length, id, title] : documents_of(*inputs[0])) {
        if (!id.empty()) ids[id] = static_cast<std::uint32_t>(number);
      }
      for (const auto& id : ids) writer.append_id_order(id.second);
      IndexMergeOptions merging;
      merging.lanes = lanes;
      const IndexMergeResult result = merge_lists(inputs, {}, codes.span(), writer, merging);
      EXPECT_EQ(result.lane_postings, lanes == nullptr ? 0 : result.posting_count);
      writer.finish({.source_document_count = result.document_count,
                     .source_sum = lay_out_source(inputs).sum,
                     .dropped_sum = {}});
      std::map<std::string, std::string> files;
      for (const auto& entry : std::filesystem::directory_iterator(scratch / "index")) {
        files[entry.path().filename()] = testing::read_bytes(entry.path());
      }
      return files;
    };
    ++merged;
    if (GetParam().has_gpu) {
      const auto lanes = make_gpu_batches(std::move(*held));
      const bool has_postings = source->summary.posting_count != 0;
      if (has_postings) {
        EXPECT_NE(lanes->order_bytes(), 0U);
      }
      EXPECT_EQ(merge(lanes.get()), merge(nullptr));
      if (has_postings) {
        EXPECT_NE(lanes->held(), nullptr);
      }
      return;
    }
    testing::HostBatchLanes lanes(testing::wide_batch_limits(has_positions), 1, {}, 0, {std::move(*held)});
    EXPECT_EQ(merge(&lanes), merge(nullptr));
    EXPECT_EQ(lanes.failures(), std::vector<std::string>());
  });
  EXPECT_GT(merged, 5);
}

}  // namespace
}  // namespace spillway
