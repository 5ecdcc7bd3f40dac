#include "corpora/reader/plan.hpp"

#include <algorithm>

#include "corpora/reader/input_list.hpp"
#include "corpora/reader/sniff.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// Enough for gzip and for zstd up to level 19, because a stream is recognised only when it is read.
constexpr std::uint64_t kStreamUnpackBytes = (std::uint64_t{8} << 20) + ZstdCodec::kFixedBytes;

std::string read_head(FileSystem& files, const CorpusFile& file) {
  std::string head(kFormatSniffBytes, '\0');
  const auto opened = files.open(file.path);
  head.resize(opened->read_at(0, {reinterpret_cast<std::uint8_t*>(head.data()), head.size()}));
  return head;
}

CorpusFormat plain_format(std::string_view head, std::uint64_t size) {
  if (head.empty()) return CorpusFormat::kJsonl;  // any format: there are no records
  // A binary file is skipped and counted when it is parsed as text.
  return sniff_format(head, head.size() >= size).value_or(CorpusFormat::kText);
}

void refuse_large_window(const CorpusFile& file) {
  if (file.unpack_bytes <= ZstdCodec::kMaxWindowBytes + ZstdCodec::kFixedBytes) return;
  throw BudgetError(printable(file.path) + ": its first zstd frame asks for a window of " +
                    std::to_string(file.unpack_bytes - ZstdCodec::kFixedBytes) + " bytes; more than " +
                    std::to_string(ZstdCodec::kMaxWindowBytes) +
                    " (zstd --long=27) is always refused. Pack it again with a smaller window.");
}

void recognise(FileSystem& files, CorpusFile& file) {
  if (file.is_stream) {
    file.unpack_bytes = kStreamUnpackBytes;
    return;
  }
  const std::string head = read_head(files, file);
  if (file.size == 0 && !head.empty()) {  // as below /proc, and in some network file systems
    file.is_stream = true;
    file.unpack_bytes = kStreamUnpackBytes;
    return;
  }
  file.compression = sniff_compression(head);
  if (file.compression == Compression::kNone && file.format == CorpusFormat::kAuto) {
    file.format = plain_format(head, file.size);
  }
  if (file.compression == Compression::kGzip) file.unpack_bytes = GzipCodec::kMemoryBytes;
  if (file.compression == Compression::kZstd) {
    file.unpack_bytes = zstd_frame_memory(head).value_or(ZstdCodec::kFixedBytes);
    refuse_large_window(file);
  }
}

// Whether the file may be cut at record borders, so that several parts share it.
bool is_divisible(const CorpusFile& file) {
  return file.compression == Compression::kNone && !file.is_stream && file.format != CorpusFormat::kText;
}

void check_part(const CorpusOptions& options) {
  if (options.part_count == 0 || options.part_number == 0 || options.part_number > options.part_count) {
    throw UsageError("--part " + std::to_string(options.part_number) + "/" + std::to_string(options.part_count) +
                     ": expected I/N with 1 <= I <= N");
  }
}

// Requires: `input` is an InputFile or a CorpusFile.
void refuse_stream_in_parts(const auto& input, const CorpusOptions& options) {
  if (options.part_count == 1 || !input.is_stream) return;
  throw UsageError("--part needs inputs whose size is known; that of " + printable(input.path) +
                   " is not: copy it to a file first");
}

// Sets the share of the file that belongs to this part. `begin` is the offset of the file in the whole input. The last
// part also takes empty files at its end. Returns false if nothing belongs to this part.
bool take_share(CorpusFile& file, std::uint64_t begin, ByteRange part, bool last_part) {
  const bool has_first_byte = (begin >= part.begin && begin < part.end) || (last_part && begin == part.end);
  if (!is_divisible(file)) {
    file.end = file.size;
    return has_first_byte;
  }
  const std::uint64_t end = begin + file.size;
  if (end <= part.begin || begin >= part.end) return has_first_byte;  // an empty file
  file.begin = std::max(begin, part.begin) - begin;
  file.end = std::min(end, part.end) - begin;
  return true;
}

}  // namespace

ByteRange part_range(std::uint64_t total, std::uint32_t number, std::uint32_t count) {
  const auto border = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(total) * i / count);
  };
  return {border(number - 1), border(number)};
}

CorpusPlan plan_corpus(FileSystem& files, const std::vector<std::string>& inputs, const CorpusOptions& options,
                       const std::function<void()>& check) {
  const std::vector<InputFile> found = list_inputs(files, inputs, check);
  check_part(options);
  std::uint64_t total = 0;
  for (const InputFile& input : found) {
    refuse_stream_in_parts(input, options);
    total += input.status.size;
  }
  const ByteRange part = part_range(total, options.part_number, options.part_count);
  const bool last_part = options.part_number == options.part_count;
  CorpusPlan plan;
  std::uint64_t begin = 0;
  for (const InputFile& input : found) {
    const std::uint64_t size = input.is_stream ? 0 : input.status.size;
    const std::uint64_t file_begin = begin;
    begin += size;
    // Files outside of this part are not opened.
    if (begin < part.begin || file_begin > part.end) continue;
    CorpusFile file{.path = input.path,
                    .id = input.id,
                    .size = size,
                    .modified_ns = input.status.modified_ns,
                    .format = options.format,
                    .is_stream = input.is_stream};
    if (check) check();
    recognise(files, file);
    refuse_stream_in_parts(file, options);
    if (!take_share(file, file_begin, part, last_part)) continue;
    plan.total_bytes += file.end - file.begin;
    plan.files.push_back(std::move(file));
  }
  return plan;
}

void check_unchanged(FileSystem& files, const CorpusPlan& plan) {
  for (const CorpusFile& file : plan.files) {
    if (file.is_stream) continue;
    const auto status = files.status(file.path);
    if (!status) throw IoError("input " + printable(file.path) + " is gone; it was there when the job began");
    if (status->size == file.size && status->modified_ns == file.modified_ns) continue;
    throw IoError("input " + printable(file.path) + " changed while it was read: expected " +
                  std::to_string(file.size) + " bytes modified at " + std::to_string(file.modified_ns) + " ns, found " +
                  std::to_string(status->size) + " bytes modified at " + std::to_string(status->modified_ns) +
                  " ns. Run the job again on files that stay as they are.");
  }
}

}  // namespace spillway
