// The stages that turn a stored HTTP body into the bytes that the server meant: each takes pieces of any size and hands
// on pieces of any size, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace spillway {

// Receives the bytes of a body.
class BodyOutput {
 public:
  virtual ~BodyOutput() = default;
  // Returns whether more is wanted.
  virtual bool body(std::string_view piece) = 0;
};

// What became of a body. The names are in the order of importance: of several stages, the last kind counts.
enum class BodyFault : std::uint8_t {
  kNone,
  kNotEncoded,  // it is not encoded as the head says, and was taken as it stands
  kTruncated,   // it ends early; what is there was handed on
  kDamaged,     // it breaks off at bytes that make no sense; what was before them was handed on
  kTooLong,     // a stage makes more of it than is allowed
  kNoMemory     // unpacking it needs more memory than it may have
};

class BodyStage {
 public:
  virtual ~BodyStage() = default;
  // Hands on what the bytes decode to. Returns whether more is wanted.
  virtual bool feed(std::string_view bytes, BodyOutput& out) = 0;
  // Ends the body.
  virtual bool finish(BodyOutput& out) = 0;
  virtual BodyFault fault() const = 0;
};

}  // namespace spillway
