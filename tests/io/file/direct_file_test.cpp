#include "io/file/direct_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "io/base/error.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class DirectFileTest : public ::testing::Test {
 protected:
  DirectFileTest() : text_((std::size_t{2} << 20) + 4567, '\0') {
    for (std::size_t i = 0; i != text_.size(); ++i) text_[i] = static_cast<char>(i * 2654435761u >> 11);
    std::ofstream(path_, std::ios::binary) << text_;
  }
  // Reads `bytes` bytes from `offset` on, to memory that begins `shift` bytes after a page; returns those that came.
  std::string read(const ReadableFile& file, std::size_t offset, std::size_t bytes, std::size_t shift) const {
    std::vector<std::uint8_t> room(bytes + shift + 4096);
    const std::size_t begin = 4096 - reinterpret_cast<std::uintptr_t>(room.data()) % 4096 + shift;
    const auto out = std::span(room).subspan(begin % (shift + 4096), bytes);
    const std::size_t got = file.read_at(offset, out);
    return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got)};
  }
  // How many pages of the file are in the page cache.
  std::ptrdiff_t resident_pages(int descriptor) const {
    void* const pages = ::mmap(nullptr, text_.size(), PROT_READ, MAP_SHARED, descriptor, 0);
    if (pages == MAP_FAILED) throw std::runtime_error("mmap");
    std::vector<unsigned char> resident((text_.size() + 4095) / 4096);
    const int failed = ::mincore(pages, text_.size(), resident.data());
    ::munmap(pages, text_.size());
    if (failed != 0) throw std::runtime_error("mincore");
    return std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; });
  }
  bool reads_past_the_cache() const {
    return FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)).valid();
  }

  testing::ScratchDirectory scratch_;
  std::string path_ = scratch_ / "file", text_;
};

TEST_F(DirectFileTest, ReadsAnyPlace) {
  const auto file = open_direct_file(path_);
  EXPECT_EQ(file->size(), text_.size());
  EXPECT_EQ(file->path(), path_);
  std::mt19937 random(7);
  for (int i = 0; i != 300; ++i) {
    const bool is_page = random() % 2 == 0;
    std::size_t offset = random() % (text_.size() + 100), bytes = random() % 30000;
    if (random() % 8 == 0) bytes = random() % text_.size();
    if (is_page) offset = offset / 4096 * 4096, bytes = bytes / 4096 * 4096;
    const std::string expected = offset < text_.size() ? text_.substr(offset, bytes) : "";
    EXPECT_TRUE(read(*file, offset, bytes, is_page ? 0 : random() % 4096) == expected) << offset << " " << bytes;
  }
}

TEST_F(DirectFileTest, LeavesNothingInThePageCache) {
  if (!reads_past_the_cache()) GTEST_SKIP() << "the file system of " << scratch_.path() << " has no direct reads";
  const FileDescriptor descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::fsync(descriptor.get()), 0);
  ASSERT_EQ(::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  EXPECT_EQ(read(*open_direct_file(path_), 5, text_.size(), 1), text_.substr(5));
  DirectWriter writer(descriptor.get());
  ASSERT_TRUE(writer.is_open());
  ASSERT_EQ(writer.write_at(8192, {reinterpret_cast<const std::uint8_t*>(text_.data()), 1000000}), 0);
  EXPECT_EQ(resident_pages(descriptor.get()), 0);
}

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// Cuts the text at random places, `mean` bytes apart on average.
std::vector<std::string_view> cut(std::string_view text, std::size_t mean, std::mt19937& random) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t bytes = std::min<std::size_t>(1 + random() % (2 * mean), text.size());
    parts.push_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return parts;
}

TEST_F(DirectFileTest, PartsOfPagesBecomeWholePagesWhateverTheirOrder) {
  std::mt19937 random(11);
  for (const std::size_t mean : {300, 5000, 70000, 900000}) {
    for (const bool is_shuffled : {false, true}) {
      const std::string path = scratch_ / "parts";
      std::ofstream(path, std::ios::binary | std::ios::trunc).flush();
      const FileDescriptor descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      DirectWriter writer(descriptor.get());
      if (!writer.is_open()) GTEST_SKIP() << "the file system of " << scratch_.path() << " has no direct writes";
      auto parts = cut(text_, mean, random);
      if (is_shuffled) std::ranges::shuffle(parts, random);
      parts.push_back(parts.front());  // once more
      std::atomic<std::size_t> next{0};
      std::vector<std::jthread> threads;
      for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&] {
          for (std::size_t at = next++; at < parts.size(); at = next++) {
            const auto offset = static_cast<std::uint64_t>(parts[at].data() - text_.data());
            EXPECT_EQ(writer.write_at(offset, bytes_of(parts[at])), 0);
          }
        });
      }
      threads.clear();
      EXPECT_EQ(writer.flush(), 0);
      std::string written(text_.size() + 1, '\0');
      ASSERT_EQ(::pread(descriptor.get(), written.data(), written.size(), 0), static_cast<ssize_t>(text_.size()));
      written.pop_back();
      EXPECT_TRUE(written == text_) << mean << " " << is_shuffled;
    }
  }
}

TEST_F(DirectFileTest, WritesInTurnLeaveOnePageInThePageCache) {
  const FileDescriptor descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  DirectWriter writer(descriptor.get());
  if (!writer.is_open()) GTEST_SKIP() << "the file system of " << scratch_.path() << " has no direct writes";
  ASSERT_EQ(::fsync(descriptor.get()), 0);
  ASSERT_EQ(::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  std::mt19937 random(3);
  for (const std::string_view part : cut(text_, 20000, random)) {
    ASSERT_EQ(writer.write_at(static_cast<std::uint64_t>(part.data() - text_.data()), bytes_of(part)), 0);
  }
  EXPECT_EQ(resident_pages(descriptor.get()), 0);
  ASSERT_EQ(writer.flush(), 0);
  EXPECT_EQ(resident_pages(descriptor.get()), 1);
}

TEST_F(DirectFileTest, TellsWhatCannotBeOpened) {
  EXPECT_THROW(static_cast<void>(open_direct_file(scratch_ / "none")), IoError);
  EXPECT_THROW(static_cast<void>(open_direct_file(scratch_.path())), IoError);
}

}  // namespace
}  // namespace spillway
