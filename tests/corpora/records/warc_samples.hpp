// Records of web archives for tests.
#pragma once

#include <string>
#include <string_view>

namespace spillway::testing {

inline std::string archived(std::string_view type, std::string_view id, std::string_view block,
                            std::string_view fields = "") {
  std::string record = "WARC/1.0\r\nWARC-Type: ";
  record.append(type).append("\r\nWARC-Record-ID: <").append(id).append(">\r\nWARC-Target-URI: http://example.com/");
  record.append(id).append("\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n").append(fields);
  record.append("Content-Length: ").append(std::to_string(block.size())).append("\r\n\r\n").append(block);
  return record.append("\r\n\r\n");
}

inline std::string archived_page(std::string_view id, std::string_view body, std::string_view http_fields = "",
                                 std::string_view status = "200 OK") {
  std::string block = "HTTP/1.1 ";
  block.append(status).append("\r\nContent-Type: text/html; charset=utf-8\r\n").append(http_fields).append("\r\n");
  block.append(body);
  return archived("response", id, block, "Content-Type: application/http; msgtype=response\r\n");
}

inline std::string archived_text(std::string_view id, std::string_view text) {
  return archived("conversion", id, text, "Content-Type: text/plain\r\n");
}

}  // namespace spillway::testing
