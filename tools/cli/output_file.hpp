// A file named by the user for output: standard output, a device or FIFO, or a regular file, which appears complete or
// not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// Throws UsageError, naming `option`, if a file written to `path` would replace one of `inputs` (files, directories,
// lists as @FILE, or -) or be part of it.
void refuse_input(FileSystem& files, const std::string& option, const std::string& path,
                  const std::vector<std::string>& inputs);

class OutputFile {
 public:
  enum class IfThere { kRefuse, kReplace };

  // Checks the path before any work is done, and throws UsageError naming `option`. "-" is standard output. For a
  // regular file, makes a temporary file beside it, with a name that nothing else has; beside the file that it names if
  // it is a link. Throws IoError if that fails.
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
