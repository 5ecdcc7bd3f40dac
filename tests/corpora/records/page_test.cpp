#include "corpora/records/page.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadSetup html_setup(std::size_t buffer_bytes = std::size_t{1} << 20) {
  return setup_of(CorpusFormat::kHtml, buffer_bytes);
}

TEST(HtmlFiles, AreDocumentsWithoutTheirMarkup) {
  const auto result = read_input("<!DOCTYPE html><title>A &amp; B</title><p>one<b>two</b><p>three");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].id, "input");
  EXPECT_EQ(result.documents[0].title, "A & B");
  EXPECT_EQ(result.documents[0].text.find('<'), std::string::npos);
  EXPECT_NE(result.documents[0].text.find("onetwo"), std::string::npos);
  EXPECT_FALSE(result.documents[0].repaired);
}

TEST(HtmlFiles, AreRecognisedByTheirFirstBytes) {
  for (const char* const start : {"<!doctype HTML PUBLIC>", " \n<html lang=en>", "\xEF\xBB\xBF<HTML>",
                                  "<?xml version=\"1.0\"?>\n<!DOCTYPE html>"}) {
    const auto result = read_input(std::string(start) + "<title>t</title>word");
    ASSERT_EQ(result.documents.size(), 1u);
    EXPECT_EQ(result.documents[0].title, "t") << start;
  }
  EXPECT_FALSE(read_input("<p>a text with a tag").documents.at(0).has_title);
  EXPECT_EQ(read_input("<p>a text with a tag").documents.at(0).text, "<p>a text with a tag");
}

TEST(HtmlFiles, AreReadInTheirEncodings) {
  const auto latin = read_input("<html><meta charset=iso-8859-1>caf\xE9", html_setup());
  EXPECT_NE(latin.documents.at(0).text.find("caf\xC3\xA9"), std::string::npos);
  const std::string wide("\xFF\xFE<\0p\0>\0a\0\xE9\0", 12);
  EXPECT_NE(read_input(wide, html_setup()).documents.at(0).text.find("a\xC3\xA9"), std::string::npos);
}

TEST(HtmlFiles, AreTheSameInAnyBufferAndPacking) {
  std::string html = "<html><title>long</title>";
  for (int i = 0; i < 3000; ++i) html += "<p class=x>word" + std::to_string(i) + " &eacute; &#x4E2D;</p>\n";
  const auto expected = read_input(html);
  ASSERT_EQ(expected.documents.size(), 1u);
  for (const std::size_t buffer : {64u, 1000u, 100'000u}) {
    expect_same_documents(read_input(html, html_setup(buffer)), expected);
    expect_same_documents(read_input(gzip_member(html), html_setup(buffer)), expected);
    expect_same_documents(read_input(zstd_frame(html), html_setup(buffer)), expected);
  }
}

TEST(HtmlFiles, AreSkippedIfTheyAreBinaryOrTooLong) {
  EXPECT_EQ(read_input(std::string("a\0b", 3), html_setup()).reasons(), std::vector{SkipReason::kBinary});
  EXPECT_EQ(read_input("%PDF-1.4", html_setup()).reasons(), std::vector{SkipReason::kBinary});
  EXPECT_TRUE(read_input("", html_setup()).documents.empty());
  ReadSetup setup = html_setup();
  setup.options.max_document_bytes = 10;
  EXPECT_EQ(read_input("<p>more than ten bytes", setup).reasons(), std::vector{SkipReason::kDocumentTooLong});
  EXPECT_EQ(read_input("<p class='more than ten'>no", setup).documents.size(), 1u);
  EXPECT_EQ(read_input(std::string(3u << 20, ' '), setup).reasons(), std::vector{SkipReason::kDocumentTooLong});
}

TEST(HtmlFiles, StandInDirectoriesBesideOthers) {
  const ScratchDirectory directory;
  std::filesystem::create_directory(directory / "pages");
  write_input(directory / "pages/a.html", "<html><p>one");
  write_input(directory / "pages/b.txt", "two");
  write_input(directory / "pages/c.jsonl", "{\"id\":\"c\",\"text\":\"three\"}\n");
  EXPECT_EQ(read_corpus({directory / "pages"}).ids(), (std::vector<std::string>{"a.html", "b.txt", "c"}));
}

}  // namespace
}  // namespace spillway
