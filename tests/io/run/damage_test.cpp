// Runs with every kind of damage. Each is refused with a FormatError or, if its checksums were recomputed and the
// contents are still sound, read; none may crash, hang or allocate more than the run holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/layout.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_cursor.hpp"
#include "tests/support/run_forger.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;
using namespace run_layout;

std::vector<std::uint8_t> run_bytes(SampleRun run, const SampleWriting& writing) {
  if (writing.identity.has_positions) add_positions(run, 1);
  MemoryBudget budget(std::size_t{1} << 28);
  MemoryFile file(budget, "run");
  write_sample_run(run, writing, file);
  return all_bytes(file);
}

SampleRun small_run(std::uint64_t seed) {
  SampleRunOptions options;
  options.documents = 12;
  options.terms = 25;
  options.longest_text_bytes = 20;
  return make_sample_run(seed, options);
}

// Blocks of a few hundred bytes need few documents, but more than the smallest samples have.
SampleRun run_of_many_blocks(std::uint64_t seed) {
  SampleRunOptions options;
  options.documents = 200;
  options.terms = 600;
  return make_sample_run(seed, options);
}

const SampleWriting kPlain{{}, kMinRunBlockBytes};
SampleWriting positioned() {
  SampleWriting writing{{}, kMinRunBlockBytes};
  writing.identity.has_positions = true;
  return writing;
}

// Returns true if the run was read, false if it was refused with a FormatError; other exceptions fail the test.
bool is_read(const std::vector<std::uint8_t>& bytes, SampleRun* found = nullptr) {
  try {
    SampleRun run = read_sample_run(BytesFile(bytes));
    if (found != nullptr) *found = std::move(run);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

TEST(RunDamage, OfAnyBitIsSeen) {
  for (const SampleWriting& writing : {kPlain, positioned()}) {
    auto bytes = run_bytes(small_run(1), writing);
    ASSERT_TRUE(is_read(bytes));
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
      ASSERT_FALSE(is_read(bytes)) << "bit " << bit;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
    }
  }
}

TEST(RunDamage, OfAnyBitIsSeenOrHarmlessInARange) {
  const SampleRun run = small_run(2);
  auto bytes = run_bytes(run, kPlain);
  const std::string first = std::next(run.terms.begin(), 8)->first, last = std::next(run.terms.begin(), 16)->first;
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
    const BytesFile file(bytes);
    try {
      const RunReader reader(file);
      RunTermCursor cursor(reader, first, last);
      for (auto expected = run.terms.find(first); expected->first != last; ++expected) {
        ASSERT_TRUE(cursor.next());
        ASSERT_EQ(cursor.entry().term, expected->first);
        ASSERT_TRUE(std::ranges::equal(cursor.entry().postings, encode_postings(expected->second)));
      }
      ASSERT_FALSE(cursor.next());
      ++harmless;
    } catch (const FormatError&) {
    }
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
  }
  EXPECT_GT(harmless, 0u) << "damage elsewhere does not matter to a range";
}

TEST(RunDamage, AnyTruncationIsSeen) {
  for (const SampleWriting& writing : {kPlain, positioned()}) {
    const auto bytes = run_bytes(run_of_many_blocks(3), writing);
    for (std::size_t length = 0; length < bytes.size();
         length += length < 4000 || length + 4000 > bytes.size() ? 1 : 97) {
      ASSERT_FALSE(is_read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
    }
  }
}

TEST(RunDamage, BytesBehindTheTrailerAreSeen) {
  auto bytes = run_bytes(small_run(4), kPlain);
  bytes.push_back(0);
  EXPECT_FALSE(is_read(bytes));
  auto twice = run_bytes(small_run(4), kPlain);
  twice.insert(twice.end(), twice.begin(), twice.end());
  EXPECT_FALSE(is_read(twice));
}

TEST(RunDamage, SwappedBlocksAreSeen) {
  const auto bytes = run_bytes(run_of_many_blocks(5), kPlain);
  const auto blocks = RunForger(bytes).blocks();
  std::size_t swaps = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t k = i + 1; k < blocks.size(); ++k) {
      const std::size_t size = kBlockHeaderBytes + blocks[i].stored_bytes;
      if (blocks[k].stored_bytes != blocks[i].stored_bytes) continue;
      auto swapped = bytes;
      std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(blocks[i].offset),
                       swapped.begin() + static_cast<std::ptrdiff_t>(blocks[i].offset + size),
                       swapped.begin() + static_cast<std::ptrdiff_t>(blocks[k].offset));
      ASSERT_FALSE(is_read(swapped));
      ++swaps;
    }
  }
  EXPECT_GT(swaps, 3u) << "document blocks are all of one size";
}

TEST(RunDamage, BlocksOfAnotherJobOrRunAreSeen) {
  SampleWriting job = kPlain, number = kPlain;
  job.identity.job[15] = 1;
  number.identity.number = 1;
  const auto bytes = run_bytes(run_of_many_blocks(6), kPlain);
  for (const SampleWriting& other : {job, number}) {
    const auto foreign = run_bytes(run_of_many_blocks(6), other);
    ASSERT_EQ(foreign.size(), bytes.size());
    const RunForger forger(bytes);
    for (const RunForger::Block& block : forger.blocks()) {
      auto mixed = bytes;
      std::copy_n(foreign.begin() + static_cast<std::ptrdiff_t>(block.offset), kBlockHeaderBytes + block.stored_bytes,
                  mixed.begin() + static_cast<std::ptrdiff_t>(block.offset));
      ASSERT_FALSE(is_read(mixed));
    }
    auto mixed = bytes;
    std::copy(foreign.begin() + static_cast<std::ptrdiff_t>(forger.footer_offset()), foreign.end(),
              mixed.begin() + static_cast<std::ptrdiff_t>(forger.footer_offset()));
    EXPECT_FALSE(is_read(mixed)) << "footer and trailer";
    mixed = bytes;
    std::copy_n(foreign.begin(), kHeaderBytes, mixed.begin());
    EXPECT_FALSE(is_read(mixed)) << "header";
  }
}

// Judges forgeries of a run: each must be refused or, where it changes nothing but documents, be read with the terms
// and postings of the run, which its sums protect.
class ForgeryJudge {
 public:
  explicit ForgeryJudge(const std::vector<std::uint8_t>& good) { EXPECT_TRUE(is_read(good, &run_)); }
  void judge(const std::vector<std::uint8_t>& forged) {
    SampleRun found;
    if (!is_read(forged, &found)) {
      ++refused_;
    } else {
      ++harmless_;
      EXPECT_TRUE(found.terms == run_.terms) << "forgery " << refused_ + harmless_ << " was read as another run";
    }
  }
  std::size_t refused() const { return refused_; }
  std::size_t harmless() const { return harmless_; }

 private:
  SampleRun run_;
  std::size_t refused_ = 0, harmless_ = 0;
};

// Gives every byte of [begin, end) values that break lengths and counts; `seal` recomputes the checksums.
template <typename Seal>
void forge_each(RunForger& forger, std::size_t begin, std::size_t end, ForgeryJudge& judge, Seal seal) {
  const std::vector<std::uint8_t> good = forger.bytes();
  for (std::size_t at = begin; at < end; ++at) {
    const std::uint8_t byte = good[at];
    for (const unsigned value : {0u, 1u, 0x7Fu, 0x80u, 0xFFu, byte + 1u, byte - 1u, byte ^ 0x80u, byte ^ 1u}) {
      if (static_cast<std::uint8_t>(value) == byte) continue;
      forger.bytes()[at] = static_cast<std::uint8_t>(value);
      seal();
      judge.judge(forger.bytes());
    }
    std::copy(good.begin(), good.end(), forger.bytes().begin());
  }
}

TEST(RunForgery, OfAnyByteIsRefusedOrHarmless) {
  for (const SampleWriting& writing : {kPlain, positioned()}) {
    const auto bytes = run_bytes(small_run(7), writing);
    RunForger forger(bytes);
    ForgeryJudge judge(bytes);
    forge_each(forger, 0, kHeaderCrcAt, judge, [&] { forger.seal_header(); });
    for (const RunForger::Block& block : forger.blocks()) {
      forge_each(forger, block.offset, block.offset + kBlockHeaderBytes + block.stored_bytes, judge,
                 [&] { forger.seal_block(block); });
    }
    forge_each(forger, forger.footer_offset(), bytes.size() - kTrailerBytes - 4, judge, [&] { forger.seal_footer(); });
    forge_each(forger, bytes.size() - kTrailerBytes, bytes.size(), judge, [&] { forger.seal_trailer(); });
    EXPECT_TRUE(is_read(forger.bytes()));
    EXPECT_GT(judge.refused(), 4 * bytes.size()) << "of " << judge.refused() + judge.harmless();
    EXPECT_GT(judge.harmless(), 0u) << "the text of a document";
  }
}

TEST(RunForgery, OfAnyPostingIsSeenByTheSum) {
  const SampleRun run = small_run(8);
  RunForger forger(run_bytes(run, kPlain));
  const std::vector<std::uint8_t> good = forger.bytes();
  for (const RunForger::Block& block : forger.blocks()) {
    if (!block.has_terms) continue;
    for (std::size_t at = block.offset + kBlockHeaderBytes; at < block.offset + kBlockHeaderBytes + block.stored_bytes;
         ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        forger.bytes()[at] = static_cast<std::uint8_t>(good[at] ^ 1u << bit);
        forger.seal_block(block);
        SampleRun found;
        ASSERT_TRUE(!is_read(forger.bytes(), &found) || found == run) << at;
      }
      forger.bytes()[at] = good[at];
    }
  }
}

TEST(RunForgery, OfRandomBytesIsRefusedOrHarmless) {
  std::mt19937_64 random(11);
  for (const SampleWriting& writing : {kPlain, positioned()}) {
    const auto good = run_bytes(run_of_many_blocks(9), writing);
    RunForger forger(good);
    ForgeryJudge judge(good);
    for (int round = 0; round < 1000; ++round) {
      const RunForger::Block& block = forger.blocks()[random() % forger.blocks().size()];
      for (int i = 0; i < 3; ++i) {
        const std::size_t at = block.offset + kBlockHeaderBytes + random() % block.stored_bytes;
        forger.bytes()[at] = static_cast<std::uint8_t>(random());
      }
      forger.seal_block(block);
      judge.judge(forger.bytes());
      forger.bytes() = good;
    }
    EXPECT_GT(judge.refused(), 100u);
  }
}

TEST(RunForgery, OfLengthsIsRefusedBeforeAnythingIsAllocated) {
  const auto good = run_bytes(run_of_many_blocks(10), positioned());
  RunForger forger(good);
  for (const std::size_t field : {kStoredAt, kRawAt, kCountAt}) {
    for (const RunForger::Block& block : forger.blocks()) {
      if (!block.has_terms && field == kCountAt) continue;  // document blocks have no count
      for (const std::uint32_t value : {0u, 1u, 0x7FFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu - 23, 1u << 20}) {
        store_le(forger.bytes().data() + block.offset + field, value);
        forger.seal_block(block);
        ASSERT_FALSE(is_read(forger.bytes())) << field << " " << value;
      }
      forger.bytes() = good;
    }
  }
}

TEST(RunForgery, OfTheFooterIsRefused) {
  const auto good = run_bytes(run_of_many_blocks(12), kPlain);
  RunForger forger(good);
  for (const std::size_t field : {kDocumentCountAt, kEntryCountAt, kPostingCountAt, kOccurrenceCountAt, kSumAt,
                                  kBlockCountAt, kTermBlockCountAt, kDocumentBytesAt}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      store_le(forger.bytes().data() + forger.footer_offset() + field, value);
      forger.seal_footer();
      ASSERT_FALSE(is_read(forger.bytes())) << field << " " << value;
      forger.bytes() = good;
    }
  }
  for (const std::size_t field : {kLargestBlockAt, kLongestTermAt, kFooterFlagsAt, kSampleCountAt}) {
    for (const std::uint32_t value : {0u, 0xFFFFFFFFu}) {
      store_le(forger.bytes().data() + forger.footer_offset() + field, value);
      forger.seal_footer();
      ASSERT_FALSE(is_read(forger.bytes())) << field << " " << value;
      forger.bytes() = good;
    }
  }
}

TEST(RunForgery, OfTheNumberOfBlocksIsRefused) {
  const auto good = run_bytes(run_of_many_blocks(15), kPlain);
  RunForger forger(good);
  for (const int by : {-1, 1}) {
    std::uint8_t* count = forger.bytes().data() + forger.footer_offset() + kBlockCountAt;
    store_le(count, load_le<std::uint64_t>(count) + static_cast<std::uint64_t>(by));
    forger.seal_footer();
    EXPECT_FALSE(is_read(forger.bytes()));
    forger.bytes() = good;
  }
}

TEST(RunForgery, OfTheOrderOfTermsIsRefused) {
  SampleRun run;
  run.documents.resize(1);
  for (const char* term : {"a", "b", "c"}) run.terms[term] = {{0, 1}};
  RunForger forger(run_bytes(run, kPlain));
  const RunForger::Block block = forger.blocks()[0].has_terms ? forger.blocks()[0] : forger.blocks()[1];
  const auto payload = forger.bytes().begin() + static_cast<std::ptrdiff_t>(block.offset + kBlockHeaderBytes);
  const auto end = payload + static_cast<std::ptrdiff_t>(block.stored_bytes);
  std::iter_swap(std::find(payload, end, 'b'), std::find(payload, end, 'c'));
  forger.seal_block(block);
  EXPECT_FALSE(is_read(forger.bytes()));
}

TEST(RunForgery, WithoutSamplesIsRefused) {
  RunForger forger(run_bytes(small_run(16), kPlain));
  auto& bytes = forger.bytes();
  store_le(bytes.data() + forger.footer_offset() + kSampleCountAt, std::uint32_t{0});
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(forger.footer_offset() + kFooterFixedBytes),
              bytes.end() - static_cast<std::ptrdiff_t>(kTrailerBytes + 4));
  store_le(bytes.data() + bytes.size() - kTrailerBytes + kFooterBytesAt,
           static_cast<std::uint32_t>(kFooterFixedBytes + 4));
  forger.seal_footer();
  forger.seal_trailer();
  EXPECT_THROW(RunReader(BytesFile(bytes)), FormatError);
}

TEST(RunForgery, OfSamplesIsRefused) {
  const auto good = run_bytes(run_of_many_blocks(13), kPlain);
  RunForger forger(good);
  ASSERT_GT(load_le<std::uint32_t>(good.data() + forger.footer_offset() + kSampleCountAt), 2u);
  const std::size_t sample = forger.footer_offset() + kFooterFixedBytes;
  for (const std::size_t field : {std::size_t{0}, std::size_t{8}}) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      store_le(forger.bytes().data() + sample + field, value);
      forger.seal_footer();
      EXPECT_TRUE(forger.bytes() == good || !is_read(forger.bytes())) << field << " " << value;
      forger.bytes() = good;
    }
  }
  forger.bytes()[sample + 16] ^= 1;  // length of its term
  forger.seal_footer();
  EXPECT_FALSE(is_read(forger.bytes()));
  forger.bytes() = good;
  forger.bytes()[sample + 17] ^= 1;  // its term
  forger.seal_footer();
  EXPECT_FALSE(is_read(forger.bytes()));
}

TEST(RunForgery, OfTheVersionSaysWhichReleaseReadsIt) {
  const auto good = run_bytes(small_run(14), kPlain);
  const auto message_of = [](RunForger& forger) {
    try {
      const BytesFile file(forger.bytes());
      const RunReader reader(file);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("it was read");
  };
  RunForger forger(good);
  store_le(forger.bytes().data() + kMajorAt, std::uint16_t{2});
  forger.seal_header();
  EXPECT_NE(message_of(forger).find("found version 2"), std::string::npos) << message_of(forger);
  forger.bytes() = good;
  store_le(forger.bytes().data() + kIncompatibleAt, std::uint32_t{0x10});
  forger.seal_header();
  EXPECT_NE(message_of(forger).find("found 0x00000010"), std::string::npos) << message_of(forger);
  forger.bytes() = good;
  store_le(forger.bytes().data() + kCompatibleAt, std::uint32_t{0x10});
  store_le(forger.bytes().data() + kMinorAt, std::uint16_t{9});
  forger.seal_header();
  EXPECT_TRUE(is_read(forger.bytes())) << "compatible features and minor versions do not matter";
}

}  // namespace
}  // namespace spillway
