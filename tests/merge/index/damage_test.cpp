// Merges runs after one of them was changed in such a way that its checksums still fit. Each merge is refused with a
// FormatError, or gives a run whose readers find the error, if there is one: most bytes of lists are only copied.
#include <algorithm>

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

}  // namespace
}  // namespace spillway::testing
