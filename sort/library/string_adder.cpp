#include "sort/library/string_adder.hpp"

namespace spillway {

// Begins a new chunk if it has room for the bytes. Returns whether it has.
bool StringAdder::make_room(std::size_t bytes) {
  return bytes <= TextPipe::kChunkBytes && pipe_.exchange(chunk_) && bytes <= room();
}

bool StringAdder::add_long(std::string_view key, std::optional<std::string_view> value) {
  if (!append_long(key)) return false;
  if (value && !(append_byte(kPackedValue) && append_long(*value))) return false;
  return append_byte(kPackedEnd);
}

// A string may be in several chunks.
bool StringAdder::append_long(std::string_view text) {
  while (!text.empty()) {
    if (room() < 2 && !pipe_.exchange(chunk_)) return false;
    const std::string_view part = text.substr(0, room() / 2);
    chunk_.used = static_cast<std::size_t>(pack(part, end()) - chunk_.bytes.data());
    text.remove_prefix(part.size());
  }
  return true;
}

bool StringAdder::append_byte(std::uint8_t byte) {
  if (room() == 0 && !pipe_.exchange(chunk_)) return false;
  *end() = byte;
  ++chunk_.used;
  return true;
}

}  // namespace spillway
