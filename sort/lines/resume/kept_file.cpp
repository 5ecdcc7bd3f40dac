#include "sort/lines/resume/kept_file.hpp"

#include <array>
#include <utility>

#include "io/base/byte_order.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"
#include "io/file/system_error.hpp"

namespace spillway {

namespace {

std::uint64_t checksum_of(std::span<const std::uint8_t> piece, std::uint64_t offset) {
  return load_le<std::uint64_t>(hash128(piece).data()) + offset;
}

}  // namespace

std::unique_ptr<KeptFile> KeptFile::create(FileSystem& files, const std::string& path) {
  std::unique_ptr<KeptFile> file(new KeptFile(files, path));
  file->writer_ = files.create_private(path);
  return file;
}

std::unique_ptr<KeptFile> KeptFile::open(FileSystem& files, const std::string& path) {
  return std::unique_ptr<KeptFile>(new KeptFile(files, path));
}

std::uint64_t KeptFile::append(std::span<const std::uint8_t> piece) {
  std::array<std::uint8_t, kChecksumBytes> checksum{};
  store_le(checksum.data(), checksum_of(piece, size_));
  writer_->append(piece);
  writer_->append(checksum);
  return std::exchange(size_, size_ + piece.size() + kChecksumBytes);
}

ReadableFile& KeptFile::reader() const {
  std::call_once(opened_, [this] { reader_ = files_.open(path_); });
  return *reader_;
}

void KeptFile::read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
  std::array<std::uint8_t, kChecksumBytes> checksum{};
  reader().read_exactly(offset, out);
  reader().read_exactly(offset + out.size(), checksum);
  if (load_le<std::uint64_t>(checksum.data()) == checksum_of(out, offset)) return;
  throw FormatError(printable(path_, 4096) + " at byte " + std::to_string(offset) + ": expected " +
                    std::to_string(out.size()) +
                    " bytes with their checksum, found others: the file is damaged; give --restart to sort anew");
}

void KeptFile::finish(std::span<const std::uint8_t> end) {
  writer_->append(end);
  size_ += end.size();
  writer_->sync();
  writer_->close();
  writer_.reset();
}

std::vector<std::uint8_t> KeptFile::read_end(std::uint64_t file_bytes, std::uint64_t bytes) const {
  if (!files_.status(path_)) {
    throw FormatError(printable(path_, 4096) + ": expected a file of " + std::to_string(file_bytes) +
                      " bytes, found none: it was removed; give --restart to sort anew");
  }
  const auto file = files_.open(path_);
  const std::uint64_t found = file->size();
  if (found != file_bytes || bytes > file_bytes) {
    throw FormatError(printable(path_, 4096) + ": expected " + std::to_string(file_bytes) + " bytes, found " +
                      std::to_string(found) + ": the file is damaged; give --restart to sort anew");
  }
  std::vector<std::uint8_t> end(static_cast<std::size_t>(bytes));
  file->read_exactly(file_bytes - bytes, end);
  return end;
}

std::string KeptFile::directory() const { return parent_directory(path_); }

}  // namespace spillway
