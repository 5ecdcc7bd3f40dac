// A file whose pages are sorted where they are mapped, and that is written to between two passes over its lines.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/runs/memory_run.hpp"
#include "sort/lines/runs/run_writer.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class ChangedText : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = std::size_t{16} << 20, kBlockBytes = 3000;

  static std::string lines(bool in_order) {
    std::string text;
    for (unsigned i = 0; i != 200'000; ++i) {
      text += std::to_string(in_order ? 1'000'000'000U + i : i * 2654435761U) + '\n';
    }
    return text;
  }
  void fill(std::string text) {
    text_ = std::move(text);
    write_file(text_);
    input_.emplace(posix_file_system(), std::vector<std::string>{scratch_ / "in"}, LineFormat('\n'),
                   std::function<void()>{});
    if (!block_.fill(*input_) || !block_.has_all()) throw std::runtime_error("not all lines");
  }
  ~ChangedText() override {
    try {
      input_->end_mappings();
    } catch (const IoError&) {
      return;  // it may tell of the change as well
    }
  }
  spillway::Run write() {
    return write_run(block_, order_, encoder_, space_, kBlockBytes, encoding_memory(2, kBytes), {});
  }
  // The text with every third line joined to the next one.
  std::string joined() const {
    std::string text = text_;
    for (std::size_t at = 0, ends = 0; at + 1 != text.size(); ++at) {
      if (text[at] == '\n' && ++ends % 3 == 0) text[at] = 'x';
    }
    return text;
  }
  // In its place.
  void write_file(const std::string& text) const {
    const int file = ::open((scratch_ / "in").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("cannot write");
    }
    ::close(file);
  }
  static void expect_refused(const std::function<void()>& work) {
    try {
      work();
      ADD_FAILURE() << "no error";
    } catch (const IoError& error) {
      EXPECT_STREQ(error.what(), "an input changed while it was sorted; start again when nothing writes to it");
    }
  }

  const testing::ScratchDirectory scratch_;
  std::string text_;
  MemoryBudget budget_{2 * kBytes};
  const LineOrder order_;
  const KeyEncoder encoder_{order_};
  RunSpace space_{{scratch_.path()}, 0};
  LineBlock block_{budget_, kBytes, order_, encoder_, nullptr, true};
  std::optional<LineInput> input_;
};

// Lines are found again when the block is split: those of a piece of the text may then reach into the next piece.
TEST_F(ChangedText, BecomesNoRunAfterLinesWereCounted) {
  fill(lines(false));
  write_file(joined());
  block_.arrange();
  expect_refused([&] { write(); });
  expect_refused([&] { make_memory_run(block_, order_, encoder_, kBlockBytes); });
}

// Lines that are in order are found once more when their part is sorted.
TEST_F(ChangedText, BecomesNoRunInAFileAfterItWasFoundInOrder) {
  fill(lines(true));
  block_.arrange();
  write_file(joined());
  expect_refused([&] { write(); });
}

TEST_F(ChangedText, BecomesNoRunInMemoryAfterItWasFoundInOrder) {
  fill(lines(true));
  block_.arrange();
  write_file(joined());
  expect_refused([&] { make_memory_run(block_, order_, encoder_, kBlockBytes); });
}

}  // namespace
}  // namespace spillway
