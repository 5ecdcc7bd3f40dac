// The body of an HTTP response, as the server meant it: without chunks and content codings. One for each parsing
// thread.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "corpora/http/body_stage.hpp"
#include "corpora/http/decoder.hpp"
#include "corpora/http/response_head.hpp"

namespace spillway {

class HttpBody {
 public:
  // Sets up the stages for a body with this head. Each hands on at most `most_bytes`. `limit` is for all decoders
  // together; a body that needs more has the fault kNoMemory. Requires: no unknown coding.
  HttpBody(const ResponseHead& head, std::uint64_t most_bytes, const DecoderLimit& limit = {});

  // Hands on what the next stored bytes decode to. Returns whether more is wanted.
  bool feed(std::string_view bytes, BodyOutput& out);
  // Ends the body.
  bool finish(BodyOutput& out);
  // The worst of all stages.
  BodyFault fault() const;
  const DecoderMemory& decoder_memory() const { return memory_; }

 private:
  // Passes bytes on to the stage with a number, and from the last one to the output.
  class Link;
  bool feed_stage(std::size_t stage, std::string_view bytes, BodyOutput& out);

  DecoderMemory memory_;  // of the stages
  std::vector<std::unique_ptr<BodyStage>> stages_;
  std::vector<std::uint64_t> left_bytes_;  // that each stage may still hand on
  bool is_too_long_ = false;
};

}  // namespace spillway
