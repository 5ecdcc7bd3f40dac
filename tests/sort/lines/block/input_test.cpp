// Places in the inputs of a sort: reading goes on after each of them.
#include "sort/lines/block/input.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

// Texts that come as streams, as packed ones do.
class TextStream final : public ByteStream {
 public:
  TextStream(std::string text, std::string path) : text_(std::move(text)), path_(std::move(path)) {}
  std::size_t read(std::span<std::uint8_t> out) override {
    const std::size_t bytes = std::min({out.size(), text_.size() - at_, std::size_t{3}});
    std::memcpy(out.data(), text_.data() + at_, bytes);
    at_ += bytes;
    return bytes;
  }
  const std::string& path() const override { return path_; }

 private:
  std::string text_, path_;
  std::size_t at_ = 0;
};

class PlacesOfInputs : public ::testing::TestWithParam<bool> {
 protected:
  PlacesOfInputs() {
    const std::vector<std::string> texts = {"a\nbc\n\nd", "", "", "e", "\n", "ff\ngg\n", ""};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      paths_.push_back("/job/" + std::to_string(i));
      files_.put(paths_.back(), texts[i]);
      bytes_ += texts[i].size();
    }
  }
  LineInput open() {
    InputOpener opener;
    if (GetParam()) opener = [&](const auto& path) { return std::make_unique<TextStream>(files_.get(path), path); };
    LineInput input(files_, paths_, '\n', {}, opener);
    input.keep_places();
    return input;
  }
  static std::string read(LineInput& input, std::size_t most) {
    std::vector<std::uint8_t> bytes(most);
    bytes.resize(input.read(bytes));
    return {bytes.begin(), bytes.end()};
  }

  testing::FaultyFileSystem files_;
  std::vector<std::string> paths_;
  std::uint64_t bytes_ = 0;
};

const std::string kText = "a\nbc\n\nd\ne\n\nff\ngg\n";  // with the ends that two of the inputs lack

TEST_P(PlacesOfInputs, AreWhereTheRestBegins) {
  for (std::size_t at_once = 1; at_once <= kText.size() + 1; ++at_once) {
    LineInput input = open();
    std::string text, pending;
    for (std::string got = read(input, at_once); !got.empty(); got = read(input, at_once)) {
      text += got;
      const std::size_t end = text.rfind('\n') + 1;  // 0: no line is whole yet
      const InputDone done = input.done_before(text.size() - end);
      LineInput next = open();
      next.go_on_after(done);
      EXPECT_EQ(next.bytes_read(), done.bytes);
      EXPECT_EQ(read(next, 100), kText.substr(end)) << at_once << " " << end;
      EXPECT_EQ(next.bytes_read(), bytes_);
      EXPECT_EQ(read(next, 100), "");
      EXPECT_TRUE(next.is_at_end());
    }
    EXPECT_EQ(text, kText);
  }
}

TEST_P(PlacesOfInputs, AreKeptByASortThatWentOn) {
  LineInput input = open();
  read(input, 8);
  LineInput next = open();
  next.go_on_after(input.done_before(0));
  EXPECT_EQ(read(next, 5), kText.substr(8, 5));
  LineInput last = open();
  last.go_on_after(next.done_before(2));
  EXPECT_EQ(read(last, 100), kText.substr(11));
}

INSTANTIATE_TEST_SUITE_P(FilesAndStreams, PlacesOfInputs, ::testing::Bool(),
                         [](const auto& is_stream) { return is_stream.param ? "Streams" : "Files"; });

}  // namespace
}  // namespace spillway
