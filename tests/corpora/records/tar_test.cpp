// Tar files: their members are read as files of a directory are, whatever happened to the file.
#include "corpora/records/tar.hpp"

#include <algorithm>
#include <filesystem>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/tar/tar_files.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Ids = std::vector<std::string>;

std::string page(int number) {
  return "<!doctype html><title>Page " + std::to_string(number) + "</title><p>text of page " + std::to_string(number) +
         std::string(static_cast<std::size_t>(number % 7) * 300, 'x');
}

std::string name(int number) { return "site/page" + std::to_string(number) + ".html"; }

std::string crawl(int count) {
  std::string bytes = tar_member("site/", "", '5');
  for (int i = 0; i < count; ++i) bytes += tar_member(name(i), page(i));
  return bytes + tar_end();
}

TEST(Tar, HasTheDocumentsOfTheDirectory) {
  const std::filesystem::path directory = shared_directory() / "tree";
  std::filesystem::create_directories(directory / "site");
  for (int i = 0; i < 10; ++i) write_input(directory / name(i), page(i));
  const auto expected = read_corpus({directory}, setup_of(CorpusFormat::kHtml));
  for (const CorpusFormat format : {CorpusFormat::kAuto, CorpusFormat::kHtml, CorpusFormat::kTar}) {
    auto found = read_input(crawl(10), setup_of(format));
    EXPECT_TRUE(found.skips.empty());
    ASSERT_EQ(found.documents.size(), expected.documents.size());
    for (std::size_t i = 0; i < expected.documents.size(); ++i) {
      EXPECT_EQ(found.documents[i].offset, std::string_view(crawl(10)).find(expected.documents[i].id + '\0'));
      found.documents[i].offset = expected.documents[i].offset;
      found.documents[i].path = expected.documents[i].path;
      EXPECT_EQ(found.documents[i], expected.documents[i]);
    }
  }
}

TEST(Tar, OfCacmHasAllDocuments) {
  const std::string corpora = SPILLWAY_CORPORA_OR_SKIP();
  const auto found = read_corpus({corpora + "/retrieval/cacm/cacm_html.tar.gz"});
  ASSERT_EQ(found.documents.size(), 3204u);
  EXPECT_TRUE(found.skips.empty());
  EXPECT_EQ(found.documents[0].id, "CACM-0001.html");
  EXPECT_NE(found.documents[0].text.find("Preliminary Report-International Algebraic Language"), std::string::npos);
}

TEST(Tar, IsTheSamePackedAndInAnyBuffers) {
  const std::string tar = crawl(300);
  const auto expected = read_input(tar);
  ASSERT_EQ(expected.documents.size(), 300u);
  for (const std::string& bytes : {tar, gzip_member(tar), zstd_frame(tar)}) {
    for (const std::size_t buffer : {64, 600, 4096, 1 << 20}) {
      for (const unsigned threads : {1, 3}) {
        expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kAuto, buffer, threads)), expected);
      }
    }
  }
}

TEST(Tar, TakesTypesFromNamesAndContent) {
  const std::string tar =
      tar_member("a.htm", "<b>bold") + tar_member("b.txt", "<b>plain") + tar_member("c.css", "p { color: red }") +
      tar_member("d.png", std::string("\x89PNG\r\n\0", 7)) + tar_member("e", "<!DOCTYPE html><i>page") +
      tar_member("f", "words") + tar_member("g.HTML", std::string("\0\0", 2)) +
      tar_member("h.html", "<meta charset=iso-8859-2>\xB1") + tar_end();
  const auto found = read_input(tar);
  EXPECT_EQ(found.ids(), (Ids{"a.htm", "b.txt", "e", "f", "h.html"}));
  EXPECT_EQ(found.texts(), (Ids{"bold", "<b>plain", "page", "words", "\u0105"}));
  EXPECT_EQ(found.reasons(), std::vector(3, SkipReason::kMediaType));
  ReadSetup html_only = setup_of(CorpusFormat::kAuto);
  html_only.options.crawl.text = false;
  EXPECT_EQ(read_input(tar, html_only).ids(), (Ids{"a.htm", "e", "h.html"}));
  EXPECT_EQ(read_input(tar, setup_of(CorpusFormat::kHtml)).ids(), (Ids{"a.htm", "b.txt", "c.css", "e", "f", "h.html"}));
}

TEST(Tar, SkipsWhatADirectoryWouldLeaveOut) {
  const auto found =
      read_input(tar_member("hard.html", "", '1') + tar_member("soft.html", "", '2') + tar_member("pipe", "", '6') +
                 tar_member("empty.html", "") + tar_member("site/._page.html", "x") + tar_member("./.git/config", "x") +
                 tar_member("holes.html", "x", 'S') + tar_member("rest.html", "x", 'M') + tar_member("label", "", 'V') +
                 tar_member("", "nameless") + tar_end());
  EXPECT_TRUE(found.documents.empty());
  using enum SkipReason;
  EXPECT_EQ(found.reasons(), (std::vector{kRecordType, kRecordType, kRecordType, kRecordType, kRecordType,
                                          kContentCoding, kContentCoding, kMissingId}));
}

TEST(Tar, NamesAreOnlyNames) {
  const std::string long_name = std::string(300, 'n') + ".html";
  const auto found = read_input(
      tar_member("../../etc/passwd.html", "<p>a") + tar_member("/abs.html", "<p>b") + tar_member("./c.html", "<p>c") +
      tar_member(".//./d.html", "<p>d") + tar_member("caf\xE9.html", "<p>e") +
      tar_member("x", pax_line("path", "\u00e9\u20ac.html"), 'x') + tar_member("short", "<p>f") +
      tar_member("././@LongLink", long_name + '\0', 'L') + tar_member("cut", "<p>g") +
      tar_member("x", pax_line("path", std::string(70000, 'p')), 'x') + tar_member("p", "<p>h") + tar_end());
  EXPECT_EQ(found.ids(), (Ids{"../../etc/passwd.html", "/abs.html", "c.html", "d.html", "caf\uFFFD.html",
                              "\u00e9\u20ac.html", long_name}));
  EXPECT_TRUE(found.documents[4].repaired);
  EXPECT_EQ(found.reasons(), std::vector{SkipReason::kIdTooLong});
}

TEST(Tar, SkipsDocumentsThatAreTooLong) {
  ReadSetup small = setup_of(CorpusFormat::kAuto, 4096);
  small.options.max_document_bytes = 1000;
  const auto found =
      read_input(tar_member("a.html", "<p>" + std::string(1001, 'a')) +
                     tar_member("b.html", std::string(3 << 20, 'b')) + tar_member("c.html", "<p>c") + tar_end(),
                 small);
  EXPECT_EQ(found.ids(), Ids{"c.html"});
  EXPECT_EQ(found.reasons(), std::vector(2, SkipReason::kDocumentTooLong));
}

TEST(Tar, LosesOnlyTheMemberWithADamagedHeader) {
  const std::string tar = crawl(20);
  const std::size_t at = tar.find(name(9));
  for (const std::size_t field : {0, 100, 124, 148, 156, 257, 400}) {
    std::string changed = tar;
    changed[at + field] = static_cast<char>(changed[at + field] ^ 2);
    const auto found = read_input(changed);
    EXPECT_EQ(found.documents.size(), 19u) << field;
    ASSERT_EQ(found.reasons(), std::vector{SkipReason::kBadRecordHeader}) << field;
    EXPECT_EQ(found.skips[0].offset, at);
  }
}

TEST(Tar, WithASizeBeyondTheEndLosesOneMember) {
  const std::string tar = crawl(20);
  const std::size_t at = tar.find(name(9));
  for (const char* const size : {"00001000000", "77777777777", "\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"}) {
    std::string header = tar.substr(at, kTarBlockBytes);
    header.replace(124, 12, std::string(size, 12));
    std::string changed = tar;
    changed.replace(at, kTarBlockBytes, with_checksum(header));
    const auto found = read_input(changed);
    EXPECT_EQ(found.documents.size(), 19u);
    ASSERT_EQ(found.reasons(), std::vector{SkipReason::kBadRecordLength});
    EXPECT_EQ(found.skips[0].offset, at);
  }
}

TEST(Tar, CutAnywhereKeepsWhatIsWhole) {
  const std::string tar = crawl(6);
  for (std::size_t kept = 512; kept < tar.size(); kept += 97) {
    const std::string cut = tar.substr(0, kept);
    const auto found = read_input(cut);
    const std::size_t members = found.documents.size() + found.skips.size();
    EXPECT_LE(found.skips.size(), 1u);
    const bool is_reported = !found.skips.empty() || (members > 0 && found.documents.back().repaired);
    EXPECT_TRUE(is_reported || members == 0 || members == 6) << kept;
    EXPECT_GE(members * 3000, kept < 1024 ? 0 : kept - 1024) << kept;
  }
}

TEST(Tar, LosesWhatADamagedGzipMemberHeld) {
  std::string damaged;
  for (int i = 0; i < 10; ++i) {
    std::string member = gzip_member(tar_member(name(i), page(i)));
    if (i == 4) member[member.size() / 2] = static_cast<char>(member[member.size() / 2] ^ 0x55);
    damaged += member;
  }
  const auto found = read_input(damaged + gzip_member(tar_end()));
  EXPECT_EQ(found.documents.size(), 9u);
  EXPECT_EQ(found.reasons(), std::vector{SkipReason::kGzipCorrupt});
  const std::string whole = gzip_member(crawl(100));
  const auto cut = read_input(whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.reasons(), std::vector{SkipReason::kGzipTruncated});
}

TEST(Tar, WithAnyByteChangedIsReadOrReported) {
  const std::string tar = tar_member("x", pax_line("path", "site/a.html"), 'x') + tar_member("a", page(0)) +
                          tar_member("site/b.html", page(1)) + tar_end();
  for (std::size_t at = 0; at < tar.size(); at += 7) {
    std::string changed = tar;
    changed[at] = static_cast<char>(changed[at] ^ 0x5A);
    const auto found = read_input(changed, setup_of(CorpusFormat::kTar));
    EXPECT_GE(found.documents.size() + found.skips.size(), 2u) << at;
  }
}

}  // namespace
}  // namespace spillway
