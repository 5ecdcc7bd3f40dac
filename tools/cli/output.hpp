// Buffered writes to a descriptor: standard output, a device or a FIFO. A failed write (full device, closed pipe)
// throws IoError; flush() returns only after everything was written. While a pipe is full, a signal ends the wait with
// InterruptedError.
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

 private:
  void write_through(std::string_view bytes);
  int descriptor_;
  bool is_pipe_ = false;
  std::string name_;
  std::string pending_;
};

// Writes "spillway: ", the text and a line feed to standard error. Whatever the text holds, it stays one line and
// controls no terminal: it passes through printable().
void print_message(const std::string& text);

}  // namespace spillway
