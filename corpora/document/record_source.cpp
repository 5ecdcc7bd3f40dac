#include "corpora/document/record_source.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

void FileRecord::visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) {
  while (begin < end) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end - begin));
    file_.read_exactly(begin_ + begin, buffer_.first(step));
    visitor({reinterpret_cast<const char*>(buffer_.data()), step});
    begin += step;
    sink_.consumed(0);
  }
}

void TextBuffer::append(std::string_view fragment) {
  if (fragment.size() > buffer_.size() - used_) flush();
  if (fragment.size() > buffer_.size()) {
    sink_.text(fragment);
    return;
  }
  std::memcpy(buffer_.data() + used_, fragment.data(), fragment.size());
  used_ += fragment.size();
}

void TextBuffer::flush() {
  if (used_ > 0) sink_.text({buffer_.data(), used_});
  used_ = 0;
}

}  // namespace spillway
