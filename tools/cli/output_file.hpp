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

  // Checks the path before any work is done, and throws UsageError naming `option`. "-" is standard output. For a
  // regular file, makes a temporary file beside it, with a name that nothing else has. Throws IoError if that fails.
  OutputFile(Session& session, const std::string& option, std::string path, IfThere if_there);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  // Flushes. The temporary file is synced and gets the name of the regular file; without finish() it is removed. With
  // kRefuse, a file that came to be there meanwhile is left alone: throws IoError, which tells where the temporary file
  // is, and keeps that.
  void finish();

 private:
  Output& stream();  // opens a device or FIFO
  void give_name();

  Session& session_;
  std::string path_, temporary_path_;
  IfThere if_there_;
  FileType type_ = FileType::kRegular;
  bool is_whole_ = false;
  std::unique_ptr<WritableFile> file_;  // the temporary file of a regular one
  int descriptor_ = -1;                 // of a device or FIFO
  std::unique_ptr<Output> device_;
};

}  // namespace spillway
