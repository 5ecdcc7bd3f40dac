#include "io/file/direct_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
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
  // Reads through the page cache: the system stopped in the middle of a page, where no direct read can begin, or the
  // file system does not take such reads.
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
      if (got < 0 && errno == EINVAL) break;
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

struct alignas(kPage) DirectWriter::Page {
  std::array<std::uint8_t, kPage> bytes;
  std::bitset<kPage> filled;
};

DirectWriter::DirectWriter(int descriptor) : cached_(descriptor) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  direct_ = FileDescriptor(retry_interrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT); }));
}

DirectWriter::~DirectWriter() = default;

int DirectWriter::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  const std::uint64_t begin = page_after(offset), end = page_before(offset + bytes.size());
  if (begin > end) return write_part(offset, bytes);
  const auto before = static_cast<std::size_t>(begin - offset), pages = static_cast<std::size_t>(end - begin);
  if (const int error = write_part(offset, bytes.first(before)); error != 0) return error;
  if (const int error = write_pages(begin, bytes.subspan(before, pages)); error != 0) return error;
  return write_part(end, bytes.subspan(before + pages));
}

// Writes a part of a page, with the rest of it if that was waiting.
int DirectWriter::write_part(std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return 0;
  bool is_kept = true;
  const std::unique_ptr<Page> whole = add_part(offset, bytes, is_kept);
  if (!is_kept) return write_all_at(cached_, offset, bytes);
  return whole == nullptr ? 0 : write_pages(page_before(offset), whole->bytes);
}

// Returns the page that has become whole. Keeps nothing if too many pages wait.
std::unique_ptr<DirectWriter::Page> DirectWriter::add_part(std::uint64_t offset, std::span<const std::uint8_t> bytes,
                                                           bool& is_kept) {
  const std::uint64_t begin = page_before(offset);
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(begin);
  is_kept = found != pages_.end() || (pages_.size() + 1) * sizeof(Page) <= kPagesBytes;
  if (!is_kept) return nullptr;
  const auto page = found != pages_.end() ? found : pages_.emplace(begin, std::make_unique<Page>()).first;
  const auto at = static_cast<std::size_t>(offset - begin);
  std::ranges::copy(bytes, page->second->bytes.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t i = 0; i < bytes.size(); ++i) page->second->filled.set(at + i);
  if (!page->second->filled.all()) return nullptr;
  return std::move(pages_.extract(page).mapped());
}

int DirectWriter::flush() {
  for (const auto& [offset, page] : pages_) {
    for (std::size_t at = 0; at < kPage;) {
      std::size_t end = at;
      while (end < kPage && page->filled[end]) ++end;
      const auto part = std::span(page->bytes).subspan(at, end - at);
      if (const int error = write_all_at(cached_, offset + at, part); error != 0) return error;
      at = end + 1;
    }
  }
  pages_.clear();
  return 0;
}

// The rest of a short write goes through the page cache: it may begin in the middle of a page. So does what the file
// system does not take as it is.
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
    if (put < 0 && errno != EINVAL) return errno;
    const std::span<const std::uint8_t> rest = part.subspan(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
    if (const int error = write_all_at(cached_, offset + part.size() - rest.size(), rest); error != 0) return error;
    offset += part.size();
    pages = pages.subspan(part.size());
  }
  return 0;
}

}  // namespace spillway
