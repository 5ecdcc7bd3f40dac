// A compression format, as UnpackingStream uses it: a sequence of members (gzip) or frames (zstd), below called
// members.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/sink.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// A member that is unpacked as a whole, in memory that it shares with others.
struct SharedMember {
  std::uint64_t stored_bytes;
  std::size_t begin;  // of its bytes in the room
  std::span<const std::uint8_t> bytes;
  std::shared_ptr<Buffer> room;
};

class Codec {
 public:
  enum class Status : std::uint8_t { kOpen, kMemberEnd, kBroken };
  // `given` bytes are at `bytes`: in `out`, or in memory of the codec, where they stay until the next step.
  struct Step {
    std::size_t taken, given;
    Status status;
    const std::uint8_t* bytes = nullptr;
  };
  // Enough bytes to recognise the start of a member and to find out how much memory it needs.
  static constexpr std::size_t kHeadBytes = 18;
  // Bytes of the input that the first step of a member gets, if there are so many.
  static constexpr std::size_t kFirstStepBytes = std::size_t{64} << 10;

  virtual ~Codec() = default;
  // Whether a member starts with these bytes. The check for a search in broken data is stricter.
  virtual bool is_start(std::string_view head) const = 0;
  virtual bool is_start_in_search(std::string_view head) const = 0;
  // Whether the byte may follow the last member without a meaning.
  virtual bool is_padding(char byte) const = 0;
  // Prepares for a member that starts with `head` at `position` of the input. Throws BudgetError if its window does not
  // fit.
  virtual void start_member(std::string_view head, std::uint64_t position) = 0;
  // The member at `position` of the input, if it has been unpacked ahead; at most two places after the last one at
  // which a member started. Places ascend. Lives until the next call.
  virtual const SharedMember* offer(std::uint64_t) { return nullptr; }
  // Unpacks from `in` to `out`, or all of a member that is whole to memory of the codec; that only as the first step of
  // the member. With an empty `in`, hands out bytes that the codec still holds.
  virtual Step step(std::string_view in, std::span<std::uint8_t> out) = 0;
  // Whether a checksum says that the member that has ended is as it was. Without one, it may have lost its end, and
  // have taken bytes of the next one for it.
  virtual bool is_proven() const { return true; }
  // Describes the error after a step that returned kBroken.
  virtual std::string broken_detail() const = 0;
  virtual SkipReason truncated_reason() const = 0;
  virtual SkipReason broken_reason() const = 0;
};

}  // namespace spillway
