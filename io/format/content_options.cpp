#include "io/format/content_options.hpp"

#include <array>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

// The canonical bytes: a fixed part, then five strings, each {u32 bytes, bytes}.
//   0 u16 version (1)   2 u8 tokenizer   3 u8 store   4 u8 duplicate ids   5 u8 positions   6 u16 zero
//   8 u32 max_term_bytes   12 u32 zero   16 u64 max_document_bytes
namespace spillway {

namespace {

constexpr std::uint16_t kOptionsVersion = 1;
constexpr std::size_t kFixedBytes = 24;

template <typename Options>
auto strings_of(Options& options) {
  return std::array{&options.stop_words, &options.stemmer, &options.icu_version, &options.stemmer_version,
                    &options.zstd_version};
}

[[noreturn]] void refuse(std::string_view where, std::size_t offset, std::string_view expected,
                         const std::string& found) {
  throw FormatError(printable(where) + ": content options at byte " + std::to_string(offset) + ": expected " +
                    std::string(expected) + ", found " + found +
                    "; made by another version, or damaged: build it again with this version");
}

std::uint8_t parse_choice(std::string_view bytes, std::size_t offset, std::uint8_t last, std::string_view where) {
  const auto value = static_cast<std::uint8_t>(bytes[offset]);
  if (value > last) refuse(where, offset, "a choice of 0 to " + std::to_string(last), std::to_string(value));
  return value;
}

void check_zero(std::string_view bytes, std::size_t offset, std::size_t count, std::string_view where) {
  for (std::size_t i = offset; i < offset + count; ++i) {
    if (bytes[i] != 0) refuse(where, i, "zero", std::to_string(static_cast<std::uint8_t>(bytes[i])));
  }
}

}  // namespace

std::string ContentOptions::serialize() const {
  std::string bytes(kFixedBytes, '\0');
  store_le<std::uint16_t>(bytes.data(), kOptionsVersion);
  bytes[2] = static_cast<char>(tokenizer);
  bytes[3] = static_cast<char>(store);
  bytes[4] = static_cast<char>(duplicate_ids);
  bytes[5] = positions ? 1 : 0;
  store_le<std::uint32_t>(bytes.data() + 8, max_term_bytes);
  store_le<std::uint64_t>(bytes.data() + 16, max_document_bytes);
  for (const std::string* text : strings_of(*this)) {
    std::array<char, 4> count;
    store_le<std::uint32_t>(count.data(), static_cast<std::uint32_t>(text->size()));
    bytes.append(count.data(), count.size());
    bytes += *text;
  }
  return bytes;
}

ContentOptions ContentOptions::parse(std::string_view bytes, std::string_view where) {
  if (bytes.size() < kFixedBytes) refuse(where, 0, "at least 24 bytes", std::to_string(bytes.size()));
  const auto version = load_le<std::uint16_t>(bytes.data());
  if (version != kOptionsVersion) refuse(where, 0, "version 1", std::to_string(version));
  ContentOptions options;
  options.tokenizer = static_cast<Tokenizer>(parse_choice(bytes, 2, 1, where));
  options.store = static_cast<StorePolicy>(parse_choice(bytes, 3, 2, where));
  options.duplicate_ids = static_cast<DuplicateIds>(parse_choice(bytes, 4, 2, where));
  options.positions = parse_choice(bytes, 5, 1, where) != 0;
  check_zero(bytes, 6, 2, where);
  options.max_term_bytes = load_le<std::uint32_t>(bytes.data() + 8);
  check_zero(bytes, 12, 4, where);
  options.max_document_bytes = load_le<std::uint64_t>(bytes.data() + 16);
  std::size_t at = kFixedBytes;
  for (std::string* text : strings_of(options)) {
    if (bytes.size() - at < 4) refuse(where, at, "the length of a string", "the end");
    const auto count = load_le<std::uint32_t>(bytes.data() + at);
    at += 4;
    if (bytes.size() - at < count) refuse(where, at, std::to_string(count) + " bytes", "the end");
    text->assign(bytes.substr(at, count));
    at += count;
  }
  if (at != bytes.size()) refuse(where, at, "the end", std::to_string(bytes.size() - at) + " more bytes");
  return options;
}

Hash128 ContentOptions::job() const {
  const std::string bytes = serialize();
  return hash128(bytes_of(bytes));
}

}  // namespace spillway
