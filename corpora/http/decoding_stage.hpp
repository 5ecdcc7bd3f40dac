// Content-Encoding: undoes one coding of a body. Servers and crawlers lie about codings, so the first bytes decide: a
// body whose start cannot be decoded is handed on as it stands.
#pragma once

#include <memory>
#include <string>

#include "corpora/http/body_stage.hpp"
#include "corpora/http/decoder.hpp"

namespace spillway {

class DecodingStage final : public BodyStage {
 public:
  // `memory` outlives the stage.
  DecodingStage(ContentCoding coding, DecoderMemory& memory);

  bool feed(std::string_view bytes, BodyOutput& out) override;
  bool finish(BodyOutput& out) override;
  BodyFault fault() const override { return fault_; }

 private:
  static constexpr std::size_t kTrialBytes = 4096;     // of the body, which tell whether it has the coding
  static constexpr std::size_t kOutBytes = 16 * 1024;  // handed on at a time
  enum class State : std::uint8_t { kStart, kDecoding, kRaw, kDone };
  bool begin(BodyOutput& out);
  bool decode(std::string_view bytes, BodyOutput& out);
  void end(Decoder::Status status);

  ContentCoding coding_;
  DecoderMemory& memory_;
  State state_ = State::kStart;
  BodyFault fault_ = BodyFault::kNone;
  std::unique_ptr<Decoder> decoder_;
  std::string start_;  // the body, before it is decoded
  std::unique_ptr<char[]> out_;
};

}  // namespace spillway
