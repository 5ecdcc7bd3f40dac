// OUT.work/: where a job builds its index before one rename, or exchange, publishes it. Locked while the job lives;
// what a killed job left there is removed by the next one.
#pragma once

#include <memory>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

class WorkDirectory {
 public:
  // Makes and locks `output`.work; puts back an index that an interrupted publish() moved there. Throws UsageError
  // where another process holds it, or where the output's parent is not there.
  WorkDirectory(FileSystem& files, const std::string& output);
  // Removes it with all in it.
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string index_path() const { return path_ + "/index"; }
  // Renames the finished index to `output`. An index that stands there is exchanged for it in one step, where the file
  // system can; else it is moved aside first, and put back by the destructor if publish() failed. The destructor
  // removes the old one.
  void publish();

 private:
  void refuse_foreign_directory() const;
  std::string replaced_path() const;
  void move_aside();
  void put_back();
  void remove_content();
  FileSystem& files_;
  std::string output_, path_;
  std::unique_ptr<FileLock> lock_;
};

// Does the directory at `path` hold an index, whole or damaged?
bool looks_like_index(FileSystem& files, const std::string& path);

}  // namespace spillway
