#include "io/section/writer.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <system_error>

#include "io/base/byte_order.hpp"
#include "io/base/ordered_stage.hpp"

namespace spillway {

constexpr std::size_t kMostFree = 4;  // buffers kept for reuse
// Shorter appends are copied: handing them over takes longer than processing them.
constexpr std::size_t kLeastOwnedBytes = kPageBytes;

// Bytes that are read twice or more are read in steps that stay in the cache of the processor.
constexpr std::size_t kStep = 4 * kPageBytes;

struct SectionWriter::Behind {
  using Buffer = std::vector<std::uint8_t>;
  std::mutex mutex;
  std::vector<Buffer> free;            // for reuse
  std::optional<OrderedStage> sums;    // on a thread of its own
  std::optional<OrderedStage> writes;  // and sums, if those have no thread

  Behind(SectionWriter& of, std::size_t most_waiting, BehindThreads threads) {
    free.reserve(kMostFree);
    if (threads == BehindThreads::kOne) {
      writes.emplace(most_waiting, [&of](OrderedStage::Bytes&& buffer) { of.process(buffer.bytes); });
    } else {
      sums.emplace(most_waiting, [&of](OrderedStage::Bytes&& buffer) { of.take_sums(buffer.bytes); });
      writes.emplace(most_waiting, [&of](OrderedStage::Bytes&& buffer) { of.put_to_file(buffer.bytes); });
    }
  }

  void put(OrderedStage::Bytes&& buffer) {
    if (sums) sums->put(buffer);
    writes->put(std::move(buffer));
  }
  void finish() {
    if (sums) sums->finish();
    writes->finish();
  }

  // Takes the buffer; it returns to `free` once its last owner is gone.
  OrderedStage::Bytes owned(Buffer&& buffer) {
    std::shared_ptr<Buffer> owner(new Buffer(std::move(buffer)), [this](Buffer* used) {
      const std::unique_ptr<Buffer> deleted(used);
      const std::scoped_lock lock(mutex);
      if (free.size() < kMostFree) free.push_back(std::move(*used));
    });
    return {*owner, owner};
  }
  Buffer take_free() {
    const std::scoped_lock lock(mutex);
    if (free.empty()) return {};
    Buffer bytes = std::move(free.back());
    free.pop_back();
    return bytes;
  }
};

SectionWriter::~SectionWriter() = default;

// The buffers that wait, that with the thread, and those for reuse.
std::size_t SectionWriter::behind_bytes(std::size_t buffer_bytes, std::size_t most_waiting) {
  return (most_waiting + 1 + kMostFree) * buffer_bytes;
}

void SectionWriter::start_behind(std::size_t most_waiting, BehindThreads threads) {
  try {
    behind_ = std::make_unique<Behind>(*this, most_waiting, threads);
  } catch (const std::system_error&) {
    if (threads == BehindThreads::kTwo) return start_behind(most_waiting, BehindThreads::kOne);
    // The caller hashes and writes.
  }
}

void SectionWriter::end_behind() {
  if (behind_ != nullptr) behind_->finish();
  behind_.reset();
}

SectionWriter::SectionWriter(FileSystem& files, const std::string& directory, Section section, std::size_t buffer_bytes,
                             std::size_t table_bytes)
    : files_(files),
      section_(section),
      buffer_bytes_(std::max(buffer_bytes / kPageBytes, std::size_t{1}) * kPageBytes),
      table_bytes_(table_bytes) {
  const std::string path = directory + "/" + std::string(section_name(section));
  table_path_ = path + std::string(kPageTableSuffix);
  file_ = files.create(path);
  std::array<std::uint8_t, kSectionHeaderBytes> header{};
  std::copy(kSectionMagic.begin(), kSectionMagic.end(), header.begin());
  store_le<std::uint16_t>(header.data() + 8, kIndexMajor);
  store_le<std::uint16_t>(header.data() + 10, kIndexMinor);
  store_le<std::uint32_t>(header.data() + 20, static_cast<std::uint32_t>(section));
  store_le<std::uint32_t>(header.data() + 60, crc32c(0, {header.data(), 60}));
  write(header);
}

void SectionWriter::write(std::span<const std::uint8_t> bytes) {
  hash_.update(bytes);
  put_to_file(bytes);
}

void SectionWriter::put_to_file(std::span<const std::uint8_t> bytes) {
  file_->append(bytes);
  written_.fetch_add(bytes.size(), std::memory_order_relaxed);
}

void SectionWriter::append_slowly(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  buffer_.resize(buffer_bytes_);
  while (bytes.size() > buffer_bytes_ - used_) {
    const auto part = bytes.first(buffer_bytes_ - used_);
    std::copy(part.begin(), part.end(), buffer_.data() + used_);
    used_ = buffer_bytes_;
    bytes = bytes.subspan(part.size());
    flush();
  }
  std::copy(bytes.begin(), bytes.end(), buffer_.data() + used_);
  used_ += bytes.size();
}

void SectionWriter::append(std::span<const std::uint8_t> bytes, const std::shared_ptr<const void>& owner) {
  if (behind_ == nullptr || owner == nullptr || bytes.size() < kLeastOwnedBytes) {
    append(bytes);
    return;
  }
  if (used_ != 0) flush();
  flushed_ += bytes.size();
  behind_->put({bytes, owner});
}

void SectionWriter::flush() {
  flushed_ += used_;
  if (behind_ != nullptr) {
    buffer_.resize(used_);
    behind_->put(behind_->owned(std::move(buffer_)));
    buffer_ = behind_->take_free();
    buffer_.resize(buffer_bytes_);
  } else {
    process({buffer_.data(), used_});
  }
  used_ = 0;
}

void SectionWriter::process(std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const auto part = data.first(std::min(kStep, data.size()));
    take_sums(part);
    put_to_file(part);
    data = data.subspan(part.size());
  }
}

void SectionWriter::take_sums(std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const auto part = data.first(std::min(kStep, data.size()));
    seal(part);
    hash_.update(part);
    data = data.subspan(part.size());
  }
}

void SectionWriter::seal(std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    if (page_bytes_ == 0) page_crc_ = section_page_crc(section_, page_count_);
    const auto part = data.first(std::min(kPageBytes - page_bytes_, data.size()));
    page_crc_ = crc32c(page_crc_, part);
    page_bytes_ += part.size();
    if (page_bytes_ == kPageBytes) end_page();
    data = data.subspan(part.size());
  }
}

void SectionWriter::end_page() {
  if (page_crcs_.size() * sizeof(std::uint32_t) >= table_bytes_) spill_table();
  page_crcs_.push_back(page_crc_);
  ++page_count_;
  page_bytes_ = 0;
}

void SectionWriter::spill_table() {
  if (table_file_ == nullptr) table_file_ = files_.create(table_path_);
  table_file_->append({reinterpret_cast<const std::uint8_t*>(page_crcs_.data()), page_crcs_.size() * 4});
  page_crcs_.clear();
}

// Returns the CRC of the whole table.
std::uint32_t SectionWriter::write_table() {
  std::uint32_t crc = 0;
  if (table_file_ != nullptr) {
    table_file_->close();
    table_file_.reset();
    const auto spilled = files_.open(table_path_);
    std::vector<std::uint8_t> part(std::min<std::uint64_t>(spilled->size(), kPageBytes));
    for (std::uint64_t at = 0; at < spilled->size(); at += part.size()) {
      part.resize(std::min<std::uint64_t>(part.size(), spilled->size() - at));
      spilled->read_exactly(at, part);
      crc = crc32c(crc, part);
      write(part);
    }
    files_.remove(table_path_);
  }
  const std::span<const std::uint8_t> rest{reinterpret_cast<const std::uint8_t*>(page_crcs_.data()),
                                           page_crcs_.size() * 4};
  crc = crc32c(crc, rest);
  write(rest);
  return crc;
}

SectionStats SectionWriter::finish() {
  if (used_ != 0) flush();
  end_behind();
  if (page_bytes_ != 0) end_page();
  buffer_ = {};
  std::array<std::uint8_t, kSectionFooterBytes> footer{};
  store_le<std::uint64_t>(footer.data(), flushed_);
  store_le<std::uint32_t>(footer.data() + 8, kPageBytes);
  store_le<std::uint32_t>(footer.data() + 12, write_table());
  store_le<std::uint32_t>(footer.data() + 16, static_cast<std::uint32_t>(section_));
  const std::uint32_t crc = crc32c(0, {footer.data(), 28});
  store_le<std::uint32_t>(footer.data() + 28, crc);
  write(footer);
  return {file_->size(), hash_.digest(), crc};
}

}  // namespace spillway
