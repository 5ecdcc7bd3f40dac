// A file named by the user for output: standard output, a device or FIFO, or a regular file, which appears complete or
// not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/cli/command.hpp"

namespace spillway {

class OutputFile {
 public:
  enum class IfThere { kRefuse, kReplace };

  // Checks the path before any work is done and throws UsageError naming `option`. "-" is standard output.
  OutputFile(Session& session, const std::string& option, std::string path, IfThere if_there);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Flushes. A regular file is synced and gets its name now; without finish() it is removed.
  void finish();

 private:
  void open();
  bool is_regular() const { return type_ == FileType::kRegular; }
  Session& session_;
  std::string path_, temporary_path_;
  FileType type_ = FileType::kOther;
  bool is_finished_ = false;
  std::unique_ptr<WritableFile> file_;  // if the path is a regular file
  int descriptor_ = -1;                 // if it is a device or FIFO
  std::unique_ptr<Output> device_;
};

}  // namespace spillway
