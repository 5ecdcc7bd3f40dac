// A directory of exported files, which appears complete or not at all: it is filled in OUT.work/ and renamed to OUT.
// The next job with this output removes what a killed one left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/scratch/owned_directory.hpp"

namespace spillway {

class ExportDirectory {
 public:
  // Throws UsageError if something is at `output`, its parent does not exist, it is inside an index, or another process
  // has its work directory.
  ExportDirectory(FileSystem& files, const std::string& output);
  ~ExportDirectory();
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;

  // A new file, which lives as long as this. Its name begins with "inv." or "fwd.".
  WritableFile& create(const std::string& name);
  // Syncs and closes all files, and gives the directory its name.
  void publish();

 private:
  void check() const;
  std::string path() const;
  FileSystem& files_;
  std::string output_, place_;
  std::unique_ptr<OwnedDirectory> work_;
  std::vector<std::unique_ptr<WritableFile>> created_;
};

}  // namespace spillway
