#include "corpora/json/string_decoder.hpp"

#include <emmintrin.h>

#include "corpora/json/string.hpp"

namespace spillway {

namespace {

bool is_special(char c) { return c == '"' || c == '\\' || static_cast<std::uint8_t>(c) < 0x20; }

// Index of the first quote, backslash or control character.
std::size_t find_special(std::string_view bytes) {
  std::size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))));
    if (found != 0) return at + static_cast<std::size_t>(__builtin_ctz(found));
  }
  while (at < bytes.size() && !is_special(bytes[at])) ++at;
  return at;
}

}  // namespace

void JsonStringDecoder::reset() { *this = JsonStringDecoder(); }

std::size_t JsonStringDecoder::feed(std::string_view bytes, TextOutput& out) {
  std::size_t at = 0;
  while (at < bytes.size() && status_ == Status::kOpen) {
    if (state_ == State::kPlain) {
      at += feed_plain(bytes.substr(at), out);
    } else {
      state_ == State::kEscape ? feed_escape(bytes[at], out) : feed_hex(bytes[at], out);
      if (status_ == Status::kOpen) ++at;
    }
  }
  return at;
}

std::size_t JsonStringDecoder::feed_plain(std::string_view bytes, TextOutput& out) {
  const std::size_t plain = find_special(bytes);
  if (plain > 0) {
    drop_high_surrogate(out);
    repairer_.feed(bytes.substr(0, plain), out);
  }
  if (plain == bytes.size()) return plain;
  if (bytes[plain] == '\\') {
    state_ = State::kEscape;
    return plain + 1;
  }
  if (bytes[plain] != '"') {
    status_ = Status::kControlCharacter;
    return plain;
  }
  finish(out);
  status_ = Status::kClosed;
  return plain + 1;
}

void JsonStringDecoder::feed_escape(char letter, TextOutput& out) {
  repairer_.finish(out);
  if (letter == 'u') {
    state_ = State::kHex;
    digits_ = 0;
    unit_ = 0;
    return;
  }
  const char character = simple_escape(letter);
  if (character == 0) {
    status_ = Status::kBadEscape;
    return;
  }
  drop_high_surrogate(out);
  out.append({&character, 1});
  state_ = State::kPlain;
}

void JsonStringDecoder::feed_hex(char digit, TextOutput& out) {
  const unsigned value = hex_value(digit);
  if (value > 15) {
    status_ = Status::kBadEscape;
    return;
  }
  unit_ = unit_ << 4 | value;
  if (++digits_ < 4) return;
  end_character(unit_, out);
  state_ = State::kPlain;
}

void JsonStringDecoder::end_character(unsigned unit, TextOutput& out) {
  const bool is_low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (is_low && high_surrogate_ != 0) {
    put(0x10000 + ((high_surrogate_ - 0xD800) << 10) + (unit - 0xDC00), out);
    high_surrogate_ = 0;
    return;
  }
  drop_high_surrogate(out);
  if (is_low) {
    out.append(kReplacementCharacter);
    repaired_ = true;
  } else if (unit >= 0xD800 && unit < 0xDC00) {
    high_surrogate_ = unit;
  } else {
    put(unit, out);
  }
}

void JsonStringDecoder::drop_high_surrogate(TextOutput& out) {
  if (high_surrogate_ == 0) return;
  high_surrogate_ = 0;
  out.append(kReplacementCharacter);
  repaired_ = true;
}

void JsonStringDecoder::put(unsigned character, TextOutput& out) {
  char bytes[4];
  const char* const end = write_utf8(character, bytes);
  out.append({bytes, static_cast<std::size_t>(end - bytes)});
}

void JsonStringDecoder::finish(TextOutput& out) {
  repairer_.finish(out);
  drop_high_surrogate(out);
}

}  // namespace spillway
