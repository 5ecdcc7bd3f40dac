// One kind of compression, as UnpackingStream sees it: members (gzip) or frames (zstd), one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/sink.hpp"

namespace spillway {

class Codec {
 public:
  enum class Status : std::uint8_t { kOpen, kMemberEnd, kBroken };
  struct Step {
    std::size_t taken, given;
    Status status;
  };
  // Enough bytes to tell a member's start, and what memory it needs.
  static constexpr std::size_t kHeadBytes = 18;

  virtual ~Codec() = default;
  // Whether a member starts with these bytes. A search among broken bytes is stricter.
  virtual bool is_start(std::string_view head) const = 0;
  virtual bool is_start_in_search(std::string_view head) const = 0;
  // A byte that may stand behind the last member and means nothing.
  virtual bool is_padding(char byte) const = 0;
  // Before the first step of a member that starts with `head`. Throws BudgetError if its window does not fit.
  virtual void start_member(std::string_view head) = 0;
  // Unpacks from `in` to `out`. With empty `in` and room in `out` it gives what it still holds.
  virtual Step step(std::string_view in, std::span<std::uint8_t> out) = 0;
  // What was found in the step that was broken.
  virtual std::string broken_detail() const = 0;
  virtual SkipReason truncated_reason() const = 0;
  virtual SkipReason broken_reason() const = 0;
};

}  // namespace spillway
