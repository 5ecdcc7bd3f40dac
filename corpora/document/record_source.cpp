#include "corpora/document/record_source.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

void PassProgress::read(std::uint64_t bytes) {
  read_ += bytes;
  const auto share = static_cast<std::uint64_t>(static_cast<double>(read_) * share_);
  const std::uint64_t done = std::max(reported_, std::min(most_, share));
  sink_.consumed(done - reported_);
  reported_ = done;
}

void FileRecord::visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) {
  while (begin < end) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), end - begin));
    file_.read_exactly(begin_ + begin, buffer_.first(step));
    visitor({reinterpret_cast<const char*>(buffer_.data()), step});
    begin += step;
    progress_.read(step);
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
