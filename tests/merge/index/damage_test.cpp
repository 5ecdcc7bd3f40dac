// Merges runs after one of them was changed. Each merge is refused with a FormatError. Where the change is made in such
// a way that the checksums still fit, it may also give a run whose readers find the error, if there is one: most bytes
// of lists are only copied.
#include <algorithm>
#include <array>

#include "io/base/error.hpp"
#include "io/run/layout.hpp"
#include "tests/merge/run/cut_runs.hpp"
#include "tests/support/run_forger.hpp"

namespace spillway::testing {
namespace {

class RunMergeForgery : public MergeTest {
 protected:
  struct Fates {
    std::size_t refused = 0, seen_later = 0, merged = 0;
  };

  static bool is_read(const ReadableFile& file) {
    try {
      read_sample_run(file);
      return true;
    } catch (const FormatError&) {
      return false;
    }
  }

  static std::size_t largest_of(const Runs& runs) {
    const auto is_smaller = [](const HeldRun& a, const HeldRun& b) { return a.file->size() < b.file->size(); };
    return static_cast<std::size_t>(std::max_element(runs.begin(), runs.end(), is_smaller) - runs.begin());
  }

  // Merges the runs, one of them with changed bytes. Any exception except FormatError fails the test.
  void merge(const Runs& runs, std::size_t changed, const BytesFile& bytes, Fates& fates) {
    MemoryFile out(budget_, "out");
    try {
      const RunReader reader(bytes);
      const RunInput input(reader);
      auto all = inputs(runs);
      all[changed] = &input;
      merge_runs(all, out, {.block_bytes = kMinRunBlockBytes});
    } catch (const FormatError&) {
      ++fates.refused;
      return;
    }
    if (!is_read(out)) {
      ++fates.seen_later;
    } else {
      ++fates.merged;
      EXPECT_TRUE(is_read(bytes)) << "the merge made it good";
    }
  }

  // Gives every byte of a block several values that make lengths, counts and gaps wrong.
  void forge_each(const Runs& runs, std::size_t changed, RunForger& forger, const RunForger::Block& block,
                  Fates& fates) {
    const std::size_t begin = block.offset + run_layout::kBlockHeaderBytes;
    for (std::size_t at = begin; at < begin + block.stored_bytes; ++at) {
      const std::uint8_t byte = forger.bytes()[at];
      for (const unsigned value : {0u, 1u, 0x7Fu, 0x80u, 0xFFu, byte + 1u, byte - 1u, byte ^ 0x80u, byte ^ 1u}) {
        if (static_cast<std::uint8_t>(value) == byte) continue;
        forger.bytes()[at] = static_cast<std::uint8_t>(value);
        forger.seal_block(block);
        merge(runs, changed, BytesFile(forger.bytes()), fates);
      }
      forger.bytes()[at] = byte;
    }
    forger.seal_block(block);
  }
};

TEST_F(RunMergeForgery, OfAnyByteIsRefusedOrSeenLater) {
  for (const bool positions : {false, true}) {
    SCOPED_TRACE(positions);
    options_.positions = positions;
    std::mt19937_64 random(11);
    SampleRun whole = make_source(11, {.documents = 12, .terms = 25, .longest_text_bytes = 10});
    if (positions) add_positions(whole, 11);
    const Runs runs = cut(whole, 4, random);
    ASSERT_GE(runs.size(), 3u);
    const std::size_t changed = largest_of(runs);
    RunForger forger(all_bytes(*runs[changed].file));
    Fates fates;
    for (const RunForger::Block& block : forger.blocks()) forge_each(runs, changed, forger, block, fates);
    EXPECT_GT(fates.refused, 500u);
    EXPECT_GT(fates.seen_later, 1000u);
    EXPECT_GT(fates.merged, 100u) << "bytes of ids and of titles may be any";
  }
}

// Merges runs, one of them with other bytes, into a run and into an index.
class RunMergeDamage : public MergeTest {
 protected:
  void make_runs(bool positions) {
    options_.positions = positions;
    std::mt19937_64 random(12);
    SampleRun whole = make_source(12, {.documents = 8, .terms = 12, .longest_text_bytes = 8});
    if (positions) add_positions(whole, 12);
    runs_ = cut(whole, 3, random);
    ASSERT_GE(runs_.size(), 2u);
  }

  template <typename Merge>
  static bool is_refused(const Merge& merge) {
    try {
      merge();
    } catch (const FormatError&) {
      return true;
    }
    return false;
  }

  void expect_refused(std::size_t changed, const std::vector<std::uint8_t>& bytes) {
    const BytesFile file(bytes);
    const auto all_with = [&](const RunInput& input) {
      auto all = inputs(runs_);
      all[changed] = &input;
      return all;
    };
    ASSERT_TRUE(is_refused([&] {
      const RunReader reader(file);
      const RunInput input(reader);
      MemoryFile out(budget_, "out");
      merge_runs(all_with(input), out, {.block_bytes = kMinRunBlockBytes});
    })) << "a merge into a run";
    ASSERT_TRUE(is_refused([&] {
      const RunReader reader(file);
      const RunInput input(reader);
      merge_to_index(all_with(input));
    })) << "a merge into an index";
  }

  void merge_to_index(const std::vector<const MergeInput*>& all) {
    files_.remove_tree("/job/merged");
    IndexWriter writer(files_, "/job/merged", options_);
    const LengthCodes codes = read_length_codes(all, {}, budget_);
    merge_documents(all, {}, writer, budget_);
    merge_lists(all, {}, codes.span(), writer, {1, 1 << 20, {}, {}});
  }

  Runs runs_;
};

TEST_F(RunMergeDamage, OfAnyByteIsRefused) {
  constexpr std::array<std::uint8_t, 3> kChanges{0x01, 0x80, 0xFF};
  for (const bool positions : {false, true}) {
    make_runs(positions);
    merge_to_index(inputs(runs_));
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      auto bytes = all_bytes(*runs_[run].file);
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const std::uint8_t change : kChanges) {
          bytes[at] ^= change;
          expect_refused(run, bytes);
          if (HasFatalFailure()) FAIL() << "byte " << at << " of run " << run << " xor " << int{change};
          bytes[at] ^= change;
        }
      }
    }
  }
}

TEST_F(RunMergeDamage, ByAnyTruncationIsRefused) {
  make_runs(true);
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const auto bytes = all_bytes(*runs_[run].file);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      expect_refused(run, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
      if (HasFatalFailure()) FAIL() << size << " bytes of run " << run;
    }
  }
}

}  // namespace
}  // namespace spillway::testing
