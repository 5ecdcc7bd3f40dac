#include "corpora/document/utf8.hpp"

#include <emmintrin.h>
#include <simdjson.h>

#include <algorithm>

namespace spillway {

namespace {

// The length of a character of two bytes or more and the range of its second byte, both implied by its lead byte.
struct LeadRule {
  std::uint8_t length = 0;  // 0: not a lead byte
  std::uint8_t low = 0x80, high = 0xBF;
};

LeadRule lead_rule(std::uint8_t lead) {
  if (lead < 0xC2 || lead > 0xF4) return {};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

std::uint8_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

// Length of the valid non-ASCII character at `at`; 0 if it is broken or incomplete.
std::size_t whole_character(std::string_view bytes, std::size_t at) {
  const LeadRule rule = lead_rule(byte_at(bytes, at));
  if (rule.length == 0 || bytes.size() - at < rule.length) return 0;
  const std::uint8_t second = byte_at(bytes, at + 1);
  if (second < rule.low || second > rule.high) return 0;
  for (std::size_t i = 2; i < rule.length; ++i) {
    if ((byte_at(bytes, at + i) & 0xC0) != 0x80) return 0;
  }
  return rule.length;
}

std::size_t skip_valid(std::string_view bytes, std::size_t at) {
  for (;;) {
    at = skip_ascii(bytes, at);
    if (at == bytes.size()) return at;
    std::size_t length = 0;
    while (at < bytes.size() && byte_at(bytes, at) >= 0x80) {
      length = whole_character(bytes, at);
      if (length == 0) return at;
      at += length;
    }
  }
}

}  // namespace

std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  for (; at + 16 <= bytes.size(); at += 16) {
    const auto block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const auto high_bits = static_cast<unsigned>(_mm_movemask_epi8(block));
    if (high_bits != 0) return at + static_cast<std::size_t>(__builtin_ctz(high_bits));
  }
  while (at < bytes.size() && byte_at(bytes, at) < 0x80) ++at;
  return at;
}

bool is_valid_utf8(std::string_view bytes) { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (byte_at(text, max_bytes) & 0xC0) == 0x80) --max_bytes;
  return text.substr(0, max_bytes);
}

std::size_t open_character_bytes(std::string_view text) {
  const std::size_t longest = std::min<std::size_t>(3, text.size());
  for (std::size_t back = 1; back <= longest; ++back) {
    const std::uint8_t byte = byte_at(text, text.size() - back);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return back < lead_rule(byte).length ? back : 0;
  }
  return 0;
}

void Utf8Repairer::replace(TextOutput& out) {
  out.append(kReplacementCharacter);
  repaired_ = true;
  length_ = 0;
}

bool Utf8Repairer::start(std::uint8_t lead) {
  const LeadRule rule = lead_rule(lead);
  if (rule.length == 0) return false;
  pending_[0] = static_cast<char>(lead);
  length_ = 1;
  needed_ = rule.length;
  low_ = rule.low;
  high_ = rule.high;
  return true;
}

void Utf8Repairer::feed(std::string_view bytes, TextOutput& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::uint8_t byte = byte_at(bytes, at);
    if (length_ > 0) {
      if (byte < low_ || byte > high_) {
        replace(out);  // the byte may start another character
        continue;
      }
      pending_[length_++] = bytes[at++];
      low_ = 0x80;
      high_ = 0xBF;
      if (length_ == needed_) {
        out.append({pending_, length_});
        length_ = 0;
      }
      continue;
    }
    const std::size_t valid_end = skip_valid(bytes, at);
    if (valid_end > at) out.append(bytes.substr(at, valid_end - at));
    at = valid_end;
    if (at < bytes.size() && !start(byte_at(bytes, at++))) replace(out);
  }
}

void Utf8Repairer::finish(TextOutput& out) {
  if (length_ > 0) replace(out);
}

std::string repair_utf8(std::string_view bytes) {
  class : public TextOutput {
   public:
    void append(std::string_view fragment) override { text += fragment; }
    std::string text;
  } out;
  Utf8Repairer repairer;
  repairer.feed(bytes, out);
  repairer.finish(out);
  return out.text;
}

char* write_utf8(unsigned character, char* out) {
  const auto put = [&](unsigned byte) { *out++ = static_cast<char>(byte); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | character >> 6);
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  }
  return out;
}

}  // namespace spillway
