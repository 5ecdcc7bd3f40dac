#include "text/unicode/icu_word_break.hpp"

#include <string>

#include "io/base/error.hpp"

namespace spillway {

namespace {

void check_icu(UErrorCode status, const char* what) {
  if (U_FAILURE(status)) throw IoError(std::string("ICU: ") + what + " failed: " + u_errorName(status));
}

}  // namespace

std::span<const std::uint32_t> IcuWordBreak::find(std::span<const char16_t> text) {
  UErrorCode status = U_ZERO_ERROR;
  if (breaker_ == nullptr) breaker_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &status));
  check_icu(status, "opening the word break rules");
  ubrk_setText(breaker_.get(), text.data(), static_cast<std::int32_t>(text.size()), &status);
  check_icu(status, "word break");
  ends_.clear();
  for (std::int32_t end = ubrk_next(breaker_.get()); end != UBRK_DONE; end = ubrk_next(breaker_.get())) {
    ends_.push_back(static_cast<std::uint32_t>(end));
  }
  return ends_;
}

}  // namespace spillway
