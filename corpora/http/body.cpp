#include "corpora/http/body.hpp"

#include <algorithm>

#include "corpora/http/chunked.hpp"
#include "corpora/http/decoding_stage.hpp"

namespace spillway {

class HttpBody::Link final : public BodyOutput {
 public:
  Link(HttpBody& whole, std::size_t next, BodyOutput& out) : whole_(whole), next_(next), out_(out) {}
  bool body(std::string_view piece) override { return whole_.feed_stage(next_, piece, out_); }

 private:
  HttpBody& whole_;
  std::size_t next_;
  BodyOutput& out_;
};

HttpBody::HttpBody(const ResponseHead& head, std::uint64_t most_bytes, const DecoderLimit& limit) : memory_(limit) {
  if (head.is_chunked) stages_.push_back(std::make_unique<ChunkedStage>());
  for (auto coding = head.codings.rbegin(); coding != head.codings.rend(); ++coding) {
    stages_.push_back(std::make_unique<DecodingStage>(*coding, memory_));
  }
  left_bytes_.assign(stages_.size() + 1, most_bytes);
}

bool HttpBody::feed_stage(std::size_t stage, std::string_view bytes, BodyOutput& out) {
  if (stage > 0 && bytes.size() > left_bytes_[stage]) {
    is_too_long_ = true;
    return false;
  }
  left_bytes_[stage] -= stage > 0 ? bytes.size() : 0;
  if (stage == stages_.size()) return bytes.empty() || out.body(bytes);
  Link next(*this, stage + 1, out);
  return stages_[stage]->feed(bytes, next);
}

bool HttpBody::feed(std::string_view bytes, BodyOutput& out) { return feed_stage(0, bytes, out); }

bool HttpBody::finish(BodyOutput& out) {
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    Link next(*this, stage + 1, out);
    if (!stages_[stage]->finish(next)) return false;
  }
  return true;
}

BodyFault HttpBody::fault() const {
  BodyFault worst = is_too_long_ ? BodyFault::kTooLong : BodyFault::kNone;
  for (const auto& stage : stages_) worst = std::max(worst, stage->fault());
  return worst;
}

}  // namespace spillway
