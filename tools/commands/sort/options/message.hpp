// Messages of the shape of GNU sort's.
#pragma once

#include <string>
#include <string_view>

#include "io/base/error.hpp"

namespace spillway {

// `shows_hint` asks to print "Try '... --help'".
class SortError : public Error {
 public:
  explicit SortError(const std::string& message, bool shows_hint = false, bool is_printed = false)
      : Error(ExitCode::kUsageOrIo, message), shows_hint_(shows_hint), is_printed_(is_printed) {}
  bool shows_hint() const { return shows_hint_; }
  bool is_printed() const { return is_printed_; }  // the message is on standard error already
  // The program ends with this code, where GNU sort has another one than code(), which tells the kind of the error.
  ExitCode exit_code() const { return exit_code_; }

 protected:
  SortError(ExitCode exit_code, const std::string& message, bool shows_hint)
      : Error(ExitCode::kUsageOrIo, message), shows_hint_(shows_hint), is_printed_(false), exit_code_(exit_code) {}

 private:
  bool shows_hint_, is_printed_;
  ExitCode exit_code_ = ExitCode::kUsageOrIo;
};

// --sort and --check do not take this word. GNU sort ends with code 1 then, and with 2 for other errors.
class SortWordError : public SortError {
 public:
  SortWordError(const std::string& message, bool shows_hint) : SortError(ExitCode::kBadIndex, message, shows_hint) {}
};

// 'text', with control characters escaped.
std::string quote(std::string_view text);
// A file's name: as it is, or in quotes where a shell needs them.
std::string quoted_name(std::string_view name);

}  // namespace spillway
