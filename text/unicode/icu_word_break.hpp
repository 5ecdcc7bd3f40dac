// ICU's word break: the words of scripts that only a dictionary can find words in.
#pragma once

#include <unicode/ubrk.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spillway {

// Not thread-safe. Opened by the first find(), which throws IoError where ICU's data is missing.
class IcuWordBreak {
 public:
  // The ends of the words of a text, ascending, the last is its size. Valid until the next call.
  std::span<const std::uint32_t> find(std::span<const char16_t> text);

 private:
  struct Close {
    void operator()(UBreakIterator* breaker) const { ubrk_close(breaker); }
  };
  std::unique_ptr<UBreakIterator, Close> breaker_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace spillway
