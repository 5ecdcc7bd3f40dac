#include "io/scratch/job_files.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <string_view>
#include <system_error>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

enum class EntryKind { kGone, kForeign, kLock, kFile, kDirectory };

bool is_index_file_name(std::string_view name) {
  return name == kManifestName || std::find(kSectionNames.begin(), kSectionNames.end(), name) != kSectionNames.end();
}

bool is_unfinished_index_file_name(std::string_view name) {
  if (name.ends_with(kPageTableSuffix)) name.remove_suffix(kPageTableSuffix.size());
  return is_index_file_name(name);
}

// `path` ends with `name`. Files of an index, or of an export, are in directories for them alone.
bool is_job_file(const std::string& path, const std::string& name) {
  const std::string directory = parent_directory(path);
  if (directory.ends_with("/" + std::string(kExportName))) return name.starts_with("inv.") || name.starts_with("fwd.");
  const bool is_of_index = directory.ends_with("/index") || directory.ends_with("/replaced");
  return is_of_index ? is_unfinished_index_file_name(name) : name.starts_with(kScratchFilePrefix);
}

// The last one is the work directory of a benchmark's jobs.
bool is_job_directory_name(const std::string& name) {
  return name == "index" || name == "replaced" || name == "index.work" || name == kExportName ||
         is_scratch_directory_name(name);
}

struct Entry {
  EntryKind kind;
  std::uint64_t bytes = 0;
};
Entry entry_of(FileSystem& files, const std::string& path, const std::string& name) {
  if (files.is_link(path)) return {EntryKind::kForeign};
  const auto status = files.status(path);
  if (!status) return {EntryKind::kGone};
  if (status->type == FileType::kDirectory && is_job_directory_name(name)) return {EntryKind::kDirectory};
  if (status->type != FileType::kRegular) return {EntryKind::kForeign};
  if (name == kLockName) return {EntryKind::kLock};
  return {is_job_file(path, name) ? EntryKind::kFile : EntryKind::kForeign, status->size};
}

bool is_gone_or_regular(FileSystem& files, const std::string& path) {
  if (files.is_link(path)) return false;
  const auto status = files.status(path);
  return !status || status->type == FileType::kRegular;
}

void add_foreign_files(FileSystem& files, const std::string& directory, const std::string& prefix,
                       std::vector<std::string>& found) {
  for (const std::string& name : files.list(directory)) {
    std::string path = directory;
    path.append("/").append(name);
    const EntryKind kind = entry_of(files, path, name).kind;
    if (kind == EntryKind::kForeign) found.push_back(prefix + name);
    if (kind == EntryKind::kDirectory) add_foreign_files(files, path, prefix + name + "/", found);
  }
}

void remove_if_empty(FileSystem& files, const std::string& directory) {
  std::vector<std::string> left = files.list(directory);
  if (left == std::vector<std::string>{kLockName}) {
    files.remove(directory + "/" + kLockName);
    left.clear();
  }
  if (left.empty()) files.remove(directory);
}

constexpr std::size_t kMostRemovers = 4;

// Removes the files on several threads. A thread ends at its first error, and the others go on.
void remove_at_once(FileSystem& files, const std::vector<std::string>& paths) {
  std::atomic<std::size_t> next{0};
  const auto remove_some = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) files.remove(paths[i]);
  };
  std::vector<std::future<void>> others;
  try {
    while (others.size() + 1 < std::min(kMostRemovers, paths.size())) {
      others.push_back(std::async(std::launch::async, remove_some));
    }
  } catch (const std::system_error&) {  // no more threads: these remove all
  }
  remove_some();
  for (std::future<void>& other : others) other.get();
}

}  // namespace

bool is_scratch_directory_name(const std::string& name) {
  const std::string_view prefix = kScratchDirectoryPrefix;
  return name.starts_with(prefix) && name.size() == prefix.size() + kUniqueNameBytes;
}

std::vector<std::string> foreign_files(FileSystem& files, const std::string& directory) {
  std::vector<std::string> found;
  add_foreign_files(files, directory, "", found);
  return found;
}

std::vector<std::string> files_of_no_index(FileSystem& files, const std::string& directory) {
  std::vector<std::string> found = files.list(directory);
  std::erase_if(found, [&](const std::string& name) {
    return is_index_file_name(name) && is_gone_or_regular(files, directory + "/" + name);
  });
  return found;
}

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + printable(names[i]);
  return names.size() <= kShown ? text : text + " and " + std::to_string(names.size() - kShown) + " more";
}

std::vector<std::string> commit_names(FileSystem& files, const std::string& directory) {
  std::vector<std::string> names = files.list(directory);
  const std::string_view prefix = kCommitPrefix;
  std::erase_if(names, [&](const std::string& name) {
    return !name.starts_with(prefix) || name.size() == prefix.size() ||
           name.find_first_not_of("0123456789", prefix.size()) != std::string::npos;
  });
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a > b;
  });
  return names;
}

std::optional<CommitText> read_newest_commit(FileSystem& files, const std::string& directory) {
  constexpr int kMostTrials = 10;
  for (int trial = 1;; ++trial) {
    const std::vector<std::string> names = commit_names(files, directory);
    if (names.empty()) return std::nullopt;
    const std::string path = directory + "/" + names.front();
    try {
      return CommitText{path, read_file(files, path)};
    } catch (const IoError&) {
      if (trial == kMostTrials || files.status(path)) throw;  // otherwise the next one is there
    }
  }
}

std::string commit_name(std::uint64_t number) { return kCommitPrefix + std::to_string(number); }

void write_job_file(FileSystem& files, const std::string& directory, const std::string& name, const std::string& text) {
  const std::string unfinished = directory + "/" + kScratchFilePrefix + "unfinished";
  const auto file = files.create_private(unfinished);
  file->append(bytes_of(text));
  file->sync();
  file->close();
  files.rename(unfinished, directory + "/" + name);
  files.sync_directory(directory);
}

void remove_job_files(FileSystem& files, const std::string& directory, std::uint64_t large_bytes) {
  std::vector<std::string> large;
  for (const std::string& name : files.list(directory)) {
    std::string path = directory;
    path.append("/").append(name);
    const auto [kind, bytes] = entry_of(files, path, name);
    if (kind == EntryKind::kFile && bytes >= large_bytes) {
      large.push_back(path);
    } else if (kind == EntryKind::kFile) {
      files.remove(path);
    }
    if (kind != EntryKind::kDirectory) continue;
    remove_job_files(files, path, large_bytes);
    remove_if_empty(files, path);
  }
  remove_at_once(files, large);
}

}  // namespace spillway
