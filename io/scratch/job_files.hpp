// The files that jobs make in directories of their own. Files with other names, links and devices are not a job's and
// are never removed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

inline constexpr const char* kLockName = "LOCK";
inline constexpr const char* kScratchFilePrefix = "spillway-";
inline constexpr const char* kScratchDirectoryPrefix = ".spillway-";  // and six letters or digits
inline constexpr std::size_t kUniqueNameBytes = 6;
// The directory of files for PISA in a work directory; their names begin with "inv." and "fwd.".
inline constexpr const char* kExportName = "export";
// In the work directory of a resumable job (docs/formats.md): what the job is, and how far it got, with a number.
inline constexpr const char* kDescriptionName = "spillway-job";
inline constexpr const char* kCommitPrefix = "spillway-manifest-";

// Whether `name` is that of a scratch directory.
bool is_scratch_directory_name(const std::string& name);

// Returns the paths below `directory` that are not a job's, relative to it. Follows no link.
std::vector<std::string> foreign_files(FileSystem& files, const std::string& directory);
// The same for a directory that holds an index and nothing else.
std::vector<std::string> files_of_no_index(FileSystem& files, const std::string& directory);
// Returns the first few of `names`, for a message.
std::string first_names(const std::vector<std::string>& names);

// Returns the names of the commits of a resumable job in its work directory, the newest first.
std::vector<std::string> commit_names(FileSystem& files, const std::string& directory);
// Returns the newest commit of a job that may be running, and then replaces it from time to time; nothing if there is
// none. Throws IoError.
struct CommitText {
  std::string path, text;
};
std::optional<CommitText> read_newest_commit(FileSystem& files, const std::string& directory);
// The name of the commit with this number.
std::string commit_name(std::uint64_t number);
// Writes a small file of a resumable job: it appears whole at `directory`/`name`, replaces an older one, and stays
// there whatever happens after this call.
void write_job_file(FileSystem& files, const std::string& directory, const std::string& name, const std::string& text);

// Removes a job's files below `directory`, and directories that this empties. Leaves the directory, its lock and all
// that is not a job's. Follows no link. Removes files of `large_bytes` or more on up to 4 threads, since to give back
// their memory takes the system 0.1 s for each GB. Of several errors it throws one.
void remove_job_files(FileSystem& files, const std::string& directory,
                      std::uint64_t large_bytes = std::uint64_t{64} << 20);

}  // namespace spillway
