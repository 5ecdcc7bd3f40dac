// Buffered writes to a descriptor: standard output, a device or a FIFO. A failed write (full device) throws IoError;
// flush() returns only after everything was written. InterruptedError is thrown for a pipe without a reader, and for a
// signal while a pipe is full.
#pragma once

#include <string>
#include <string_view>

namespace spillway {

class Output {
 public:
  // Does not own the descriptor. `name` is for messages.
  Output(int descriptor, std::string name);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes);
  void flush();
  const std::string& name() const { return name_; }
  // Whether the descriptor can be written at all: the program may have been started without it.
  bool is_open() const;

 private:
  void write_through(std::string_view bytes);
  int descriptor_;
  bool may_block_ = false;  // a pipe, socket, terminal or other device
  std::string name_;
  std::string pending_;
};

// Writes "spillway: ", the text and a line feed to standard error. Whatever the text holds, it stays one line and
// controls no terminal: it passes through printable().
void print_message(const std::string& text);

}  // namespace spillway
