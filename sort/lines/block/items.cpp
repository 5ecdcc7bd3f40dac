#include "sort/lines/block/items.hpp"

namespace spillway {

// Requires: the line that begins at `begin` does not end before `from`.
std::uint32_t ItemStrings::bytes_of_line(std::uint64_t begin, std::uint64_t from) const {
  if (!format_.has_ends()) return format_.record_bytes;
  const void* const end = std::memchr(text_ + from, format_.line_end, most_line_bytes_ + 1);
  if (end == nullptr) return static_cast<std::uint32_t>(from + most_line_bytes_ - begin);
  return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(end) - (text_ + begin));
}

LineItem ItemStrings::line_around(std::uint64_t offset) const {
  if (!format_.has_ends()) {
    return {0, item_place(offset / format_.record_bytes * format_.record_bytes, format_.record_bytes)};
  }
  const std::uint64_t first = offset - std::min<std::uint64_t>(offset, most_line_bytes_ + 1);
  const void* const before = ::memrchr(text_ + first, format_.line_end, offset - first);
  const std::uint64_t begin =
      before == nullptr ? first : static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(before) - text_) + 1;
  return {0, item_place(begin, bytes_of_line(begin, offset))};
}

LineItem ItemStrings::line(const LineItem& item) const {
  if (kind_ == Kind::kLines) return item;
  if (kind_ == Kind::kViews) return line_around(item.place >> kBytesBits);
  return {0, load_le<std::uint64_t>(data(item) - kKeyHeadBytes)};
}

std::uint32_t ItemStrings::many_bytes(const LineItem& item) const {
  const std::uint64_t offset = item.place >> kBytesBits;
  const auto known = std::ranges::lower_bound(long_strings_, offset, {}, &LongString::offset);
  return known != long_strings_.end() && known->offset == offset ? known->bytes : find_many_bytes(offset);
}

std::uint32_t ItemStrings::find_many_bytes(std::uint64_t offset) const {
  if (kind_ == Kind::kLines) return bytes_of_line(offset, offset + kManyBytes);
  if (kind_ == Kind::kEncoded) return load_le<std::uint32_t>(text_ + offset - sizeof(std::uint32_t));
  const ItemStrings lines(Kind::kLines, text_, format_, *encoder_);
  const std::string_view found = encoder_->view(lines.view(line_around(offset)));
  // Where mapped text has changed, the key may begin elsewhere in the line; it ends there all the same.
  const auto* const end = reinterpret_cast<const std::uint8_t*>(found.data() + found.size());
  return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(end - (text_ + offset), 0));
}

}  // namespace spillway
