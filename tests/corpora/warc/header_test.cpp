#include "corpora/warc/header.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

struct Read {
  FieldReader::State state;
  WarcHeader header;
};

Read read_header(std::string_view bytes, std::size_t step = 1 << 20) {
  WarcHeaderReader reader;
  while (!bytes.empty() && reader.state() == FieldReader::State::kOpen) {
    const std::size_t taken = reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(taken);
  }
  return {reader.state(), reader.header()};
}

constexpr std::string_view kHeader =
    "WARC/1.1\r\nwarc-type: Response\r\nWARC-Target-URI: <http://example.com/ä b>\r\n"
    "WARC-Date: 2014-02-16T05:02:21Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http;\r\n"
    " msgtype=response\r\nWARC-Identified-Payload-Type: text/html\r\nContent-Length:  12 \r\n\r\nbody";

TEST(WarcHeader, ReadsTheFields) {
  for (const std::size_t step : {1, 2, 3, 1000}) {
    const auto [state, header] = read_header(kHeader, step);
    ASSERT_EQ(state, FieldReader::State::kDone);
    EXPECT_EQ(header.version, "1.1");
    EXPECT_EQ(header.type, WarcType::kResponse);
    EXPECT_EQ(header.target_uri, "http://example.com/ä b");
    EXPECT_EQ(header.date, "2014-02-16T05:02:21Z");
    EXPECT_EQ(external_id(header), "urn:uuid:1");
    EXPECT_EQ(header.content_type, "application/http; msgtype=response");
    EXPECT_EQ(header.payload_type, "text/html");
    EXPECT_TRUE(header.has_length);
    EXPECT_EQ(header.length, 12u);
    EXPECT_EQ(header.header_bytes, kHeader.size() - 4);
    EXPECT_FALSE(header.has_bare_line_feeds);
  }
}

// As wget, wpull, warcio and Heritrix write them.
TEST(WarcHeader, ReadsWhatARevisitRefersTo) {
  const std::string start = "WARC/1.0\r\nWARC-Type: revisit\r\nContent-Length: 0\r\n";
  for (const char* const id : {"<urn:uuid:1>", "urn:uuid:1"}) {
    const auto [state, header] =
        read_header(start + "WARC-Refers-To: " + id + "\r\nwarc-refers-to-target-uri: <http://a/>\r\n" +
                    "WARC-Refers-To-Date: 2014-02-16T05:02:21Z\r\n" +
                    "WARC-Payload-Digest: sha1:ABC\r\nWARC-Refers-To-Else: x\r\n\r\n");
    ASSERT_EQ(state, FieldReader::State::kDone);
    EXPECT_EQ(header.type, WarcType::kRevisit);
    EXPECT_EQ(header.refers_to, "urn:uuid:1");
    EXPECT_EQ(header.refers_to_uri, "http://a/");
    EXPECT_EQ(header.refers_to_date, "2014-02-16T05:02:21Z");
    EXPECT_EQ(header.payload_digest, "sha1:ABC");
  }
}

// ClueWeb09 has line feeds alone, and line ends inside of its URIs.
TEST(WarcHeader, ReadsLineFeedsAndBrokenLines) {
  const auto [state, header] = read_header(
      "WARC/0.18\nWARC-Type: response\nWARC-Target-URI: http://a.b/c\nd e f\nWARC-TREC-ID: clueweb09-en0000-00-00000\n"
      "WARC-Record-ID: <urn:uuid:2>\nContent-Length: 7\n\n");
  ASSERT_EQ(state, FieldReader::State::kDone);
  EXPECT_TRUE(header.has_bare_line_feeds);
  EXPECT_EQ(header.broken_lines, 1u);
  EXPECT_EQ(header.version, "0.18");
  EXPECT_EQ(external_id(header), "clueweb09-en0000-00-00000");
  EXPECT_EQ(header.length, 7u);
}

TEST(WarcHeader, TakesTheIdsOfClueWeb22) {
  const auto [state, header] = read_header(
      "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:3>\r\nClueWeb22-ID: clueweb22-en0000-00-00000\r\n"
      "URL-Hash: 0A\r\nLanguage: en\r\nContent-Length: 7\r\n\r\n");
  ASSERT_EQ(state, FieldReader::State::kDone);
  EXPECT_EQ(external_id(header), "clueweb22-en0000-00-00000");
}

TEST(WarcHeader, TwoIdsOfDifferentNamesAreNoContradiction) {
  const auto [state, header] =
      read_header("WARC/1.0\r\nClueWeb22-ID: clueweb22-a\r\nWARC-TREC-ID: trec-a\r\nContent-Length: 7\r\n\r\n");
  ASSERT_EQ(state, FieldReader::State::kDone);
  EXPECT_EQ(external_id(header), "trec-a");
}

TEST(WarcHeader, RefusesWhatIsNone) {
  for (const char* const bytes :
       {"WARC/x\r\n", "WARC/1\r\n", "WARC/1.0x\r\n", "HTTP/1.0 200 OK\r\n", "\n", "WARC1.0\n", "http://a b c d e\n"}) {
    EXPECT_EQ(read_header(bytes).state, FieldReader::State::kBad) << bytes;
  }
}

TEST(WarcHeader, RefusesFieldsThatContradictEachOther) {
  const std::string start = "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\nWARC-Record-ID: <a>\r\n";
  EXPECT_EQ(read_header(start + "Content-Length: 5\r\n\r\n").state, FieldReader::State::kDone);
  for (const char* const more : {"Content-Length: 6\r\n", "WARC-Type: request\r\n", "WARC-Record-ID: <b>\r\n"}) {
    EXPECT_EQ(read_header(start + more + "\r\n").state, FieldReader::State::kBad) << more;
  }
}

TEST(WarcHeader, KeepsLongUris) {
  const std::string uri = "http://a.b/" + std::string(65536, 'x');
  const auto [state, header] =
      read_header("WARC/1.0\r\nWARC-Target-URI: " + uri + "\r\nContent-Length: 0\r\n\r\n", 1000);
  EXPECT_EQ(state, FieldReader::State::kDone);
  EXPECT_EQ(header.target_uri, uri);
}

}  // namespace
}  // namespace spillway
