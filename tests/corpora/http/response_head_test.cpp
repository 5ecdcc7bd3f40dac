#include "corpora/http/response_head.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

ResponseHead read_head(std::string_view bytes, std::size_t step = 1 << 20) {
  ResponseHeadReader reader;
  for (std::size_t at = 0; at < bytes.size() && reader.state() == FieldReader::State::kOpen;) {
    at += reader.feed(bytes.substr(at, step));
  }
  return reader.head();
}

TEST(ResponseHead, ReadsStatusTypeAndCodings) {
  const std::string_view bytes =
      "HTTP/1.1 200 OK\r\nServer: x\r\ncontent-type: Text/HTML ; x=y; Charset=\"UTF-8\"\r\n"
      "Content-Encoding: gzip, br\r\nTransfer-Encoding: deflate, chunked\r\n\r\nbody";
  for (const std::size_t step : {1, 3, 1000}) {
    const ResponseHead head = read_head(bytes, step);
    EXPECT_TRUE(head.is_http);
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.type.mime, "text/html");
    EXPECT_EQ(head.type.charset, "UTF-8");
    EXPECT_TRUE(head.is_chunked);
    EXPECT_EQ(head.codings, (std::vector{ContentCoding::kGzip, ContentCoding::kBrotli, ContentCoding::kDeflate}));
    EXPECT_EQ(head.head_bytes, bytes.size() - 4);
  }
}

TEST(ResponseHead, ReadsWhatServersSend) {
  EXPECT_EQ(read_head("HTTP/1.0 404\n\n").status, 404u);
  EXPECT_EQ(read_head("http/1.1  301 Moved\n\n").status, 301u);
  EXPECT_EQ(read_head("HTTP/2 200\r\n\r\n").status, 200u);
  EXPECT_EQ(read_head("HTTP/1.1 2000 OK\r\n\r\n").status, 0u);
  EXPECT_EQ(read_head("HTTP/1.1\r\n\r\n").status, 0u);
  EXPECT_EQ(read_head("HTTP/1.1 200 OK\r\nno colon\r\nContent-Type: a/b\r\n\r\n").type.mime, "a/b");
  EXPECT_EQ(read_head("HTTP/1.1 200 OK\r\nContent-Encoding: lzma\r\n\r\n").unknown_coding, "lzma");
  EXPECT_TRUE(read_head("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n\r\n").codings.empty());
  EXPECT_EQ(read_head("HTTP/1.1 200 OK\r\nContent-Encoding: \"gzip\"\r\n\r\n").codings,
            std::vector{ContentCoding::kGzip});
  EXPECT_FALSE(read_head("<html>").is_http);
  EXPECT_FALSE(read_head("\r\n<html>").is_http);
}

TEST(ResponseHead, IgnoresLineEndsBeforeIt) {
  const std::string_view bytes = "\r\n\nHTTP/1.1 404 Not Found\r\nContent-Type: a/b\r\n\r\nbody";
  for (const std::size_t step : {1, 4, 1000}) {
    const ResponseHead head = read_head(bytes, step);
    EXPECT_EQ(head.status, 404u) << step;
    EXPECT_EQ(head.type.mime, "a/b") << step;
    EXPECT_EQ(head.head_bytes, bytes.size() - 4) << step;
  }
}

TEST(ResponseHead, BoundsTheCodings) {
  std::string list = "gzip";
  for (int i = 0; i < 100; ++i) list += ",gzip";
  const ResponseHead head = read_head("HTTP/1.1 200 OK\r\nContent-Encoding: " + list + "\r\n\r\n");
  EXPECT_EQ(head.codings.size(), ResponseHeadReader::kMaxCodings);
  EXPECT_FALSE(head.unknown_coding.empty());
}

TEST(MediaType, IsReadInAllItsForms) {
  EXPECT_EQ(parse_media_type("text/html").mime, "text/html");
  EXPECT_EQ(parse_media_type("text/html, text/html").mime, "text/html");
  EXPECT_EQ(parse_media_type("text/html charset=utf-8").mime, "text/html");
  EXPECT_EQ(parse_media_type("text/html;charset='euc-jp'").charset, "euc-jp");
  EXPECT_EQ(parse_media_type("text/html;charset=a;charset=b").charset, "a");
  EXPECT_EQ(parse_media_type("").mime, "");
  EXPECT_EQ(parse_media_type(";;;").charset, "");
}

}  // namespace
}  // namespace spillway
