// Collects the text of a document and hands it on in pieces of bounded size. Runs of white space become one space,
// breaks between blocks one line feed; the text neither begins nor ends with them.
#pragma once

#include <memory>
#include <string_view>

#include "corpora/document/utf8.hpp"

namespace spillway {

class HtmlTextWriter {
 public:
  static constexpr std::size_t kSlackBytes = 128;  // writable after limit()

  // Requires: at least 64 bytes.
  explicit HtmlTextWriter(std::size_t buffer_bytes);
  // Starts a text. Pieces go to `out`, each at most buffer_bytes + kSlackBytes long, of whole characters.
  void start(TextOutput& out);
  // Appends text. NUL bytes are dropped.
  void append(std::string_view text);
  // Ends a word and a line here.
  void break_line() {
    end_ += !is_spaced_;
    end_[-1] = '\n';
    is_spaced_ = true;
  }
  // Ends the text.
  void finish();

  // For readers that write to the buffer themselves: make_room(); write from end() on, never more than kSlackBytes
  // after limit(); then set_end(). is_spaced(): whether the last byte, or the text's begin, is white space. That byte
  // may be overwritten.
  void make_room() {
    if (end_ >= limit_) flush();
  }
  char* end() const { return end_; }
  const char* limit() const { return limit_; }
  bool is_spaced() const { return is_spaced_; }
  void set_end(char* end, bool is_spaced) {
    end_ = end;
    is_spaced_ = is_spaced;
  }

 private:
  void flush();

  std::unique_ptr<char[]> buffer_;
  char *begin_, *end_;
  const char* limit_;
  bool is_spaced_ = true;
  TextOutput* out_ = nullptr;
};

}  // namespace spillway
