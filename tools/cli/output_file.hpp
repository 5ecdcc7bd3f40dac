// A file that a user names for output: standard output, a device or FIFO, or a regular file that is whole or not there.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/cli/command.hpp"

namespace spillway {

class OutputFile {
 public:
  enum class IfThere { kRefuse, kReplace };

  // Refuses, before any work, what could not be written afterwards: UsageError naming `option`. "-" is standard output.
  OutputFile(Session& session, const std::string& option, std::string path, IfThere if_there);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Flushes; a regular file appears now, synced and under its name. Without it nothing is left.
  void finish();

 private:
  void open();
  bool is_regular() const { return type_ == FileType::kRegular; }
  Session& session_;
  std::string path_, temporary_path_;
  FileType type_ = FileType::kOther;
  bool is_finished_ = false;
  std::unique_ptr<WritableFile> file_;  // a regular file's
  int descriptor_ = -1;                 // a device's or FIFO's
  std::unique_ptr<Output> device_;
};

}  // namespace spillway
