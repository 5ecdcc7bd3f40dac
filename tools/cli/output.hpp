// Buffered writes to a descriptor that is not ours to lose quietly: a failed write (a full device, a closed pipe) is an
// IoError, and flush() tells whether everything arrived. Where a pipe takes no more, a signal ends the wait
// (InterruptedError).
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

// Writes "spillway: ", the text and a line feed to standard error.
void print_message(const std::string& text);

}  // namespace spillway
