#include "corpora/html/text_writer.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/html/handler.hpp"

namespace spillway {

// A byte before the text takes the line feed of a break at its begin.
HtmlTextWriter::HtmlTextWriter(std::size_t buffer_bytes)
    : buffer_(std::make_unique<char[]>(1 + buffer_bytes + kSlackBytes)),
      begin_(buffer_.get() + 1),
      end_(begin_),
      limit_(begin_ + buffer_bytes) {}

void HtmlTextWriter::start(TextOutput& out) {
  out_ = &out;
  end_ = begin_;
  is_spaced_ = true;
}

void HtmlTextWriter::append(std::string_view text) {
  while (!text.empty()) {
    make_room();
    const std::size_t count = std::min(text.size(), static_cast<std::size_t>(limit_ - end_));
    for (const char byte : text.substr(0, count)) {
      const bool is_space = is_html_space(byte);
      *end_ = is_space ? ' ' : byte;
      end_ += byte != '\0' && !(is_space && is_spaced_);
      if (byte != '\0') is_spaced_ = is_space;
    }
    text.remove_prefix(count);
  }
}

// Keeps what the next bytes may change: white space at the end, and a character that is not whole.
void HtmlTextWriter::flush() {
  const std::string_view all(begin_, static_cast<std::size_t>(end_ - begin_));
  const std::size_t kept = all.empty() ? 0 : is_spaced_ ? 1 : open_character_bytes(all);
  if (all.size() > kept) out_->append(all.substr(0, all.size() - kept));
  std::memmove(begin_, end_ - kept, kept);
  end_ = begin_ + kept;
}

void HtmlTextWriter::finish() {
  if (is_spaced_ && end_ > begin_) --end_;
  is_spaced_ = true;
  if (end_ > begin_) out_->append({begin_, static_cast<std::size_t>(end_ - begin_)});
  end_ = begin_;
}

}  // namespace spillway
