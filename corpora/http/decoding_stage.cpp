#include "corpora/http/decoding_stage.hpp"

#include <algorithm>

namespace spillway {

namespace {

// Whether the decoder takes these bytes, or those before junk that follows a complete member or frame.
bool can_decode(Decoder& decoder, std::string_view bytes, std::span<char> out) {
  for (bool has_ended = false;;) {
    const Decoder::Step step = decoder.step(bytes, out);
    if (step.status == Decoder::Status::kEnd || step.status == Decoder::Status::kNoMemory) return true;
    if (step.status == Decoder::Status::kBroken) return has_ended;
    has_ended = has_ended || decoder.is_at_end();
    bytes.remove_prefix(step.taken);
    if (step.given == 0 && (bytes.empty() || step.taken == 0)) return true;
  }
}

}  // namespace

DecodingStage::DecodingStage(ContentCoding coding, DecoderMemory& memory)
    : coding_(coding), memory_(memory), out_(std::make_unique_for_overwrite<char[]>(kOutBytes)) {}

// Tries the decoder on the start of the body, then decodes that start.
bool DecodingStage::begin(BodyOutput& out) {
  decoder_ = make_decoder(coding_, start_, memory_);
  if (decoder_ == nullptr || !can_decode(*decoder_, start_, {out_.get(), kOutBytes})) {
    state_ = State::kRaw;
    fault_ = BodyFault::kNotEncoded;
    return out.body(start_);
  }
  state_ = State::kDecoding;
  decoder_.reset();  // before the next one needs the memory
  decoder_ = make_decoder(coding_, start_, memory_);
  return decode(start_, out);
}

void DecodingStage::end(Decoder::Status status) {
  state_ = State::kDone;
  if (status == Decoder::Status::kBroken) fault_ = BodyFault::kDamaged;
  if (status == Decoder::Status::kNoMemory) fault_ = BodyFault::kNoMemory;
}

bool DecodingStage::decode(std::string_view bytes, BodyOutput& out) {
  while (state_ == State::kDecoding) {
    const Decoder::Step step = decoder_->step(bytes, {out_.get(), kOutBytes});
    bytes.remove_prefix(step.taken);
    if (step.given > 0 && !out.body({out_.get(), step.given})) return false;
    if (step.status != Decoder::Status::kOpen) end(step.status);
    if (step.given == 0 && (bytes.empty() || step.taken == 0)) break;
  }
  return true;
}

bool DecodingStage::feed(std::string_view bytes, BodyOutput& out) {
  if (state_ == State::kStart) {
    const std::size_t count = std::min(bytes.size(), kTrialBytes - start_.size());
    start_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (start_.size() < kTrialBytes) return true;
    if (!begin(out)) return false;
  }
  if (bytes.empty()) return true;
  return state_ == State::kRaw ? out.body(bytes) : decode(bytes, out);
}

bool DecodingStage::finish(BodyOutput& out) {
  if (state_ == State::kStart) {
    if (start_.empty()) return true;
    if (!begin(out)) return false;
  }
  if (state_ == State::kDecoding && !decoder_->is_at_end()) fault_ = BodyFault::kTruncated;
  return true;
}

}  // namespace spillway
