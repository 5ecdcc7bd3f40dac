#include "io/file/direct_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "io/file/posix_files.hpp"
#include "io/file/system_error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPage = 4096;  // no disk has larger blocks
constexpr std::size_t kDirectTransferBytes = kDirectBufferBytes - 2 * kPage;

std::uint64_t page_before(std::uint64_t offset) { return offset / kPage * kPage; }
std::uint64_t page_after(std::uint64_t offset) { return page_before(offset + kPage - 1); }

// Whether the system takes this transfer as it is.
bool is_aligned(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  return offset % kPage == 0 && bytes.size() % kPage == 0 &&
         reinterpret_cast<std::uintptr_t>(bytes.data()) % kPage == 0;
}

struct Deleter {
  void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t(kPage)); }
};

std::span<std::uint8_t> thread_buffer() {
  thread_local const std::unique_ptr<std::uint8_t[], Deleter> buffer(
      static_cast<std::uint8_t*>(::operator new[](kDirectBufferBytes, std::align_val_t(kPage))));
  return {buffer.get(), kDirectBufferBytes};
}

class DirectFile final : public ReadableFile {
 public:
  // Requires: the descriptor reads directly.
  DirectFile(FileDescriptor file, std::string path, std::uint64_t size)
      : file_(std::move(file)), path_(std::move(path)), size_(size) {}

  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    const std::size_t done = read_directly(offset, out);
    const std::uint64_t end = std::min<std::uint64_t>(offset + out.size(), size_);
    return offset + done < end ? done + read_rest(offset + done, out.subspan(done)) : done;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  // Reads through the page cache: the system stopped in the middle of a page, where no direct read can begin.
  std::size_t read_rest(std::uint64_t offset, std::span<std::uint8_t> out) const {
    const std::string path = "/proc/self/fd/" + std::to_string(file_.get());
    const FileDescriptor cached = open_descriptor(path, O_RDONLY, "open again");
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = retry_interrupted([&] {
        return ::pread(cached.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) throw_system_error(errno, "read at offset " + std::to_string(offset + done) + " of", path_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  // Ends early at the end of the file, or where the system does in the middle of a page.
  std::size_t read_directly(std::uint64_t offset, std::span<std::uint8_t> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t wanted = std::min(out.size() - done, kDirectTransferBytes);
      const std::size_t got = read_some(offset + done, out.subspan(done, wanted));
      if (got == 0) break;
      done += got;
    }
    return done;
  }

  std::size_t read_some(std::uint64_t offset, std::span<std::uint8_t> out) const {
    if (is_aligned(offset, out)) return read_pages(offset, out);
    const std::uint64_t begin = page_before(offset);
    const auto before = static_cast<std::size_t>(offset - begin);
    const std::uint64_t pages = page_after(offset + out.size()) - begin;
    const std::span<std::uint8_t> buffer = thread_buffer().first(static_cast<std::size_t>(pages));
    const std::size_t got = read_pages(begin, buffer);
    if (got <= before) return 0;
    const std::size_t taken = std::min(got - before, out.size());
    std::memcpy(out.data(), buffer.data() + before, taken);
    return taken;
  }

  std::size_t read_pages(std::uint64_t offset, std::span<std::uint8_t> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = retry_interrupted([&] {
        return ::pread(file_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) throw_system_error(errno, "read at offset " + std::to_string(offset + done) + " of", path_);
      done += static_cast<std::size_t>(got);
      if (got == 0 || done % kPage != 0) break;
    }
    return done;
  }

  FileDescriptor file_;
  std::string path_;
  std::uint64_t size_;
};

}  // namespace

std::unique_ptr<ReadableFile> open_direct_file(const std::string& path) {
  FileDescriptor file(
      retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_DIRECT); }));
  struct stat status = {};
  const bool is_file = file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file) return open_posix_file(path);  // or tells why not
  return std::make_unique<DirectFile>(std::move(file), path, static_cast<std::uint64_t>(status.st_size));
}

DirectWriter::DirectWriter(int descriptor) : cached_(descriptor) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  direct_ = FileDescriptor(retry_interrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT); }));
}

int DirectWriter::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  const std::uint64_t begin = page_after(offset), end = page_before(offset + bytes.size());
  if (begin >= end) return write_all_at(cached_, offset, bytes);
  const auto before = static_cast<std::size_t>(begin - offset), pages = static_cast<std::size_t>(end - begin);
  if (const int error = write_all_at(cached_, offset, bytes.first(before)); error != 0) return error;
  if (const int error = write_pages(begin, bytes.subspan(before, pages)); error != 0) return error;
  return write_all_at(cached_, end, bytes.subspan(before + pages));
}

// The rest of a short write goes through the page cache: it may begin in the middle of a page.
int DirectWriter::write_pages(std::uint64_t offset, std::span<const std::uint8_t> pages) const {
  while (!pages.empty()) {
    const auto part = pages.first(std::min(pages.size(), kDirectTransferBytes));
    std::span<const std::uint8_t> from = part;
    if (!is_aligned(offset, part)) {
      std::memcpy(thread_buffer().data(), part.data(), part.size());
      from = thread_buffer().first(part.size());
    }
    const ssize_t put = retry_interrupted(
        [&] { return ::pwrite(direct_.get(), from.data(), from.size(), static_cast<off_t>(offset)); });
    if (put < 0) return errno;
    const std::span<const std::uint8_t> rest = part.subspan(static_cast<std::size_t>(put));
    if (const int error = write_all_at(cached_, offset + part.size() - rest.size(), rest); error != 0) return error;
    offset += part.size();
    pages = pages.subspan(part.size());
  }
  return 0;
}

}  // namespace spillway
