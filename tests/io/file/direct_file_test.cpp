#include "io/file/direct_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <random>
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
  void* const pages = ::mmap(nullptr, text_.size(), PROT_READ, MAP_SHARED, descriptor.get(), 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::vector<unsigned char> resident((text_.size() + 4095) / 4096);
  ASSERT_EQ(::mincore(pages, text_.size(), resident.data()), 0);
  ::munmap(pages, text_.size());
  // The last page of the write is not full.
  EXPECT_LE(std::count_if(resident.begin(), resident.end(), [](unsigned char page) { return (page & 1) != 0; }), 16);
}

TEST_F(DirectFileTest, TellsWhatCannotBeOpened) {
  EXPECT_THROW(static_cast<void>(open_direct_file(scratch_ / "none")), IoError);
  EXPECT_THROW(static_cast<void>(open_direct_file(scratch_.path())), IoError);
}

}  // namespace
}  // namespace spillway
