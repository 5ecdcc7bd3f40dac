#include "corpora/warc/framer.hpp"

#include <gtest/gtest.h>

#include "tests/corpora/warc/memory_pieces.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;
using Kind = WarcPiece::Kind;
using Kinds = std::vector<Kind>;
using Ids = std::vector<std::string>;

const std::string kText = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>some text\r\n\r\nand more</p>\n";

TEST(WarcFramer, ReadsRecordsOneAfterTheOther) {
  const auto found = find_pieces(warc_record("a", kText) + warc_record("b", "") + warc_record("c", "x\r\n\r\n"));
  ASSERT_EQ(kinds_of(found), Kinds(3, Kind::kRecord));
  EXPECT_EQ(whole_ids(found), (Ids{"a", "b", "c"}));
  EXPECT_EQ(found[0].block, kText);
  EXPECT_EQ(found[1].block, "");
  EXPECT_EQ(found[2].block, "x\r\n\r\n");
  EXPECT_EQ(found[1].offset, warc_record("a", kText).size());
}

TEST(WarcFramer, DoesNotDependOnPieces) {
  const std::string file = warc_record("a", kText) + lying_record("b", kText, "20") + "junk\n" +
                           warc_record("c", kText) + lying_record("d", kText, "x") + warc_record("e", kText) +
                           lying_record("f", kText, "400") + warc_record("g", "1");
  const auto expected = find_pieces(file);
  EXPECT_EQ(whole_ids(expected), (Ids{"a", "c", "e", "g"}));
  for (const std::size_t step : {1, 2, 7, 100}) {
    const auto found = find_pieces(file, {step});
    ASSERT_EQ(kinds_of(found), kinds_of(expected)) << step;
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].block, expected[i].block);
  }
}

TEST(WarcFramer, TakesARecordThatHoldsAnArchiveAsOne) {
  const std::string inner = warc_record("x", kText) + warc_record("y", kText);
  const auto found = find_pieces(warc_record("a", inner) + warc_record("b", kText));
  EXPECT_EQ(whole_ids(found), (Ids{"a", "b"}));
  EXPECT_EQ(found[0].block, inner);
}

TEST(WarcFramer, CorrectsLengthsThatAreWrongByOneOrTwo) {
  const std::string block = "some text without an end";
  for (const std::size_t length : {block.size() - 2, block.size() - 1, block.size() + 1, block.size() + 2}) {
    const auto found =
        find_pieces(lying_record("a", block, std::to_string(length)) + warc_record("b", kText), {1 << 16});
    EXPECT_EQ(whole_ids(found), (Ids{"a", "b"})) << length;
    EXPECT_TRUE(std::string_view(found[0].block).starts_with(block)) << found[0].block;
  }
  const auto found = find_pieces(lying_record("a", block, std::to_string(block.size() + 6)) + warc_record("b", kText));
  EXPECT_EQ(kinds_of(found), (Kinds{Kind::kCorrected, Kind::kRecord}));
}

TEST(WarcFramer, LosesOnlyTheRecordWithAWrongLength) {
  for (const char* const length : {"0", "10", "200", "300", "1000000", "99999999999"}) {
    const auto found = find_pieces(warc_record("a", kText) + lying_record("b", kText, length) +
                                   warc_record("c", kText) + warc_record("d", kText));
    EXPECT_EQ(kinds_of(found), (Kinds{Kind::kRecord, Kind::kWrongLength, Kind::kRecord, Kind::kRecord})) << length;
    EXPECT_EQ(whole_ids(found), (Ids{"a", "c", "d"}));
    EXPECT_EQ(found[1].header.record_id, "b");
  }
}

TEST(WarcFramer, ARecordWithoutALengthEndsAtTheNext) {
  for (const char* const length : {"", "-1", "abc", "12 34", "99999999999999999999", "0x10", "+4"}) {
    const auto found = find_pieces(lying_record("a", kText, length) + warc_record("b", kText));
    EXPECT_EQ(kinds_of(found), (Kinds{Kind::kNoLength, Kind::kRecord})) << length;
  }
}

TEST(WarcFramer, JunkBetweenRecordsCountsOnce) {
  for (const std::string& junk : {std::string(70000, '\0'), std::string("\r\nnoise\n\n"), std::string(200000, 'x'),
                                  std::string("WARC/1.0 is a format\r\nWARC/1.0\r\nsaid he")}) {
    const auto found = find_pieces(warc_record("a", kText) + junk + warc_record("b", kText));
    EXPECT_EQ(kinds_of(found), (Kinds{Kind::kRecord, Kind::kJunk, Kind::kRecord})) << junk.size();
  }
}

TEST(WarcFramer, ACutRecordIsTheLast) {
  const std::string file = warc_record("a", kText) + warc_record("b", kText);
  for (std::size_t size = warc_record("a", kText).size() + 1; size < file.size() - 4; ++size) {
    const auto found = find_pieces(file.substr(0, size));
    ASSERT_EQ(found.size(), 2u) << size;
    EXPECT_EQ(found[0].piece.kind, Kind::kRecord);
    EXPECT_TRUE(found[1].piece.kind == Kind::kCut || found[1].piece.kind == Kind::kJunk) << size;
  }
}

TEST(WarcFramer, HeadersThatRunIntoEachOtherCostOneRecord) {
  const std::string one = warc_record("a", kText);
  for (std::size_t cut = 12; cut < 50; ++cut) {
    const auto found = find_pieces(one.substr(0, cut) + warc_record("b", kText) + warc_record("c", kText));
    EXPECT_EQ(whole_ids(found), (Ids{"b", "c"})) << cut;
    EXPECT_EQ(found.size(), 3u) << cut;
  }
}

// With a changed byte, all records that it is not in are found, and every piece is counted.
TEST(WarcFramer, AnyChangedByteCostsAtMostOneRecord) {
  const std::string file = warc_record("a", kText) + warc_record("b", kText) + warc_record("c", kText);
  const std::size_t one = warc_record("a", kText).size();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const char byte : {'\0', '\n', 'W', '9', '\xFF'}) {
      std::string changed = file;
      changed[at] = byte;
      const auto ids = whole_ids(find_pieces(changed));
      const std::size_t hit = at / one;
      for (std::size_t i = 0; i < 3; ++i) {
        if (i == hit) continue;
        EXPECT_EQ(std::count(ids.begin(), ids.end(), std::string(1, static_cast<char>('a' + i))), 1)
            << "byte " << at << " is " << static_cast<int>(byte) << ", record " << i;
      }
    }
  }
}

TEST(WarcFramer, BoundsTheHeader) {
  for (const std::string& line : {std::string(5 << 20, 'x'), "X: " + std::string(2 << 20, 'y')}) {
    const auto found = find_pieces("WARC/1.0\r\nWARC-Type: response\r\n" + line + "\r\n\r\n" + warc_record("b", kText));
    EXPECT_EQ(kinds_of(found), (Kinds{Kind::kBadHeader, Kind::kRecord}));
  }
  std::string many = "WARC/1.0\r\n";
  for (int i = 0; i < 10001; ++i) many += "X: y\r\n";
  const auto found = find_pieces(many + "\r\n" + warc_record("b", kText));
  EXPECT_EQ(kinds_of(found), (Kinds{Kind::kBadHeader, Kind::kRecord}));
}

TEST(WarcFramer, WithoutCreditOrMemoryItGoesForward) {
  const std::string file =
      lying_record("a", kText, "300") + warc_record("b", kText) + warc_record("c", kText) + warc_record("d", kText);
  const auto without_credit = find_pieces(file, {1 << 16, 1 << 30, 0});
  EXPECT_EQ(without_credit.front().piece.kind, Kind::kWrongLength);
  EXPECT_EQ(whole_ids(without_credit).back(), "d");
  const auto without_memory = find_pieces(lying_record("a", kText, "1000000") + warc_record("b", "1"), {10, 130});
  EXPECT_EQ(kinds_of(without_memory), (Kinds{Kind::kTooLong, Kind::kRecord}));
}

const std::string kArcFile =
    "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 8\n1 1 Name\n\n"
    "http://example.com/a b?c=d e 93.184.216.119 20140216050221 text/html 5\n12345\n"
    "http://example.com/b 2001:db8::1 20140216050222 - 0\n\n";

TEST(WarcFramer, ReadsArcs) {
  const auto found = find_pieces(kArcFile);
  ASSERT_EQ(kinds_of(found), Kinds(3, Kind::kRecord));
  EXPECT_EQ(found[0].header.type, WarcType::kWarcinfo);
  EXPECT_EQ(found[1].header.target_uri, "http://example.com/a b?c=d e");
  EXPECT_EQ(found[1].block, "12345");
  EXPECT_EQ(external_id(found[1].header), "20140216050221/http://example.com/a b?c=d e");
  EXPECT_EQ(found[1].header.content_type, "text/html");
}

TEST(WarcFramer, ReadsDamagedArcs) {
  const auto found = find_pieces(
      "filedesc://bad.arc.gz 127.0.0.1 20140301000000 text/plain -1\n1 0 Bad Capture\nURL IP-address\n\n"
      "http://example.com/ 93.184.216.119 201404010000000000 text/html -1\n\n"
      "http://example.com/ 127.0.0.1 20140102000000 text/plain 1\n\n\n"
      "http://example.com/ 93.184.216.119 201404010000000000 text/html abc\n\n");
  EXPECT_EQ(kinds_of(found), (Kinds{Kind::kNoLength, Kind::kNoLength, Kind::kRecord, Kind::kNoLength}));
}

// The rest of a URL begins with a scheme, too, where a block takes up to four of its bytes.
TEST(WarcFramer, ABlockOfAnArcEndsBeforeTheNextLine) {
  const std::string line = "http://example.com/a 1.2.3.4 20140216050221 text/html ";
  const std::string next = "http://example.com/b 1.2.3.4 20140216050222 text/html 2\nno\n";
  for (std::size_t extra = 0; extra < 9; ++extra) {
    const auto found = find_pieces(line + std::to_string(5 + extra) + "\n12345\n" + next);
    const Kind first = extra <= 1 ? Kind::kRecord : extra <= 3 ? Kind::kCorrected : Kind::kWrongLength;
    EXPECT_EQ(kinds_of(found), (Kinds{first, Kind::kRecord})) << extra;
    EXPECT_EQ(found.back().header.target_uri, "http://example.com/b") << extra;
  }
  const auto without_border = find_pieces(line + "5\n12345" + next);
  EXPECT_EQ(kinds_of(without_border), (Kinds{Kind::kRecord, Kind::kRecord}));
  EXPECT_EQ(without_border[0].block, "12345");
}

// Zeros or other bytes from one header to the next would make a header of both.
TEST(WarcFramer, AHoleBetweenHeadersCostsBothRecords) {
  const std::string a = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <a>\r\n",
                    b = "Content-Length: 1\r\n\r\n1\r\n\r\n";
  for (const std::string& hole :
       {std::string(300, '\0'), std::string("Content-Type: te\0", 17), std::string("\1\x1F\r\n")}) {
    const auto found = find_pieces(a + hole + b + warc_record("c", kText));
    EXPECT_EQ(kinds_of(found), (Kinds{Kind::kBadHeader, Kind::kRecord})) << hole;
  }
  const auto arc = find_pieces(kArcFile + "http://example.com/" + std::string(100, '\0') +
                               "x 1.2.3.4 20140216050222 text/html 2\nno\n" + kArcFile);
  EXPECT_EQ(kinds_of(arc), (Kinds{Kind::kRecord, Kind::kRecord, Kind::kRecord, Kind::kJunk, Kind::kRecord,
                                  Kind::kRecord, Kind::kRecord}));
}

TEST(WarcFramer, ADamagedStartDoesNotHideTheKindOfAFile) {
  const std::string records = kArcFile.substr(kArcFile.find("http://"));
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{100000}}) {
    const std::string junk = std::string(bytes, '\0') + "\n";
    const auto arc = find_pieces(junk + records);
    EXPECT_EQ(kinds_of(arc), (Kinds{Kind::kJunk, Kind::kRecord, Kind::kRecord})) << bytes;
    const auto warc = find_pieces(junk + warc_record("a", records) + warc_record("b", kText));
    EXPECT_EQ(kinds_of(warc), (Kinds{Kind::kJunk, Kind::kRecord, Kind::kRecord})) << bytes;
  }
}

}  // namespace
}  // namespace spillway
