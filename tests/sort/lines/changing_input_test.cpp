// A file may be written to or truncated while its pages are sorted where they are mapped. The sort then ends, with an
// error or with some output, and reads and writes no memory but its own.
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

TEST_P(ChangingInput, LetsASortEnd) {
  testing::ScratchDirectory scratch;
  unsigned refused = 0;
  const std::string text = some_text();
  for (unsigned round = 0; round < kRounds; ++round) {
    std::ofstream(scratch / "in", std::ios::binary) << text;
    LineSortOptions options;
    options.memory_bytes = std::size_t{64} << 20;
    options.temp_directories = {scratch.path()};
    options.maps_inputs = true;
    CountingOutput output(round % 4 != 0);
    LineInput input(posix_file_system(), {scratch / "in"}, '\n', {});
    const Changer changer(scratch / "in", round, GetParam());
    try {
      tbb::task_arena(3).execute([&] { sort_lines(input, some_orders()[round % 5], options, output); });
    } catch (const Error&) {
      ++refused;
    }
    EXPECT_LE(output.bytes(), 2 * kFileBytes);
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace spillway
