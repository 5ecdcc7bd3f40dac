// Transfer-Encoding: chunked (RFC 9112, section 7.1): chunks of a size in hexadecimal digits and as many bytes, the
// last of size 0. A body that does not begin with a chunk was stored without the coding and is handed on as it stands.
#pragma once

#include <string>

#include "corpora/http/body_stage.hpp"

namespace spillway {

class ChunkedStage final : public BodyStage {
 public:
  bool feed(std::string_view bytes, BodyOutput& out) override;
  bool finish(BodyOutput& out) override;
  BodyFault fault() const override { return fault_; }

 private:
  enum class State : std::uint8_t { kSize, kExtension, kData, kDataEnd, kDone, kRaw };
  std::size_t read_size(std::string_view bytes);
  void end_size_line();
  void break_off();

  State state_ = State::kSize;
  BodyFault fault_ = BodyFault::kNone;
  std::uint64_t left_ = 0;   // bytes of the chunk, or its size as far as it was read
  bool has_digits_ = false;  // of the size
  bool is_first_ = true;
  std::string start_;  // the bytes before the first chunk's data
};

}  // namespace spillway
