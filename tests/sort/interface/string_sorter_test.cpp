// The contract of all string sorters: order by unsigned bytes and length, permutation, equal strings in index order,
// LCPs, scratch, and the cases that research code often gets wrong.
#include "sort/interface/string_sorter.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "io/base/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/sorters.hpp"
#include "tests/support/gpu_host_forms/host_forms.hpp"
#include "tests/support/sanitizer_sizes.hpp"

namespace spillway {
namespace {

using Strings = std::vector<std::string>;
using testing::sanitizer_size;
constexpr std::uint8_t kGuard = 0xA7;
constexpr std::size_t kGuardBytes = 256;

// Puts every string in an allocation of its own size, so that sanitizers find reads past its end.
class ExactStrings {
 public:
  explicit ExactStrings(const Strings& strings) {
    for (const std::string& text : strings) {
      bytes_.push_back(std::make_unique<std::uint8_t[]>(text.size()));
      std::copy(text.begin(), text.end(), bytes_.back().get());
      refs_.push_back({text.empty() ? nullptr : bytes_.back().get(), static_cast<std::uint32_t>(text.size()), 7});
    }
  }
  std::span<const StringRef> refs() const { return refs_; }

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> bytes_;
  std::vector<StringRef> refs_;
};

class StringSorterContract : public ::testing::TestWithParam<const StringSorter*> {
 protected:
  void SetUp() override {
    if (!sorter().needs_gpu()) return;
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
  }
  const StringSorter& sorter() const { return *GetParam(); }

  void check(const Strings& strings) const {
    const ExactStrings exact(strings);
    check_refs(exact.refs());
  }

  void check_refs(std::span<const StringRef> refs) const {
    std::vector<std::uint32_t> expected(refs.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return refs[a].view() < refs[b].view(); });
    std::vector<std::uint32_t> order(refs.size(), 0xFFFFFFFF), lcps(refs.size(), 0xFFFFFFFF);
    const std::size_t bytes = sorter().scratch_bytes(refs.size());
    std::vector<std::uint8_t> scratch(bytes + 2 * kGuardBytes + 1, kGuard);
    sorter().sort(refs, order, lcps, std::span(scratch).subspan(kGuardBytes + 1, bytes));
    const auto is_guard = [](std::uint8_t byte) { return byte == kGuard; };
    EXPECT_TRUE(std::all_of(scratch.begin(), scratch.begin() + kGuardBytes + 1, is_guard));
    EXPECT_TRUE(std::all_of(scratch.end() - kGuardBytes, scratch.end(), is_guard));
    ASSERT_TRUE(order == expected) << "wrong at "
                                   << std::mismatch(order.begin(), order.end(), expected.begin()).first - order.begin()
                                   << " of " << refs.size();
    for (std::size_t i = 0; i < refs.size(); ++i)
      ASSERT_EQ(lcps[i], i == 0 ? 0 : lcp(refs[order[i - 1]], refs[order[i]]));
    std::fill(order.begin(), order.end(), 0u);
    sorter().sort(refs, order, {}, std::span(scratch).subspan(kGuardBytes + 1, bytes));
    ASSERT_TRUE(order == expected) << "differs without LCPs";
    std::fill(order.begin(), order.end(), 0u);
    sorter().sort_in_steps(refs, order, std::span(scratch).subspan(kGuardBytes + 1, bytes));
    ASSERT_TRUE(order == expected) << "differs with a clock";
  }

  static std::uint32_t lcp(const StringRef& a, const StringRef& b) {
    const std::string_view x = a.view(), y = b.view();
    const std::size_t least = std::min(x.size(), y.size());
    return static_cast<std::uint32_t>(
        std::mismatch(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(least), y.begin()).first - x.begin());
  }
};

Strings random_strings(std::size_t count, std::size_t max_bytes, std::string_view alphabet, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Strings strings(count);
  for (std::string& text : strings) {
    text.resize(random() % (max_bytes + 1));
    for (char& c : text) c = alphabet[random() % alphabet.size()];
  }
  return strings;
}

std::string all_bytes() {
  std::string bytes(256, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST_P(StringSorterContract, SortsEverySize) {
  const auto sizes = testing::sanitizer_sizes(
      {0, 1, 2, 3, 23, 24, 25, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4099, 8191, 8193, 16385, 33000},
      {0, 1, 2, 3, 24, 33, 64, 65, 257, 1025, 2049, 8193, 16385});
  for (const std::size_t size : sizes) {
    check(random_strings(size, 12, "abcdefghij", size + 1));
    check(random_strings(size, 20, all_bytes(), size + 2));
  }
}

TEST_P(StringSorterContract, SortsMoreStringsThanOneTask) {
  check(random_strings(sanitizer_size(150000, 40000), 11, "etaoinshrdlu", 3));
  check(random_strings(sanitizer_size(270001, 20001), 3, "ab", 4));
}

TEST_P(StringSorterContract, SortsSortedAndReversedStrings) {
  Strings strings = random_strings(sanitizer_size(40000, 5000), 15, "abc", 5);
  std::sort(strings.begin(), strings.end());
  check(strings);
  std::reverse(strings.begin(), strings.end());
  check(strings);
}

TEST_P(StringSorterContract, TakesNulAsAByteAndLengthAsDecisive) {
  using namespace std::string_literals;
  const Strings shapes{""s,        "a"s,         "a\0"s,           "a\0b"s,       "a\0\0"s,          "\0"s,  "\0\0"s,
                       "aaaaaaa"s, "aaaaaaa\0"s, "aaaaaaaa"s,      "aaaaaaaa\0"s, "aaaaaaaa\0\0\0"s, "b"s,   "\xFF"s,
                       "\xFF\0"s,  "\xFF\xFF"s,  "aaaaaaa\0\0\0"s, "aaaaaaaaa"s,  "\x7F"s,           "\x80"s};
  check(shapes);
  Strings many;
  std::mt19937_64 random(6);
  for (int i = sanitizer_size(30000, 3000); i > 0; --i) many.push_back(shapes[random() % shapes.size()]);
  check(many);
  check(random_strings(sanitizer_size(60000, 5000), 20, "\0"s + "a", 7));
  check(random_strings(sanitizer_size(60000, 5000), 30, "\0"s, 8));
}

TEST_P(StringSorterContract, OrdersBytesUnsigned) {
  check(random_strings(sanitizer_size(20000, 3000), 4, "\x01\x7F\x80\xFE\xFF", 9));
}

TEST_P(StringSorterContract, SortsPrefixesOfEachOther) {
  Strings strings;
  const std::size_t longest = sanitizer_size(600, 200);
  for (std::size_t bytes = 0; bytes < longest; ++bytes) strings.emplace_back(bytes, 'x');
  for (std::size_t bytes = 0; bytes < longest; ++bytes) strings.push_back(std::string(bytes, 'x') + "y");
  std::shuffle(strings.begin(), strings.end(), std::mt19937_64(10));
  check(strings);
}

TEST_P(StringSorterContract, SortsUtf8AndLongSharedPrefixes) {
  Strings strings;
  std::mt19937_64 random(12);
  const Strings words{"größe", "Größe", "日本語", "日本", "éclair", "e\u0301clair", "ß", "🜁", "\uFFFD", "zebra"};
  for (int i = sanitizer_size(30000, 5000); i > 0; --i) {
    strings.push_back("/usr/share/very/long/prefix/that/all/share/" + words[random() % words.size()] + "/" +
                      std::string(random() % 40, 'p') + words[random() % words.size()]);
  }
  check(strings);
}

TEST_P(StringSorterContract, KeepsEqualStringsInIndexOrder) {
  for (const std::size_t bytes : {0, 1, 7, 8, 9, 16, 100})
    check(Strings(sanitizer_size(5000, 2500), std::string(bytes, 'q')));
  Strings words = random_strings(2000, 14, "abcdefgh", 14), copies;
  std::mt19937_64 random(15);
  for (int i = sanitizer_size(80000, 5000); i > 0; --i) copies.push_back(words[random() % words.size()]);
  check(copies);
}

// A quadratic quicksort, or a sort with a round per string and 8 bytes, would not end in time.
TEST_P(StringSorterContract, SortsMillionsOfEqualStrings) {
  const std::string text(100, 'A');
  const std::vector<StringRef> refs(sanitizer_size(2000000, 50000),
                                    {reinterpret_cast<const std::uint8_t*>(text.data()), 100, 0});
  std::vector<std::uint32_t> order(refs.size());
  std::vector<std::uint8_t> scratch(sorter().scratch_bytes(refs.size()));
  sorter().sort(refs, order, {}, scratch);
  for (std::uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
}

TEST_P(StringSorterContract, SortsStringsOfAMegabyte) {
  Strings strings;
  const std::size_t longest = sanitizer_size(1 << 20, 1 << 14);
  for (const std::size_t change : {std::size_t{0}, std::size_t{1}, longest / 2 - 1, longest - 1}) {
    for (const char c : {'A', 'z', '\0'}) {
      strings.emplace_back(longest, 'm');
      strings.back()[change] = c;
      strings.push_back(strings.back().substr(0, strings.back().size() - 1));
    }
  }
  check(strings);
}

// The strings nest in thousands of levels of prefixes. No sorter may recurse once per level: the stack would overflow.
TEST_P(StringSorterContract, SortsDeeplyNestedPrefixes) {
  const std::string text(200000, 'n'), tail = "z";
  Strings strings;
  const std::size_t longest = sanitizer_size(24000, 2000);
  for (std::size_t bytes = 0; bytes < longest; bytes += 8) {
    for (int copy = 0; copy < 2; ++copy) strings.push_back(text.substr(0, bytes) + (copy == 0 ? "m" : "z"));
  }
  check(strings);
}

TEST_P(StringSorterContract, SortsStringsOfOneByteValueAndManyLengths) {
  std::mt19937_64 random(16);
  Strings strings;
  for (int i = sanitizer_size(50000, 4000); i > 0; --i) strings.emplace_back(1 + random() % 100, 'A');
  check(strings);
}

Strings repeated(const Strings& strings, int copies) {
  Strings all;
  for (int i = 0; i < copies; ++i) all.insert(all.end(), strings.begin(), strings.end());
  return all;
}

// Cached prefixes cannot distinguish the copies, and copies become neighbours only when runs are merged.
TEST_P(StringSorterContract, SortsCopiesOfLongStrings) {
  Strings strings = random_strings(2100, 3, "xyz", 21);
  std::mt19937_64 random(22);
  for (std::string& text : strings) {
    for (int i = 0; i < 16; ++i) text.insert(text.begin(), static_cast<char>('a' + random() % 26));
  }
  check(repeated(strings, sanitizer_size(33, 5)));
}

TEST_P(StringSorterContract, SortsFewLongStringsAmongShortOnes) {
  std::mt19937_64 random(24);
  Strings strings = random_strings(2000, 6, "abcdefghijklmnopqrstuvwxyz", 25);
  for (std::size_t i = 0; i < strings.size(); i += 11) {
    strings[i] = std::string(13, static_cast<char>('a' + random() % 26)) + strings[i];
  }
  check(repeated(strings, sanitizer_size(33, 5)));
}

// The strings with a common prefix are as many as a block, a tile or a task takes, and one more or less.
TEST_P(StringSorterContract, SortsGroupsOfEverySize) {
  std::mt19937_64 random(26);
  Strings strings;
  for (const std::size_t size : testing::sanitizer_sizes({2, 3, 31, 32, 33, 1023, 1024, 1025, 2047, 2048, 2049, 5000},
                                                         {2, 3, 1024, 1025, 2049})) {
    const std::string prefix = std::string(20, 'p') + all_bytes()[size % 256];
    for (const std::string& tail : random_strings(size, 14, "abcdefgh", random())) strings.push_back(prefix + tail);
    strings.push_back(all_bytes().substr(size % 256, 1));
  }
  std::shuffle(strings.begin(), strings.end(), random);
  check(strings);
}

TEST_P(StringSorterContract, SortsManyStringsBehindLongPrefixes) {
  std::mt19937_64 random(27);
  Strings strings;
  for (std::size_t bytes : testing::sanitizer_sizes({900, 1021, 1030, 2100}, {1021, 1500})) {
    const std::string prefix = std::string(bytes, 'x') + std::to_string(bytes);
    for (const std::string& tail : random_strings(sanitizer_size(2200, 1100), 9, "abc", random())) {
      strings.push_back(prefix + tail);
    }
  }
  std::shuffle(strings.begin(), strings.end(), random);
  check(strings);
}

// One string takes the common prefix from all: rounds must come to the end of it, in groups of a block and larger ones,
// and copies of a string end where it does.
TEST_P(StringSorterContract, SortsLongPrefixesBesideAnOutlier) {
  for (const std::size_t count : testing::sanitizer_sizes({1000, 2500}, {400, 1200})) {
    for (const std::size_t bytes : testing::sanitizer_sizes({1022, 1029, 1030, 2051, 20000}, {1029, 2500})) {
      const std::string prefix(bytes, 'x');
      Strings strings = random_strings(count, 3, "axz", count + bytes);
      for (std::string& text : strings) text.insert(0, prefix);
      strings.push_back("an outlier");
      strings.push_back(prefix + std::string(3000, 'x'));
      strings.push_back(prefix);
      check(strings);
    }
  }
}

// Prefixes of one text, farther apart than a key holds bytes, and farther than a round compares: rounds that look for
// the end of the shortest would find one string each.
TEST_P(StringSorterContract, SortsNestedPrefixesThatAreFarApart) {
  std::mt19937_64 random(28);
  std::string text(80000, ' ');
  for (char& c : text) c = "abcdefghijkl\0\xFF"[random() % 14];
  const auto check_prefixes = [&](std::size_t count, std::size_t step) {
    Strings strings;
    for (std::size_t i = 0; i < count; ++i) strings.push_back(text.substr(0, i * step + random() % step));
    for (std::size_t i = 0; i < count; i += 7) strings.push_back(strings[i]);
    std::shuffle(strings.begin(), strings.end(), random);
    check(strings);
  };
  check_prefixes(sanitizer_size(2200, 1200), sanitizer_size(20, 9));
  check_prefixes(sanitizer_size(1300, 1100), sanitizer_size(40, 5));
  check_prefixes(sanitizer_size(40, 9), sanitizer_size(1900, 1300));
}

// The sequences defeat pivots that are medians of samples: organ pipes, rotated and interleaved sequences.
TEST_P(StringSorterContract, SortsSequencesThatDefeatSampledPivots) {
  const auto number = [](std::uint32_t value) {
    std::string text(4, '\0');
    for (int i = 0; i < 4; ++i) text[static_cast<std::size_t>(i)] = static_cast<char>(value >> (24 - 8 * i));
    return text;
  };
  const std::uint32_t count = sanitizer_size(60000, 5000);
  Strings pipes, rotated, interleaved;
  for (std::uint32_t i = 0; i < count; ++i) {
    pipes.push_back(number(i < count / 2 ? i : count - i));
    rotated.push_back(number((i + count / 3) % count));
    interleaved.push_back(number(i % 2 == 0 ? i / 2 : count - i / 2));
  }
  check(pipes);
  check(rotated);
  check(interleaved);
}

TEST_P(StringSorterContract, SortsInsideAnyArena) {
  const Strings strings = random_strings(sanitizer_size(200000, 5000), 10, "abcdef", 18);
  const ExactStrings exact(strings);
  for (const int threads : {1, 2, 3, 8}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { check_refs(exact.refs()); });
  }
}

TEST_P(StringSorterContract, RefusesTooLittleScratchAndRoom) {
  const ExactStrings exact(random_strings(1000, 5, "ab", 20));
  std::vector<std::uint32_t> order(1000);
  std::vector<std::uint8_t> scratch(sorter().scratch_bytes(1000));
  EXPECT_THROW(sorter().sort(exact.refs(), order, {}, std::span(scratch).first(scratch.size() / 2)), std::logic_error);
  EXPECT_THROW(sorter().sort(exact.refs(), std::span(order).first(999), {}, scratch), std::logic_error);
  EXPECT_THROW(sorter().sort(exact.refs(), order, std::span(order).first(1), scratch), std::logic_error);
}

TEST_P(StringSorterContract, RefusesMoreStringsThanItCanNumber) {
  // The strings are never read, because the count alone is refused.
  const StringRef none;
  const std::span<const StringRef> too_many(&none, std::size_t{1} << 32);
  EXPECT_THROW(sorter().sort(too_many, {}, {}, {}), UsageError);
}

std::string test_name(const ::testing::TestParamInfo<const StringSorter*>& info) {
  std::string name(info.param->name());
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Cpu, StringSorterContract, ::testing::ValuesIn(string_sorters()), test_name);
INSTANTIATE_TEST_SUITE_P(Gpu, StringSorterContract, ::testing::ValuesIn(gpu_string_sorters()), test_name);
INSTANTIATE_TEST_SUITE_P(HostForm, StringSorterContract, ::testing::ValuesIn(gpu_string_sorter_host_forms()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StringSorterContract);

TEST(StringSorters, TimeTheStepsOfTheRadixSortOfTheCpu) {
  const ExactStrings exact(random_strings(sanitizer_size(150000, 40000), 11, "etaoinshrdlu", 21));
  for (const StringSorter* sorter : string_sorters()) {
    std::vector<std::uint32_t> order(exact.refs().size());
    std::vector<std::uint8_t> scratch(sorter->scratch_bytes(order.size()));
    const SortSteps times = sorter->sort_in_steps(exact.refs(), order, scratch);
    EXPECT_EQ(times.rounds, 0u);
    std::vector<std::string_view> names;
    for (const SortStep& step : times.steps) {
      names.push_back(step.name);
      EXPECT_GT(step.wall_seconds, 0) << step.name;
      EXPECT_GT(step.work_seconds, 0) << step.name;
      EXPECT_EQ(step.ties, 0u) << step.name;
    }
    const std::vector<std::string_view> expected{"load", "histogram", "move keys", "recursion"};
    EXPECT_EQ(names, sorter->name() == "cpu-msd" ? expected : std::vector<std::string_view>{}) << sorter->name();
  }
}

TEST(StringSorters, AreFoundByName) {
  for (const auto* sorters : {&string_sorters(), &gpu_string_sorters()}) {
    for (const StringSorter* sorter : *sorters) EXPECT_EQ(find_string_sorter(sorter->name()), sorter);
  }
  EXPECT_EQ(string_sorters().size(), 2u);
  EXPECT_EQ(find_string_sorter("auto"), nullptr);
}

}  // namespace
}  // namespace spillway
