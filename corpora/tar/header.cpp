#include "corpora/tar/header.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace spillway {

namespace {

struct Field {
  std::size_t begin, bytes;
  std::string_view of(std::string_view block) const { return block.substr(begin, bytes); }
};
constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kMagic{257, 8}, kPrefix{345, 155},
    kStarPrefix{345, 131}, kStarMagic{508, 4};
constexpr std::size_t kTypeAt = 156, kHasMoreMapAt = 482;
constexpr std::string_view kAnyMagic = "ustar";
constexpr std::string_view kUstarMagic{"ustar\0", 6}, kGnuMagic{"ustar  \0", 8}, kStarEnd{"tar\0", 4};

std::string_view until_nul(std::string_view field) { return field.substr(0, field.find('\0')); }

std::optional<std::uint64_t> octal(std::string_view field) {
  field = until_nul(field);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::uint64_t value = 0;
  for (; !field.empty() && field.front() >= '0' && field.front() <= '7'; field.remove_prefix(1)) {
    value = value * 8 + static_cast<std::uint64_t>(field.front() - '0');
  }
  if (field.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return value;
}

// Octal digits, or a number of 95 bits whose first bit says so. Negative and larger sizes are none.
std::optional<std::uint64_t> size_of(std::string_view block) {
  const std::string_view field = kSize.of(block);
  if ((static_cast<std::uint8_t>(field.front()) & 0x80) == 0) return octal(field);
  std::uint64_t value = static_cast<std::uint8_t>(field.front()) & 0x7F;
  for (const char byte : field.substr(1)) {
    if (value > (INT64_MAX >> 8)) return std::nullopt;
    value = value << 8 | static_cast<std::uint8_t>(byte);
  }
  return value;
}

std::string name_of(std::string_view block) {
  const std::string_view name = until_nul(kName.of(block));
  std::string_view prefix;
  if (kMagic.of(block).starts_with(kUstarMagic)) {
    prefix = until_nul((kStarMagic.of(block) == kStarEnd ? kStarPrefix : kPrefix).of(block));
  }
  return prefix.empty() ? std::string(name) : std::string(prefix) + "/" + std::string(name);
}

TarHeader::Type type_of(char type, std::string_view name) {
  switch (type) {
    case '1':
      return TarHeader::Type::kHardLink;
    case '2':
      return TarHeader::Type::kSymbolicLink;
    case '3':
    case '4':
    case '6':
      return TarHeader::Type::kDevice;
    case '5':
    case 'D':
      return TarHeader::Type::kDirectory;
    case 'M':
      return TarHeader::Type::kPart;
    case 'S':
      return TarHeader::Type::kSparse;
    case 'V':
    case 'g':
      return TarHeader::Type::kVolume;
    default:  // as POSIX says of types that are not known
      return type == '\0' && name.ends_with('/') ? TarHeader::Type::kDirectory : TarHeader::Type::kFile;
  }
}

// Whether no data follow, whatever the size says. After a hard link they may (pax).
bool has_no_data(char type) { return type >= '2' && type <= '6'; }

std::uint64_t padding_of(std::uint64_t bytes) { return (kTarBlockBytes - bytes % kTarBlockBytes) % kTarBlockBytes; }

}  // namespace

bool is_tar_header(std::string_view block) {
  const std::string_view field = kChecksum.of(block);
  const auto expected = octal(field);
  if (!expected || field.find_first_of("01234567") == std::string_view::npos) return false;
  std::uint64_t sum = 0;
  std::int64_t signed_sum = 0;  // as some old programs added
  for (const char byte : block.substr(0, kTarBlockBytes)) {
    sum += static_cast<std::uint8_t>(byte);
    signed_sum += static_cast<signed char>(byte);
  }
  for (const char byte : field) {
    sum += std::uint64_t{' '} - static_cast<std::uint8_t>(byte);
    signed_sum += ' ' - static_cast<signed char>(byte);
  }
  return sum == *expected || (signed_sum >= 0 && static_cast<std::uint64_t>(signed_sum) == *expected);
}

bool is_tar_start(std::string_view head) {
  if (head.size() < kTarBlockBytes) return false;
  const std::string_view block = head.substr(0, kTarBlockBytes), magic = kMagic.of(block);
  if (magic.starts_with(kUstarMagic) || magic == kGnuMagic) return true;
  return block.find('\0') != std::string_view::npos && is_tar_header(block);  // text has no NUL
}

std::size_t find_tar_header(std::string_view bytes, std::size_t aligned) {
  const auto is_header_at = [&](std::size_t at) { return is_tar_header(bytes.substr(at, kTarBlockBytes)); };
  std::size_t magic = bytes.find(kAnyMagic, kMagic.begin);
  for (;;) {
    const std::size_t by_magic = magic == std::string_view::npos ? magic : magic - kMagic.begin;
    for (; aligned + kTarBlockBytes <= bytes.size() && aligned <= by_magic; aligned += kTarBlockBytes) {
      if (is_header_at(aligned)) return aligned;
    }
    if (by_magic == std::string_view::npos || by_magic + kTarBlockBytes > bytes.size()) return std::string_view::npos;
    if (is_header_at(by_magic)) return by_magic;
    magic = bytes.find(kAnyMagic, magic + 1);
  }
}

void TarHeaderReader::reset() {
  state_ = State::kOpen;
  filled_ = 0;
  bytes_ = body_left_ = padding_left_ = 0;
  long_name_.clear();
  pax_.reset();
  header_ = {};
}

void TarHeaderReader::feed(std::string_view bytes) {
  while (!bytes.empty() && state_ == State::kOpen) {
    bytes.remove_prefix(at_header() ? feed_block(bytes) : feed_body(bytes));
  }
}

std::size_t TarHeaderReader::feed_block(std::string_view bytes) {
  const std::size_t count = std::min(bytes.size(), block_.size() - filled_);
  std::memcpy(block_.data() + filled_, bytes.data(), count);
  filled_ += count;
  if (filled_ == block_.size()) read_block();
  return count;
}

void TarHeaderReader::read_block() {
  filled_ = 0;
  bytes_ += kTarBlockBytes;
  const std::string_view block(block_.data(), block_.size());
  const char type = block[kTypeAt];
  const auto size = size_of(block);
  const bool has_body =
      type == 'x' || type == 'X' || type == 'L' || type == 'K' || (type == 'g' && bytes_ > kTarBlockBytes);
  if (!has_body) header_.name = name_of(block);
  if (!size || bytes_ > kMaxBytes) {
    state_ = State::kBad;
  } else if (has_body) {
    start_body(type, *size);
  } else {
    read_member(type, *size);
  }
}

void TarHeaderReader::read_member(char type, std::uint64_t size) {
  if (!long_name_.empty()) header_.name = long_name_;
  if (!pax_.path().empty()) header_.name = pax_.path();
  header_.type = type_of(type, header_.name);
  if (pax_.is_sparse() && header_.type == TarHeader::Type::kFile) header_.type = TarHeader::Type::kSparse;
  header_.stored_bytes = has_no_data(type) ? 0 : pax_.size().value_or(size);
  header_.has_more_map = type == 'S' && block_[kHasMoreMapAt] != '\0';
  header_.is_repaired = pax_.is_broken();
  state_ = State::kWhole;
}

void TarHeaderReader::start_body(char type, std::uint64_t size) {
  if (size > kMaxBytes - std::min(kMaxBytes, bytes_)) {
    state_ = State::kBad;
    return;
  }
  body_type_ = type;
  body_left_ = size;
  padding_left_ = padding_of(size);
  bytes_ += size + padding_left_;
  if (type == 'L') long_name_.clear();
  if (at_header()) end_body();
}

std::size_t TarHeaderReader::feed_body(std::string_view bytes) {
  const bool in_body = body_left_ != 0;
  std::uint64_t& left = in_body ? body_left_ : padding_left_;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left));
  left -= count;
  if (in_body && (body_type_ == 'x' || body_type_ == 'X')) pax_.feed(bytes.substr(0, count));
  if (in_body && body_type_ == 'L') {
    long_name_ += bytes.substr(0, std::min(count, PaxReader::kMaxNameBytes - long_name_.size()));
  }
  if (at_header()) end_body();
  return count;
}

void TarHeaderReader::end_body() {
  pax_.finish();
  long_name_.resize(until_nul(long_name_).size());
}

}  // namespace spillway
