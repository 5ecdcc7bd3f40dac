#include "corpora/records/warc.hpp"

#include <gtest/gtest.h>

#include "corpora/warc/date.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/warc_samples.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Reasons = std::vector<SkipReason>;
using Texts = std::vector<std::string>;

TEST(WarcParser, AResponseIsADocument) {
  const auto result = read_input(archived("warcinfo", "w", "software: x\r\n") +
                                 archived_page("a", "<title>The title</title><p>One<p>two <b>th</b>ree"));
  ASSERT_EQ(result.documents.size(), 1u);
  const auto& document = result.documents[0];
  EXPECT_EQ(document.id, "a");
  EXPECT_EQ(document.title, "The title");
  EXPECT_EQ(document.url, "http://example.com/a");
  EXPECT_EQ(document.date, "2024-01-02T03:04:05Z");
  EXPECT_EQ(document.text, "One\ntwo three");
  EXPECT_FALSE(document.repaired);
  EXPECT_EQ(result.reasons(), Reasons{SkipReason::kRecordType});
}

TEST(WarcParser, ReadsTextsOfWetFiles) {
  const auto result = read_input(archived_text("a", "one <b> two\n") + archived_text("b", ""));
  EXPECT_EQ(result.texts(), Texts{"one <b> two\n"});
  EXPECT_EQ(result.reasons(), Reasons{SkipReason::kEmptyPage});
}

TEST(WarcParser, EveryOtherRecordHasAReason) {
  const std::string file =
      archived("request", "1", "GET / HTTP/1.1\r\n\r\n") + archived("revisit", "2", "HTTP/1.1 200 OK\r\n\r\n") +
      archived_page("3", "gone", "", "404 Not Found") + archived_page("4", "x", "Content-Type: image/png\r\n") +
      archived_page("5", "") + archived_page("6", "x", "Content-Encoding: lzma\r\n") +
      archived_page("7", std::string("%PDF-1.4\0", 9)) + archived("metadata", "8", "a: b\r\n") + "junk\r\n\r\n" +
      archived_text("9", "kept");
  const auto result = read_input(file);
  EXPECT_EQ(result.texts(), Texts{"kept"});
  EXPECT_EQ(result.reasons(), (Reasons{SkipReason::kRecordType, SkipReason::kRevisit, SkipReason::kHttpStatus,
                                       SkipReason::kMediaType, SkipReason::kEmptyPage, SkipReason::kContentCoding,
                                       SkipReason::kMediaType, SkipReason::kRecordType, SkipReason::kOutsideRecord}));
}

TEST(WarcParser, TypesAndStatusesAreOptions) {
  ReadSetup setup;
  setup.options.crawl.types = CrawlOptions::bit(WarcType::kMetadata) | CrawlOptions::bit(WarcType::kResponse);
  setup.options.crawl.statuses = {404};
  const auto result = read_input(archived("metadata", "m", "{\"a\": 1}", "Content-Type: application/json\r\n") +
                                     archived_page("3", "gone", "", "404 Not Found") + archived_text("t", "text"),
                                 setup);
  EXPECT_EQ(result.texts(), (Texts{"{\"a\": 1}", "gone"}));
}

TEST(WarcParser, LeavesOutRecordsFromBeforeADate) {
  ReadSetup setup;
  setup.options.crawl.since = parse_crawl_date("2024-01-02T03:04:05Z");
  std::string older = archived_page("b", "older");
  older.replace(older.find("2024-01-02T03:04:05Z"), 20, "2024-01-02T03:04:04Z");
  std::string undated = archived_page("c", "undated");
  undated.replace(undated.find("2024-01-02T03:04:05Z"), 20, "yesterday, at lunch.");
  const std::string arc =
      "http://example.com/d 93.184.216.119 20140216050221 text/plain 4\nold!\n"
      "http://example.com/e 93.184.216.119 20240216050221 text/plain 4\nnew!\n";
  const auto result = read_input(archived_page("a", "as old") + older + undated, setup);
  EXPECT_EQ(result.texts(), (Texts{"as old", "undated"}));
  EXPECT_EQ(result.reasons(), Reasons{SkipReason::kBeforeSince});
  const auto of_arc = read_input("filedesc://x.arc 0.0.0.0 20080430204825 text/plain 8\n1 1 Name\n\n" + arc, setup);
  EXPECT_EQ(of_arc.texts(), Texts{"new!"});
  EXPECT_TRUE(is_unasked(SkipReason::kBeforeSince));
}

TEST(WarcParser, UndoesChunksAndCodings) {
  const std::string page = "<p>packed text</p>";
  const auto result =
      read_input(archived_page("a", gzip_member(page), "Content-Encoding: gzip\r\n") +
                 archived_page("b", "9\r\n<p>packed\r\n9\r\n text</p>\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n") +
                 archived_page("c", page, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(result.texts(), Texts(3, "packed text"));
  EXPECT_FALSE(result.documents[0].repaired);
  EXPECT_TRUE(result.documents[2].repaired) << "what the head says is not so";
}

TEST(WarcParser, ReadsResponsesWithoutAHead) {
  const auto result =
      read_input(archived("response", "a", "<!DOCTYPE html><p>page", "Content-Type: application/http\r\n") +
                 archived("response", "b", "dns answer", "Content-Type: text/dns\r\n"));
  EXPECT_EQ(result.texts(), Texts{"page"});
  EXPECT_EQ(result.reasons(), Reasons{SkipReason::kMediaType});
}

TEST(WarcParser, GoesPastInterimHeads) {
  const auto interim = [](const std::string& id, const std::string& heads) {
    return archived("response", id, heads, "Content-Type: application/http; msgtype=response\r\n");
  };
  const std::string final_head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
                    more = "HTTP/1.1 100 Continue\r\n\r\n";
  std::string many;
  for (int i = 0; i < 9; ++i) many += more;
  const auto result = read_input(interim("a", more + final_head + "one") +
                                 interim("b", more + "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" + final_head + "two") +
                                 interim("c", more + "no head") + interim("d", many + final_head) +
                                 interim("e", "HTTP/1.1 101 Switching Protocols\r\n\r\n" + final_head + "x") +
                                 interim("f", "\r\n" + final_head + "three"));
  EXPECT_EQ(result.texts(), (Texts{"one", "two", "three"}));
  EXPECT_EQ(result.reasons(), Reasons(3, SkipReason::kHttpStatus));
}

TEST(WarcParser, AnEncodingNamedAsACodingIsNoCoding) {
  const auto result = read_input(archived_page("a", "<p>one", "Content-Encoding: iso-8859-1\r\n") +
                                 archived_page("b", "\r\n <!-- c -->two", "Content-Encoding: text/html\r\n") +
                                 archived_page("c", "three", "Content-Encoding: lzma\r\n"));
  EXPECT_EQ(result.texts(), (Texts{"one", "two"}));
  EXPECT_TRUE(result.documents.at(0).repaired);
  EXPECT_EQ(result.reasons(), Reasons{SkipReason::kContentCoding});
}

TEST(WarcParser, NulBytesDoNotHideHtml) {
  using namespace std::string_literals;
  const std::string html = "Content-Type: text/html\r\n", vague = "Content-Type: application/octet-stream\r\n";
  const auto result = read_input(archived_page("a", "\r\n<div>o\0ne"s) + archived_page("b", "o\0ne"s) +
                                 archived_page("c", "<div>o\0ne"s, vague));
  EXPECT_EQ(result.texts(), Texts{"one"});
  EXPECT_EQ(result.reasons(), Reasons(2, SkipReason::kMediaType));
}

TEST(WarcParser, ReadsUtf16WithoutAMark) {
  const auto wide = [](std::string_view ascii, bool is_big_endian) {
    std::string bytes;
    for (const char c : ascii) bytes.append(is_big_endian ? std::string{'\0', c} : std::string{c, '\0'});
    return bytes;
  };
  const auto typed = [](const std::string& type) { return "Content-Type: " + type + "\r\n"; };
  const std::string umlaut("\xFC\0", 2);
  const auto result =
      read_input(archived_page("a", wide("<head><title>T</title>one", false), typed("text/html")) +
                 archived_page("b", wide("<!doctype html>two", true), typed("image/png")) +
                 archived_page("c", umlaut + wide("<p>x", false), typed("text/html; charset=utf-16le")) +
                 archived_page("d", wide("plain <p>", true), typed("text/plain")));
  EXPECT_EQ(result.texts(), (Texts{"one", "two", "\xC3\xBC\nx", "plain <p>"}));
  EXPECT_EQ(result.documents.at(0).title, "T");
}

TEST(WarcParser, SniffsWhereTheTypeLies) {
  const auto result = read_input(archived_page("a", "<!doctype html><p>one", "Content-Type: image/jpeg\r\n") +
                                 archived_page("b", "<html><p>two", "Content-Type: text/plain\r\n") +
                                 archived_page("c", "three", "Content-Type: application/octet-stream\r\n"));
  EXPECT_EQ(result.texts(), (Texts{"one", "two", "three"}));
}

TEST(WarcParser, ReadsArcs) {
  const std::string page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page";
  const auto result = read_input(
      "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 8\n1 1 Name\n\n"
      "http://example.com/a 93.184.216.119 20140216050221 text/html " +
      std::to_string(page.size()) + "\n" + page + "\n");
  EXPECT_EQ(result.texts(), Texts{"page"});
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"20140216050221/http://example.com/a"}));
}

// What is read a second time, and line ends between records, count once.
TEST(WarcParser, OffsetsAreRightAfterJunkAndWrongLengths) {
  std::string file = archived_text("a", "kept");
  for (int i = 0; i < 20; ++i) {
    file += "junk" + archived_text("b", "text");
    std::string lying = archived_text("c", "12345");
    file += lying.replace(lying.find("Length: 5"), 9, "Length: 2") + archived_text("d", "text") + "\r\n\r\n\n\n";
  }
  const std::size_t last = file.size();
  file += "junk" + archived_text("e", "end");
  for (const std::size_t buffer_bytes : {64, 300, 1 << 20}) {
    const auto result = read_input(file, setup_of(CorpusFormat::kWarc, buffer_bytes));
    ASSERT_EQ(result.skips.size(), 41u);
    EXPECT_EQ(result.skips[0].offset, file.find("junk"));
    EXPECT_EQ(result.skips[1].offset, file.find("WARC/1.0", file.find("<c>") - 60));
    EXPECT_EQ(result.skips[40].offset, last);
  }
}

TEST(WarcParser, ABombIsTooLong) {
  ReadSetup setup;
  setup.options.max_document_bytes = 1 << 20;
  const auto result = read_input(
      archived_page("a", gzip_member(std::string(8 << 20, 'x')), "Content-Encoding: gzip\r\n") +
          archived_page("b", std::string((1 << 20) + 1, 'x')) + archived_page("c", std::string(1 << 20, 'x')),
      setup);
  EXPECT_EQ(result.reasons(), Reasons(2, SkipReason::kDocumentTooLong));
  EXPECT_EQ(result.documents.size(), 1u);
}

std::string long_file() {
  std::string file = archived("warcinfo", "w", "x");
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int word = 0; word < i * 40; ++word) text += "word" + std::to_string(word * i) + " ";
    file += archived_page("page" + std::to_string(i), "<title>t" + std::to_string(i) + "</title><p>" + text + "<p>end");
    file += archived("request", "request" + std::to_string(i), text);
  }
  return file;
}

TEST(WarcParser, EveryWayToReadGivesTheSame) {
  const std::string file = long_file();
  const auto expected = read_input(file);
  EXPECT_EQ(expected.documents.size(), 40u);
  for (const std::size_t buffer : {64, 500, 5000, 100000}) {
    expect_same_documents(read_input(file, setup_of(CorpusFormat::kAuto, buffer, 3, 1000)), expected);
  }
  expect_same_documents(read_input(gzip_member(file), setup_of(CorpusFormat::kAuto, 4096, 3)), expected);
  expect_same_documents(read_input(zstd_frame(file), setup_of(CorpusFormat::kWarc, 4096, 2)), expected);
}

TEST(WarcParser, DamageIsReadTheSameWithEveryBuffer) {
  std::string file = long_file();
  for (std::size_t at = 3000; at < file.size(); at += 9001) file[at] = '\0';
  const std::string length = "Content-Length: ";
  for (std::size_t at = file.find(length, 20000); at < file.size(); at = file.find(length, at + 30000)) {
    file[at + length.size()] = '7';
  }
  file.erase(100000, 500);
  const auto expected = read_input(file);
  EXPECT_GT(expected.documents.size(), 10u);
  EXPECT_GT(expected.skips.size(), 41u);
  for (const std::size_t buffer : {64, 500, 5000}) {
    expect_same_documents(read_input(file, setup_of(CorpusFormat::kWarc, buffer, 2)), expected);
  }
}

// Members of a record each: a fault costs the records of its member, and says which.
TEST(WarcParser, AFaultOfTheContainerCostsTheRecordThatItHits) {
  std::string file;
  std::vector<std::size_t> ends;
  for (int i = 0; i < 5; ++i) {
    file += gzip_member(archived_page("page" + std::to_string(i), "<p>page number " + std::to_string(i)));
    ends.push_back(file.size());
  }
  for (std::size_t at = ends[1] + 10; at < ends[2] - 8; ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto result = read_input(damaged);
    EXPECT_EQ(result.ids(), (std::vector<std::string>{"page0", "page1", "page3", "page4"})) << at;
    EXPECT_EQ(result.reasons(), Reasons{SkipReason::kGzipCorrupt}) << at;
  }
  const auto cut = read_input(file.substr(0, file.size() - 40));
  EXPECT_EQ(cut.documents.size(), 4u);
  EXPECT_EQ(cut.reasons(), Reasons{SkipReason::kGzipTruncated});
}

// All records are documents or skipped, whatever byte changes: at most one record is lost.
TEST(WarcParser, EveryByteAndEveryCutIsAccountedFor) {
  const std::string file = archived("warcinfo", "w", "x: y\r\n") + archived_page("a", "<p>alpha") +
                           archived_text("b", "beta") + archived_page("c", "<p>gamma");
  const std::size_t records = 4;
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    const auto result = read_input(changed, setup_of(CorpusFormat::kWarc, 4096));
    EXPECT_GE(result.documents.size() + result.skips.size(), records) << at;
    EXPECT_GE(result.documents.size(), 2u) << at;
    const auto cut = read_input(file.substr(0, at), setup_of(CorpusFormat::kWarc, 4096));
    EXPECT_LE(cut.documents.size() + cut.skips.size(), records) << at;
  }
}

}  // namespace
}  // namespace spillway
