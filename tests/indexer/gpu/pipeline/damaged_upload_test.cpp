// Tests that damage on the way to a GPU is detected before anything but counting uses the bytes, and that the block
// stays unchanged for the sorter that takes it next.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "sort/gpu/device/error.hpp"
#include "tests/indexer/gpu/pipeline/pass_blocks.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"

namespace spillway {
namespace {

using testing::cpu_run;
using testing::kTestBudget;
using testing::lane_run;
using testing::NamedBlock;
using testing::OracleDocument;
using testing::Upload;

using Words = std::span<std::uint32_t>;

class DamagedUpload : public ::testing::TestWithParam<Upload> {
 protected:
  // Damages the uploads of `times` passes. If the damage changed anything, the pass must fail and name the array; if
  // not, its run must be right. An undamaged pass follows each damaged one, and must give the run of the CPU.
  void expect_seen(int times, const std::function<void(Words, std::mt19937_64&)>& change) {
    testing::take_block_of("a block", documents(), setting(), [&](const NamedBlock& named) {
      const testing::FormedBlock block(named.block, ChunkForm::kTokens);
      const std::string expected = cpu_run(named);
      MemoryBudget budget(kTestBudget);
      bool damages = false, changed = false;
      std::mt19937_64 random(1);
      const testing::GpuLanes lanes =
          testing::make_damaging_lanes(std::size_t{8} << 20, 1, budget, [&](Upload upload, Words words) {
            if (!damages || upload != GetParam()) return;
            const std::vector<std::uint32_t> before(words.begin(), words.end());
            change(words, random);
            changed = !std::equal(before.begin(), before.end(), words.begin());
          });
      int seen = 0;
      for (int i = 0; i < times; ++i) {
        damages = true;
        changed = false;
        try {
          const std::string run = lane_run(*lanes.front(), block, named.options);
          EXPECT_FALSE(changed) << "damage " << i << " was not seen";
          EXPECT_TRUE(run == expected);
        } catch (const GpuError& error) {
          EXPECT_TRUE(changed);
          EXPECT_NE(std::string(error.what()).find(expected_words()), std::string::npos) << error.what();
          ++seen;
        }
        damages = false;
        EXPECT_TRUE(lane_run(*lanes.front(), block, named.options) == expected);
      }
      EXPECT_GT(seen, times / 2);
    });
  }

 private:
  static std::string expected_words() {
    const char* const kWhat[] = {"the places of the chunks of a block are not the same on the GPU",
                                 "the lengths of the documents of a block are not", "the tokens of a block are not",
                                 "the positions of a block are not"};
    return kWhat[static_cast<int>(GetParam())];
  }
  static testing::ParseSetting setting() {
    testing::ParseSetting setting = testing::pass_setting(Positions::kStored);
    setting.limits.stream_words = 1500;
    return setting;
  }
  static std::vector<OracleDocument> documents() {
    std::mt19937_64 random(3);
    std::vector<OracleDocument> documents(150);
    for (OracleDocument& document : documents) {
      for (std::size_t i = random() % 60; i-- > 0;) document.text += "word" + std::to_string(random() % 999) + " ";
    }
    return documents;
  }
};
INSTANTIATE_TEST_SUITE_P(, DamagedUpload,
                         ::testing::Values(Upload::kPlaces, Upload::kLengths, Upload::kTokens, Upload::kPositions),
                         [](const auto& tested) { return testing::upload_name(tested.param); });

TEST_P(DamagedUpload, SeesABitThatIsFlipped) {
  expect_seen(60, [](Words words, std::mt19937_64& random) { words[random() % words.size()] ^= 1U << random() % 32; });
}

TEST_P(DamagedUpload, SeesTwoBitsThatAreFlipped) {
  expect_seen(60, [](Words words, std::mt19937_64& random) {
    const unsigned bit = random() % 32;
    for (int i = 0; i < 2; ++i) words[random() % words.size()] ^= 1U << bit;
  });
}

TEST_P(DamagedUpload, SeesWordsThatChangePlaces) {
  expect_seen(60, [](Words words, std::mt19937_64& random) {
    std::swap(words[random() % words.size()], words[random() % words.size()]);
  });
  // Sums of 8-byte words alone would not see these swaps.
  expect_seen(60, [](Words words, std::mt19937_64& random) {
    const std::size_t pairs = words.size() / 2, a = random() % pairs, b = random() % pairs;
    std::swap(words[2 * a], words[2 * b]);
    std::swap(words[2 * a + 1], words[2 * b + 1]);
  });
}

TEST_P(DamagedUpload, SeesStretchesThatChangePlaces) {
  expect_seen(30, [](Words words, std::mt19937_64& random) {
    const std::size_t count = 1 + random() % (words.size() / 2);
    const std::size_t first = random() % (words.size() - 2 * count + 1);
    std::swap_ranges(words.begin() + first, words.begin() + first + count, words.begin() + first + count);
  });
}

TEST_P(DamagedUpload, SeesWordsThatAreZeroOrWereThereBefore) {
  expect_seen(30, [](Words words, std::mt19937_64& random) {
    const std::size_t first = random() % words.size(), count = random() % (words.size() - first) + 1;
    std::fill_n(words.begin() + first, count, 0U);
  });
  expect_seen(30, [](Words words, std::mt19937_64& random) {
    const std::size_t count = 1 + random() % (words.size() / 2);
    std::copy_n(words.begin(), count, words.end() - count);
  });
}

}  // namespace
}  // namespace spillway
