// A file may be written to or truncated while its pages are sorted where they are mapped, or while it is read. The sort
// then ends, with an error or with some output, and reads and writes no memory but its own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/lines/sorter.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr std::size_t kFileBytes = 2'000'000;
constexpr unsigned kRounds = 40;

// Counts what it gets, at any place.
class CountingOutput final : public LineOutput {
 public:
  explicit CountingOutput(bool has_places) : has_places_(has_places) {}
  bool has_places() const override { return has_places_; }
  void write(std::span<const std::uint8_t> bytes) override { add(bytes); }
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { add(bytes); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void add(std::span<const std::uint8_t> bytes) { bytes_ += bytes.size(); }
  const bool has_places_;
  std::atomic<std::uint64_t> bytes_{0};
};

// Changes a file until it is destroyed.
class Changer {
 public:
  using Change = std::function<void(int file, std::mt19937& random)>;
  Changer(const std::string& path, unsigned seed, Change change)
      : thread_([this, path, seed, change = std::move(change)] {
          std::mt19937 random(seed);
          const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
          while (!stops_) change(file, random);
          ::close(file);
        }) {}
  ~Changer() {
    stops_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

void put(int file, const std::string& bytes, std::mt19937& random) {
  ASSERT_GE(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(random() % kFileBytes)), 0);
}

void change_bytes(int file, std::mt19937& random) { put(file, std::string(1, "\n\n ab"[random() % 5]), random); }
void join_and_cut_lines(int file, std::mt19937& random) {
  put(file, std::string(random() % 100'000, 'x'), random);
  put(file, std::string(random() % 3000, '\n'), random);
}
void write_anew(int file, std::mt19937& random) {
  static const std::string noise = [&] {
    std::string bytes(kFileBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }();
  ASSERT_EQ(::ftruncate(file, static_cast<off_t>(random() % kFileBytes)), 0);
  ASSERT_GE(::pwrite(file, noise.data(), noise.size(), 0), 0);
}

std::string some_text() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < kFileBytes) text += std::to_string(random()) + ' ' + std::to_string(random() % 1000) + " abc\n";
  return text;
}

std::vector<LineOrder> some_orders() {
  std::vector<LineOrder> orders(5);
  orders[1].keys.resize(1);  // a view
  orders[1].keys.front().place.begin_field = orders[1].keys.front().place.end_field = 1;
  orders[2] = orders[1];  // the same, in upper case, and unique
  orders[2].keys.front().rule.folds_case = orders[2].is_unique = true;
  orders[3] = orders[1];  // encoded keys
  orders[3].keys.front().rule.kind = KeyKind::kNumber;
  orders[4].is_unique = true;
  return orders;
}

class ChangingInput : public ::testing::TestWithParam<Changer::Change> {};

constexpr std::array kNames{"Bytes", "Lines", "All"};
INSTANTIATE_TEST_SUITE_P(, ChangingInput, ::testing::Values(change_bytes, join_and_cut_lines, write_anew),
                         [](const auto& test) { return kNames[test.index]; });

// How a file is sorted while it changes.
struct Sort {
  LineOrder order;
  std::size_t block_bytes = 0;  // not 0: by runs
  std::size_t memory_bytes = std::size_t{64} << 20;
  unsigned copies = 1;                  // of the text, in the file that changes
  bool is_among_others = false;         // between two files that do not change
  std::size_t file_bytes = kFileBytes;  // of all
};

class ChangedSorts {
 public:
  explicit ChangedSorts(const Changer::Change& change) : change_(change), text_(some_text()) {
    std::ofstream(scratch_ / "first", std::ios::binary) << text_;
    std::ofstream(scratch_ / "last", std::ios::binary) << text_.substr(0, kFileBytes / 2);
  }

  // Whether the sort ends with output, not with an error.
  bool ends_well(const Sort& sort, unsigned round) {
    std::ofstream file(scratch_ / "in", std::ios::binary);
    for (unsigned copy = 0; copy < sort.copies; ++copy) file << text_;
    file.close();
    LineSortOptions options;
    options.memory_bytes = sort.memory_bytes;
    options.block_bytes = sort.block_bytes;
    options.temp_directories = {scratch_.path()};
    options.maps_inputs = true;
    CountingOutput output(round % 4 != 0);
    std::vector<std::string> paths{scratch_ / "in"};
    if (sort.is_among_others) paths = {scratch_ / "first", scratch_ / "in", scratch_ / "last"};
    LineInput input(posix_file_system(), paths, sort.order.format, {});
    const Changer changer(scratch_ / "in", round, change_);
    bool ends_well = true;
    try {
      tbb::task_arena(3).execute([&] { sort_lines(input, sort.order, options, output); });
    } catch (const Error&) {
      ends_well = false;
    }
    // A file may become longer than it was while it is read, and lines may be joined.
    EXPECT_LE(output.bytes(), kFileBytes + sort.copies * sort.file_bytes);
    return ends_well;
  }

 private:
  Changer::Change change_;
  testing::ScratchDirectory scratch_;
  std::string text_;
};

TEST_P(ChangingInput, LetsASortEnd) {
  ChangedSorts sorts(GetParam());
  unsigned refused = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    refused += sorts.ends_well({some_orders()[round % 5]}, round) ? 0 : 1;
  }
  EXPECT_GT(refused, 0U);
}

TEST_P(ChangingInput, LetsASortByRunsEnd) {
  ChangedSorts sorts(GetParam());
  for (unsigned round = 0; round < kRounds / 2; ++round) {
    sorts.ends_well({.order = some_orders()[round % 5], .block_bytes = std::size_t{512} << 10}, round);
  }
}

// The block before the last one ends where the rest, as the file's size tells it, stays in memory.
TEST_P(ChangingInput, LetsASortEndThatLeavesLinesForItsLastBlock) {
  ChangedSorts sorts(GetParam());
  for (unsigned round = 0; round < kRounds / 8; ++round) {
    sorts.ends_well({.order = some_orders()[round % 5], .memory_bytes = std::size_t{32} << 20, .copies = 13}, round);
  }
}

// In memory, and by runs.
TEST_P(ChangingInput, LetsASortOfRecordsEnd) {
  ChangedSorts sorts(GetParam());
  for (unsigned round = 0; round < kRounds / 2; ++round) {
    Sort sort{.order = some_orders()[round % 5]};
    sort.order.format = LineFormat('\n', 25);
    sort.block_bytes = round % 2 == 0 ? 0 : std::size_t{512} << 10;
    sorts.ends_well(sort, round);
  }
}

// In memory, and by runs.
TEST_P(ChangingInput, LetsASortOfSeveralInputsEnd) {
  ChangedSorts sorts(GetParam());
  for (unsigned round = 0; round < kRounds / 2; ++round) {
    Sort sort{.order = some_orders()[round % 5], .is_among_others = true, .file_bytes = 3 * kFileBytes};
    sort.block_bytes = round % 2 == 0 ? 0 : std::size_t{512} << 10;
    sorts.ends_well(sort, round);
  }
}

}  // namespace
}  // namespace spillway
