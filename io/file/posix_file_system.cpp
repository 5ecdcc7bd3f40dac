#include "io/file/posix_file_system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "io/file/posix_files.hpp"
#include "io/file/system_error.hpp"

namespace spillway {

namespace {

constexpr mode_t kDirectoryMode = 0777, kPrivateDirectoryMode = 0700;  // minus the umask

constexpr int kMostLinks = 40;  // as the kernel's limit

// Whether renameat2() lacks the flag: in file systems without support, and in kernels and sandboxes without the call.
bool is_unsupported(int error) { return error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == EPERM; }

// Calls visit(entry) for each entry but . and ...
template <typename Visit>
void read_directory(const std::string& directory, const Visit& visit) {
  const auto close_directory = [](DIR* opened) { ::closedir(opened); };
  const std::unique_ptr<DIR, decltype(close_directory)> opened(::opendir(directory.c_str()), close_directory);
  if (!opened) throw_system_error(errno, "list", directory);
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(*entry);
  }
  if (errno != 0) throw_system_error(errno, "list", directory);
}

class PosixFileSystem final : public FileSystem {
 public:
  std::unique_ptr<ReadableFile> open(const std::string& path) override { return open_posix_file(path); }
  std::unique_ptr<ByteStream> open_stream(const std::string& path) override { return open_posix_stream(path); }
  std::unique_ptr<WritableFile> create(const std::string& path) override { return create_posix_file(path, kFileMode); }
  std::unique_ptr<WritableFile> create_private(const std::string& path) override {
    return create_posix_file(path, kPrivateFileMode);
  }
  std::unique_ptr<FileLock> create_lock(const std::string& path, std::string_view content) override {
    return create_posix_lock(path, content);
  }
  std::unique_ptr<FileLock> try_lock(const std::string& path) override { return try_posix_lock(path); }

  std::optional<FileStatus> status(const std::string& path) override {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      throw_system_error(errno, "examine", path);
    }
    return FileStatus{type_of(found.st_mode), static_cast<std::uint64_t>(found.st_size),
                      static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec};
  }

  std::vector<std::string> list(const std::string& directory) override {
    std::vector<std::string> names;
    read_directory(directory, [&](const dirent& entry) { names.emplace_back(entry.d_name); });
    std::sort(names.begin(), names.end());  // std::string compares as unsigned bytes
    return names;
  }

  void visit_entries(const std::string& directory, const std::function<void(const DirectoryEntry&)>& visit) override {
    read_directory(directory, [&](const dirent& entry) {
      mode_t mode = DTTOIF(entry.d_type);
      if (entry.d_type == DT_UNKNOWN) {  // the file system does not say
        struct stat found {};
        if (::lstat((directory + "/" + entry.d_name).c_str(), &found) != 0) return;  // removed meanwhile
        mode = found.st_mode;
      }
      visit({entry.d_name, S_ISLNK(mode) ? std::nullopt : std::optional(type_of(mode))});
    });
  }

  bool is_link(const std::string& path) override {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
  }

  bool is_mount_point(const std::string& path) override {
    struct statx found {};
    if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &found) != 0) return false;
    return (found.stx_attributes & found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  }

  void make_directory(const std::string& path) override { make(path, kDirectoryMode); }
  void make_private_directory(const std::string& path) override { make(path, kPrivateDirectoryMode); }
  std::string make_unique_directory(const std::string& prefix) override {
    std::string path = prefix + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) throw_system_error(errno, "make a directory", prefix + "XXXXXX");
    return path;
  }
  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) {
      throw_system_error(errno, "rename " + printable(from, 4096) + " to", to);
    }
  }
  bool rename_to_new(const std::string& from, const std::string& to) override {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno == EEXIST) return false;
    if (!is_unsupported(errno)) throw_system_error(errno, "rename " + printable(from, 4096) + " to", to);
    if (::link(from.c_str(), to.c_str()) == 0) {
      remove(from);
      return true;
    }
    if (errno == EEXIST) return false;
    throw_system_error(errno, "rename " + printable(from, 4096) + " to", to);
  }
  bool exchange(const std::string& a, const std::string& b) override {
    if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return true;
    if (is_unsupported(errno)) return false;
    throw_system_error(errno, "exchange " + printable(a, 4096) + " with", b);
  }
  void remove(const std::string& path) override {
    if (::remove(path.c_str()) != 0) throw_system_error(errno, "remove", path);
  }

  void sync_directory(const std::string& path) override {
    const FileDescriptor directory = open_descriptor(path, O_RDONLY | O_DIRECTORY, "open the directory");
    const int result = retry_interrupted([&] { return ::fsync(directory.get()); });
    // EINVAL: some network and FUSE file systems do not sync directories; nothing else can be done.
    if (result != 0 && errno != EINVAL) throw_system_error(errno, "bring to disk the directory", path);
  }

  bool is_in_memory(const std::string& directory) override {
    struct statfs status = {};
    return ::statfs(directory.c_str(), &status) == 0 && static_cast<std::uint32_t>(status.f_type) == TMPFS_MAGIC;
  }
  std::uint64_t free_bytes(const std::string& directory) override {
    struct statvfs found {};
    if (retry_interrupted([&] { return ::statvfs(directory.c_str(), &found); }) != 0) {
      throw_system_error(errno, "find the free space of", directory);
    }
    return static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
  }

  std::string resolve(const std::string& path) override {
    std::string result = canonical(path);
    for (int links = 0; is_link(result); ++links) {  // to nothing: weakly_canonical follows the others
      std::error_code error;
      const auto target = std::filesystem::read_symlink(result, error);
      if (error || links == kMostLinks) throw_system_error(error ? error.value() : ELOOP, "resolve", path);
      result = canonical((std::filesystem::path(result).parent_path() / target).string());
    }
    return result;
  }

 private:
  static void make(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) != 0) throw_system_error(errno, "make the directory", path);
  }

  static std::string canonical(const std::string& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    if (error) throw_system_error(error.value(), "resolve", path);
    std::string result = std::filesystem::weakly_canonical(absolute, error).string();
    if (error) throw_system_error(error.value(), "resolve", path);
    while (result.size() > 1 && result.ends_with('/')) result.pop_back();
    return result;
  }
};

}  // namespace

FileSystem& posix_file_system() {
  static PosixFileSystem instance;
  return instance;
}

}  // namespace spillway
