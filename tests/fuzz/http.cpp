// HTTP responses: head and body come out the same however the bytes arrive, and never longer than allowed.
#include "corpora/http/body.hpp"
#include "corpora/http/response_head.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

struct Result final : BodyOutput {
  bool body(std::string_view piece) override {
    bytes += piece;
    return true;
  }
  std::string bytes, mime, charset;
  unsigned status = 0;
  BodyFault fault = BodyFault::kNone;
};

constexpr std::uint64_t kMostBytes = 1 << 20;

Result read(std::string_view text, std::size_t step) {
  ResponseHeadReader reader;
  std::size_t at = 0;
  while (at < text.size() && reader.state() == FieldReader::State::kOpen) at += reader.feed(text.substr(at, step));
  const ResponseHead& head = reader.head();
  Result result;
  result.mime = head.type.mime;
  result.charset = head.type.charset;
  result.status = head.status;
  if (!head.unknown_coding.empty()) return result;
  HttpBody body(head, kMostBytes);
  bool wants_more = true;
  for (at = head.is_http ? static_cast<std::size_t>(head.head_bytes) : 0; wants_more && at < text.size(); at += step) {
    wants_more = body.feed(text.substr(at, step), result);
  }
  if (wants_more) body.finish(result);
  result.fault = body.fault();
  return result;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result whole = read(text, size + 1);
  for (const std::size_t step : {1, 7, 4096}) {
    const Result found = read(text, step);
    EXPECT_EQ(found.status, whole.status);
    EXPECT_EQ(found.mime, whole.mime);
    EXPECT_EQ(found.charset, whole.charset);
    EXPECT_EQ(found.fault, whole.fault);
    if (whole.fault != BodyFault::kTooLong) {
      EXPECT_EQ(found.bytes, whole.bytes);
    }
  }
  return 0;
}
