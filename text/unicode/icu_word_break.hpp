// ICU's word break, for scripts whose words only a dictionary can find.
#pragma once

#include <unicode/ubrk.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace spillway {

// Not thread-safe. The first find() opens ICU's rules and throws IoError if its data is missing.
class IcuWordBreak {
 public:
  // Returns the ends of the words of a text, ascending; the last one is its size. Valid until the next call.
  std::span<const std::uint32_t> find(std::span<const char16_t> text);

 private:
  struct Close {
    void operator()(UBreakIterator* breaker) const { ubrk_close(breaker); }
  };
  std::unique_ptr<UBreakIterator, Close> breaker_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace spillway
