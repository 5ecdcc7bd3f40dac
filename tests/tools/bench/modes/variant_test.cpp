#include "tools/bench/modes/variant.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

TEST(ModeVariant, IsAModeWithASorterAndThreadsOrWithout) {
  const struct {
    const char *text, *mode, *record_sorter, *threads;
  } cases[] = {{"cpu", "cpu", "", ""},
               {"gpu+", "gpu+", "", ""},
               {"cpu:cpu-quick", "cpu", "cpu-quick", ""},
               {"cpu+@16", "cpu+", "", "16"},
               {"cpu:cpu-quick@1", "cpu", "cpu-quick", "1"},
               {"gpu+:gpu-radix:satish@4", "gpu+", "gpu-radix:satish", "4"}};
  for (const auto& expected : cases) {
    const ModeVariant variant = parse_mode_variant(expected.text);
    EXPECT_EQ(variant.text, expected.text);
    EXPECT_EQ(variant.mode, expected.mode);
    EXPECT_EQ(variant.record_sorter, expected.record_sorter);
    EXPECT_EQ(variant.threads, expected.threads);
  }
}

TEST(ModeVariant, RefusesOtherModesAndEmptyValues) {
  for (const char* text : {"", "auto", "GPU", "cpu:", "cpu@", "cpu:@1", "cpu:cpu-quick@", "@1", ":cpu-quick"}) {
    EXPECT_THROW(parse_mode_variant(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace spillway
