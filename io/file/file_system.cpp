#include "io/file/file_system.hpp"

#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {

void ReadableFile::read_exactly(std::uint64_t offset, std::span<std::uint8_t> out) const {
  const std::size_t got = read_at(offset, out);
  if (got == out.size()) return;
  throw IoError(printable(path(), 4096) + ": offset " + std::to_string(offset) + ": expected " +
                std::to_string(out.size()) + " bytes, found " + std::to_string(got) +
                ": the file shrank while it was read; run again when nothing else writes to it");
}

std::string read_file(FileSystem& files, const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kStep = std::size_t{64} << 10;
  const auto stream = files.open_stream(path);
  std::string result;
  for (;;) {
    const std::size_t before = result.size();
    result.resize(before + kStep);
    const std::size_t got = stream->read({reinterpret_cast<std::uint8_t*>(result.data()) + before, kStep});
    result.resize(before + got);
    if (got == 0) return result;
    if (result.size() > max_bytes) {
      throw IoError(printable(path, 4096) + ": expected at most " + std::to_string(max_bytes) +
                    " bytes, found more: name a smaller file");
    }
  }
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
