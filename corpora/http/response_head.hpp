// The head of an HTTP response, as a crawler stored it: status, type and encodings of the body. It arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/http/field_reader.hpp"

namespace spillway {

// "text/html; charset=utf-8" as "text/html", in lower case, and "utf-8". Empty if there is none.
struct MediaType {
  std::string mime = {}, charset = {};
};
MediaType parse_media_type(std::string_view value);

enum class ContentCoding : std::uint8_t { kGzip, kDeflate, kBrotli, kZstd, kUnknown };

struct ResponseHead {
  bool is_http = false;                     // there is a status line
  unsigned status = 0;                      // 0: none
  MediaType type = {};                      // of the last Content-Type
  bool is_chunked = false;                  // Transfer-Encoding
  std::vector<ContentCoding> codings = {};  // in the order in which they were applied, transfer codings last
  std::string unknown_coding = {};          // the name of the first one that is not known
  std::uint64_t head_bytes = 0;
};

// Not movable. At most kMaxCodings codings are kept; more are one that is unknown.
class ResponseHeadReader final : private FieldHandler {
 public:
  static constexpr std::size_t kMaxCodings = 8;

  ResponseHeadReader() : fields_(*this) {}
  ResponseHeadReader(const ResponseHeadReader&) = delete;
  ResponseHeadReader& operator=(const ResponseHeadReader&) = delete;

  void reset();
  // Reads up to the end of the head and returns how many bytes that were. Requires: state() is kOpen.
  std::size_t feed(std::string_view bytes);
  // kBad: this is no head; the body is all there is.
  FieldReader::State state() const { return state_; }
  const ResponseHead& head() const { return head_; }

 private:
  bool first_line(std::string_view line) override;
  void field(std::string_view name, std::string_view value) override;
  bool broken_line(std::string_view line) override;
  void add_codings(std::string_view list);

  FieldReader fields_;
  FieldReader::State state_ = FieldReader::State::kOpen;
  ResponseHead head_;
  std::string start_;              // the first bytes, until they tell whether this is a head
  std::uint64_t blank_bytes_ = 0;  // of line ends before it, which RFC 9112 (2.2) has readers ignore
  bool is_recognised_ = false;
};

}  // namespace spillway
