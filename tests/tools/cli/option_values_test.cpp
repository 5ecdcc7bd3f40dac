#include "tools/cli/option_values.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ParseSize, TakesUnitsOfBothKinds) {
  const auto size = [](const char* text) { return parse_size("--memory", text); };
  EXPECT_EQ(size("1"), 1u);
  EXPECT_EQ(size("65536B"), 65536u);
  EXPECT_EQ(size("3K"), 3072u);
  EXPECT_EQ(size("3k"), 3072u);
  EXPECT_EQ(size("3KiB"), 3072u);
  EXPECT_EQ(size("3KB"), 3000u);
  EXPECT_EQ(size("64M"), 67108864u);
  EXPECT_EQ(size("64MiB"), 67108864u);
  EXPECT_EQ(size("64MB"), 64000000u);
  EXPECT_EQ(size("2G"), 2147483648u);
  EXPECT_EQ(size("2GB"), 2000000000u);
  EXPECT_EQ(size("5T"), 5497558138880u);
  EXPECT_EQ(size("5TB"), 5000000000000u);
}

TEST(ParseSize, TakesSharesOfTheDefault) {
  EXPECT_EQ(parse_size("--memory", "50%", 1000), 500u);
  EXPECT_EQ(parse_size("--memory", "150%", 1000), 1500u);
  EXPECT_EQ(parse_size("--memory", "100%", UINT64_MAX), UINT64_MAX);
}

TEST(ParseSize, RefusesNonsense) {
  for (const char* text : {"",    "K",    "M64",    "64Q",  "64 M",  " 64M", "64M ", "-1", "+1",    "1.5G",
                           "1e9", "0x10", "64MiBs", "64iB", "64KKB", "%",    "0",    "0M", "64m b", "１"}) {
    const std::string message = refusal([&] { parse_size("--memory", text); });
    EXPECT_NE(message.find("--memory"), std::string::npos) << text << ": " << message;
    EXPECT_NE(message.find("expected"), std::string::npos) << text << ": " << message;
  }
}

TEST(ParseSize, RefusesOverflow) {
  EXPECT_EQ(parse_size("--memory", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_size("--memory", "16777215T"), 16777215ull << 40);
  for (const char* text : {"18446744073709551616", "16777216T", "18014398509481984K", "99999999999999999999999M"}) {
    EXPECT_NE(refusal([&] { parse_size("--memory", text); }).find("2^64"), std::string::npos) << text;
  }
}

TEST(ParseSize, RefusesAShareOfNothingAndSharesThatGiveNothing) {
  EXPECT_NE(refusal([] { parse_size("--temp-limit", "50%"); }).find("no default"), std::string::npos);
  EXPECT_NE(refusal([] { parse_size("--memory", "0%", 1000); }), "accepted");
  EXPECT_NE(refusal([] { parse_size("--memory", "200%", UINT64_MAX); }), "accepted");
  EXPECT_NE(refusal([] { parse_size("--memory", "18446744073709551615%", UINT64_MAX); }), "accepted");
}

TEST(ParseSize, EscapesWhatItQuotes) {
  EXPECT_NE(refusal([] { parse_size("--memory", "6\x1b[31m"); }).find("\\x1B"), std::string::npos);
}

TEST(ParseCount, HoldsItsBounds) {
  EXPECT_EQ(parse_count("--threads", "1", 1, 8), 1u);
  EXPECT_EQ(parse_count("--threads", "8", 1, 8), 8u);
  for (const char* text : {"0", "9", "", "-1", "2x", " 2", "99999999999999999999"}) {
    const std::string message = refusal([&] { parse_count("--threads", text, 1, 8); });
    EXPECT_NE(message.find("--threads"), std::string::npos);
    EXPECT_NE(message.find("from 1 to 8"), std::string::npos) << message;
  }
}

TEST(ParseReal, HoldsItsBounds) {
  EXPECT_EQ(parse_real("--b", "0.75", 0, 1), 0.75);
  EXPECT_EQ(parse_real("--b", "1", 0, 1), 1.0);
  for (const char* text : {"1.01", "-0.1", "nan", "inf", "", "0.5x", "0,5"}) {
    EXPECT_NE(refusal([&] { parse_real("--b", text, 0, 1); }).find("from 0 to 1"), std::string::npos) << text;
  }
}

TEST(ParseChoice, NamesTheChoicesAndTheNearest) {
  const std::vector<std::string> names{"unicode", "ascii"};
  EXPECT_EQ(parse_choice("--tokenizer", "ascii", names), 1u);
  const std::string message = refusal([&] { parse_choice("--tokenizer", "asci", names); });
  EXPECT_NE(message.find("one of unicode, ascii; did you mean ascii?"), std::string::npos) << message;
}

TEST(ParseList, SplitsAtCommas) {
  EXPECT_EQ(parse_list("--id-field", "id,docid"), (std::vector<std::string>{"id", "docid"}));
  EXPECT_EQ(parse_list("--id-field", "id"), (std::vector<std::string>{"id"}));
  for (const char* text : {"", ",", "a,", ",a", "a,,b"}) {
    EXPECT_NE(refusal([&] { parse_list("--id-field", text); }), "accepted") << text;
  }
}

}  // namespace
}  // namespace spillway
