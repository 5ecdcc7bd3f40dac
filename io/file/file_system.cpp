#include "io/file/file_system.hpp"

#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// Calls read(offset, buffer) until it returns 0.
template <typename Read>
std::string read_to_end(const std::string& path, std::size_t max_bytes, const Read& read) {
  constexpr std::size_t kStep = std::size_t{64} << 10;
  std::string result;
  for (;;) {
    const std::size_t before = result.size();
    result.resize(before + kStep);
    const std::span<std::uint8_t> room(reinterpret_cast<std::uint8_t*>(result.data()) + before, kStep);
    const std::size_t got = read(before, room);
    result.resize(before + got);
    if (got == 0) return result;
    if (result.size() > max_bytes) {
      throw IoError(printable(path, 4096) + ": expected at most " + std::to_string(max_bytes) +
                    " bytes, found more: name a smaller file");
    }
  }
}

}  // namespace

std::string_view name_of(FileType type) {
  constexpr std::string_view kNames[] = {"a regular file", "a directory", "a FIFO", "a socket", "a device"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string parent_directory(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void FileSystem::visit_entries(const std::string& directory, const std::function<void(const DirectoryEntry&)>& visit) {
  for (const std::string& name : list(directory)) {
    const std::string path = directory + "/" + name;
    const auto found = status(path);
    if (is_link(path)) {
      visit({name, std::nullopt});
    } else if (found) {
      visit({name, found->type});
    }
  }
}

void ReadableFile::read_exactly(std::uint64_t offset, std::span<std::uint8_t> out) const {
  const std::size_t got = read_at(offset, out);
  if (got == out.size()) return;
  throw IoError(printable(path(), 4096) + ": offset " + std::to_string(offset) + ": expected " +
                std::to_string(out.size()) + " bytes, found " + std::to_string(got) +
                ": the file shrank while it was read; run again when nothing else writes to it");
}

std::string read_file(FileSystem& files, const std::string& path, std::size_t max_bytes) {
  const auto file = files.open(path);
  return read_to_end(path, max_bytes,
                     [&](std::uint64_t offset, std::span<std::uint8_t> out) { return file->read_at(offset, out); });
}

std::string read_stream(FileSystem& files, const std::string& path, std::size_t max_bytes,
                        std::function<void()> wait_check) {
  const auto stream = files.open_stream(path);
  stream->set_wait_check(std::move(wait_check));
  return read_to_end(path, max_bytes, [&](std::uint64_t, std::span<std::uint8_t> out) { return stream->read(out); });
}

void sync_and_close(std::span<WritableFile* const> files) {
  std::vector<std::exception_ptr> errors(files.size());
  const auto sync = [&](std::size_t i) {
    try {
      files[i]->sync();
      files[i]->close();
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < files.size(); ++i) {
      try {
        threads.emplace_back(sync, i);
      } catch (const std::system_error&) {  // the system has no more threads
        sync(i);
      }
    }
    if (!files.empty()) sync(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
}

}  // namespace spillway
