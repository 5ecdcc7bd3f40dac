// Headers of tar files: what libarchive writes in any of its formats is read back.
#include "corpora/tar/header.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "tests/corpora/tar/tar_files.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Type = TarHeader::Type;
using State = TarHeaderReader::State;

TarHeaderReader read(const std::string& bytes, std::size_t step = 512) {
  TarHeaderReader reader;
  reader.reset();
  for (std::size_t at = 0; at < bytes.size(); at += step) reader.feed(std::string_view(bytes).substr(at, step));
  return reader;
}

// One empty file of this name and size, as libarchive writes its header.
std::string by_libarchive(int (*format)(archive*), const std::string& name, std::int64_t size) {
  std::string bytes(1 << 16, '\0');
  std::size_t used = 0;
  archive* const made = archive_write_new();
  format(made);
  archive_write_set_bytes_in_last_block(made, 1);
  archive_write_open_memory(made, bytes.data(), bytes.size(), &used);
  archive_entry* const entry = archive_entry_new();
  archive_entry_copy_pathname(entry, name.c_str());
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_size(entry, size);
  const int status = archive_write_header(made, entry);
  archive_entry_free(entry);
  archive_write_free(made);
  return status == ARCHIVE_OK || status == ARCHIVE_WARN ? bytes.substr(0, used) : std::string();
}

TEST(TarHeader, OfLibarchiveIsReadBack) {
  const std::string long_name = std::string(60, 'd') + "/" + std::string(90, 'f') + ".html";
  const std::string longer_name = std::string(300, 'd') + "/" + std::string(200, 'f') + ".html";
  for (const auto format :
       {archive_write_set_format_v7tar, archive_write_set_format_ustar, archive_write_set_format_pax,
        archive_write_set_format_pax_restricted, archive_write_set_format_gnutar}) {
    for (const std::string& name : {std::string("a.html"), std::string(100, 'n'), long_name, longer_name}) {
      for (const std::int64_t size :
           {std::int64_t{0}, std::int64_t{513}, std::int64_t{1} << 33, std::int64_t{1} << 40}) {
        const std::string bytes = by_libarchive(format, name, size);
        if (bytes.empty()) continue;  // this format cannot say that
        ASSERT_TRUE(is_tar_header(bytes));
        EXPECT_TRUE(is_tar_start(bytes));
        for (const std::size_t step : {1, 100, 512}) {
          const TarHeaderReader found = read(bytes, step);
          ASSERT_EQ(found.state(), State::kWhole);
          EXPECT_EQ(found.header().name, name);
          EXPECT_EQ(found.header().stored_bytes, static_cast<std::uint64_t>(size));
          EXPECT_EQ(found.header().type, Type::kFile);
          EXPECT_FALSE(found.header().is_repaired);
        }
      }
    }
  }
}

TEST(TarHeader, KnowsTypes) {
  const std::pair<char, Type> types[] = {{'\0', Type::kFile},     {'0', Type::kFile},      {'7', Type::kFile},
                                         {'Z', Type::kFile},      {'1', Type::kHardLink},  {'2', Type::kSymbolicLink},
                                         {'3', Type::kDevice},    {'5', Type::kDirectory}, {'6', Type::kDevice},
                                         {'D', Type::kDirectory}, {'M', Type::kPart},      {'S', Type::kSparse},
                                         {'V', Type::kVolume},    {'g', Type::kVolume}};
  for (const auto& [type, expected] : types) EXPECT_EQ(read(tar_header("n", 5, type)).header().type, expected) << type;
  EXPECT_EQ(read(tar_header("n/", 0, '\0')).header().type, Type::kDirectory);
  EXPECT_EQ(read(tar_header("n", 5, '2')).header().stored_bytes, 0u);
  EXPECT_EQ(read(tar_header("n", 5, '1')).header().stored_bytes, 5u);
}

TEST(TarHeader, RefusesSizesThatAreNone) {
  for (const std::string size :
       {"-0000000001", "0000000009x", "12345x78901", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        "\x80\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"}) {
    std::string header = tar_header("n", 0);
    header.replace(124, size.size(), size);
    EXPECT_EQ(read(with_checksum(header)).state(), State::kBad) << size;
  }
}

TEST(TarHeader, NeedsTheRightChecksum) {
  const std::string header = tar_header("page.html", 100);
  EXPECT_TRUE(is_tar_header(header));
  for (std::size_t at = 0; at < header.size(); ++at) {
    if (at == 155) continue;  // after the checksum's end
    std::string changed = header;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(is_tar_header(changed)) << at;
  }
  EXPECT_FALSE(is_tar_header(std::string(kTarBlockBytes, '\0')));
  EXPECT_FALSE(is_tar_header(std::string(kTarBlockBytes, ' ')));
}

TEST(TarHeader, IsFoundAnywhere) {
  const std::string header = tar_header("page.html", 100);
  std::string v7 = header;
  v7.replace(257, 8, 8, '\0');
  v7 = with_checksum(v7);
  EXPECT_EQ(find_tar_header("junk ustar" + header, 0), 10u);
  EXPECT_EQ(find_tar_header(std::string(512, 'j') + v7, 0), 512u);
  EXPECT_EQ(find_tar_header(std::string(512, 'j') + v7, 500), std::string::npos);
  EXPECT_EQ(find_tar_header(std::string(500, 'j') + v7, 500), 500u);
  EXPECT_EQ(find_tar_header(header.substr(0, 511), 0), std::string::npos);
}

TEST(TarStart, IsNotThatOfText) {
  EXPECT_FALSE(is_tar_start("<html>"));
  EXPECT_FALSE(is_tar_start(std::string(257, 'a') + "ustar is a format" + std::string(500, 'b')));
  std::string damaged = tar_header("page.html", 5);
  damaged[0] = 'q';
  EXPECT_TRUE(is_tar_start(damaged));
}

}  // namespace
}  // namespace spillway
