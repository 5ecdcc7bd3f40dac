#include "corpora/reader/plan.hpp"

#include <algorithm>
#include <limits>

#include "corpora/arrow/stream.hpp"
#include "corpora/reader/columnar_file.hpp"
#include "corpora/reader/input_list.hpp"
#include "corpora/reader/sniff.hpp"
#include "corpora/tar/header.hpp"
#include "corpora/unpack/gzip_codec.hpp"
#include "corpora/unpack/zip_file.hpp"
#include "corpora/unpack/zstd_codec.hpp"
#include "corpora/warc/start.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// Names of the directories that are being listed: with more names in one, it is read several times.
constexpr std::size_t kNamesBytes = std::size_t{16} << 20;

// A size of 0 says nothing (docs/input_formats.md): then what comes is the head.
std::string read_head(FileSystem& files, const CorpusFile& file) {
  const bool is_sized = file.size != 0;
  std::string head(is_sized ? std::min<std::uint64_t>(kFormatSniffBytes, file.size) : kFormatSniffBytes, '\0');
  const auto opened = files.open(file.path);
  const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(head.data()), head.size());
  if (is_sized) {
    opened->read_exactly(0, bytes);
  } else {
    head.resize(opened->read_at(0, bytes));
  }
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

// Whether what stands first, of a member with this compression and a record, is the member.
bool is_packed(std::string_view head, Compression compression) {
  const std::string_view magic = compression == Compression::kGzip   ? "\x1F\x8B\x08"
                                 : compression == Compression::kZstd ? "\x28\xB5\x2F\xFD"
                                                                     : kZipMagic;
  const std::size_t record = std::min(find_record_start(WarcKind::kWarc, head, head.size()),
                                      find_record_start(WarcKind::kArc, head, head.size()));
  return std::min(head.find(magic), head.size()) <= record;
}

// A crawl whose first bytes are damaged is known by its name.
void recognise_by_name(std::string_view head, CorpusFile& file) {
  if (file.format != CorpusFormat::kAuto && file.format != CorpusFormat::kWarc) return;
  const auto named = compression_of_crawl(file.path);
  if (!named || head.empty()) return;
  if (file.compression == Compression::kNone) {
    const auto found = sniff_format(head, head.size() >= file.size);
    if (found && *found != CorpusFormat::kText) return;
    if (*named != Compression::kNone && is_packed(head, *named)) file.compression = *named;
  }
  if (file.compression != Compression::kZip) file.format = CorpusFormat::kWarc;
}

void recognise(FileSystem& files, CorpusFile& file) {
  if (file.is_stream) {
    file.unpack_bytes = ZstdCodec::kStreamBytes;
    return;
  }
  const std::string head = read_head(files, file);
  if (file.size == 0 && !head.empty()) {  // as below /proc, and in some network file systems
    file.is_stream = true;
    file.unpack_bytes = ZstdCodec::kStreamBytes;
    return;
  }
  refuse_columnar_file(files, file, head);
  file.compression = sniff_compression(head, file.format);
  recognise_by_name(head, file);
  if (file.compression == Compression::kNone && file.format == CorpusFormat::kAuto) {
    file.format = plain_format(head, file.size);
  }
  if (file.compression == Compression::kNone && file.format == CorpusFormat::kHtml && is_tar_start(head)) {
    file.format = CorpusFormat::kTar;
  }
  if (file.compression == Compression::kGzip) file.unpack_bytes = GzipCodec::kMemoryBytes;
  if (file.compression == Compression::kZip) {
    file.unpack_bytes = ZstdCodec::kStreamBytes + ZipFile::needed_bytes(*files.open(file.path), file.size);
  }
  if (file.compression == Compression::kZstd) {
    file.unpack_bytes =
        has_sound_blocks(head) ? zstd_frame_memory(head).value_or(ZstdCodec::kStreamBytes) : ZstdCodec::kStreamBytes;
    refuse_large_window(file);
  }
}

// Whether the file may be cut at record borders, so that several parts share it.
bool is_divisible(const CorpusFile& file) { return !needs_reader(file) && !is_document_a_file(file.format); }

void check_part(const CorpusOptions& options) {
  if (options.part_count == 0 || options.part_number == 0 || options.part_number > options.part_count) {
    throw UsageError("--part " + std::to_string(options.part_number) + "/" + std::to_string(options.part_count) +
                     ": expected I/N with 1 <= I <= N");
  }
}

void refuse_stream_in_parts(const CorpusFile& file, const CorpusOptions& options) {
  if (options.part_count == 1 || !file.is_stream) return;
  throw UsageError("--part needs inputs whose size is known; that of " + printable(file.path) +
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

// Takes the files that belong to the part.
class CorpusPlanner {
 public:
  CorpusPlanner(FileSystem& files, const CorpusOptions& options, const std::function<void()>& check,
                std::size_t most_list_bytes)
      : files_(files),
        options_(options),
        check_(check),
        names_bytes_(std::min(kNamesBytes, most_list_bytes / 4)),
        most_table_bytes_(most_list_bytes - names_bytes_) {
    plan_.files = FileTable(most_table_bytes_);
  }

  CorpusPlan plan(const std::vector<std::string>& inputs) {
    if (options_.part_count == 1) {
      list_inputs(files_, inputs, {check_, names_bytes_, [this](const CorpusFile& file) { take(file); }});
      finish(0);
    } else {
      plan_part(inputs);
    }
    return std::move(plan_);
  }

 private:
  // Lists all files before it takes any, because their total size decides about the shares.
  void plan_part(const std::vector<std::string>& inputs) {
    FileTable all(most_table_bytes_);
    std::uint64_t total = 0;
    list_inputs(files_, inputs, {check_, names_bytes_, [&](const CorpusFile& file) {
                                   refuse_stream_in_parts(file, options_);
                                   total += file.size;
                                   all.add(file);
                                 }});
    part_ = part_range(total, options_.part_number, options_.part_count);
    const std::size_t all_bytes = all.memory_bytes();
    if (all.is_whole()) {
      plan_.files = FileTable(most_table_bytes_ - all_bytes);
      for (const CorpusFile& file : all) take(file);
    } else {
      plan_.files = std::move(all);  // the files of the part take less
    }
    finish(all_bytes);
  }

  // `before`: bytes of an earlier list.
  void finish(std::size_t before) {
    plan_.list_bytes = plan_.files.memory_bytes();
    if (!plan_.files.is_whole()) plan_.list_bytes += before + kNamesBytes;
  }

  void take(CorpusFile file) {
    const std::uint64_t begin = begin_;
    begin_ += file.size;
    if (begin_ < part_.begin || begin > part_.end) return;  // not opened
    if (check_) check_();
    file.format = options_.format;
    recognise(files_, file);
    refuse_stream_in_parts(file, options_);
    if (take_share(file, begin, part_, options_.part_number == options_.part_count)) plan_.add(file);
  }

  FileSystem& files_;
  const CorpusOptions& options_;
  const std::function<void()>& check_;
  const std::size_t names_bytes_;  // for names of directories that are listed
  const std::size_t most_table_bytes_;
  CorpusPlan plan_;
  ByteRange part_{0, std::numeric_limits<std::uint64_t>::max()};
  std::uint64_t begin_ = 0;  // of the next file in the whole input
};

}  // namespace

ByteRange part_range(std::uint64_t total, std::uint32_t number, std::uint32_t count) {
  const auto border = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(total) * i / count);
  };
  return {border(number - 1), border(number)};
}

void CorpusPlan::add(const CorpusFile& file) {
  files.add(file);
  const std::uint64_t bytes = file.end - file.begin;
  total_bytes += bytes;
  unpack_bytes = std::max(unpack_bytes, file.unpack_bytes);
  streams += file.is_stream ? 1 : 0;
  zip_files += file.compression == Compression::kZip ? 1 : 0;
  archives += is_archive(file.format) ? 1 : 0;
  const bool may_be_crawl = file.format == CorpusFormat::kAuto && spillway::needs_reader(file);
  crawls += file.format == CorpusFormat::kWarc || may_be_crawl ? 1 : 0;
  packed_files += file.compression != Compression::kNone ? 1 : 0;
  const bool holds_gzip = file.compression == Compression::kGzip || file.compression == Compression::kZip;
  if (holds_gzip) gzip_bytes += bytes;
  if (file.compression == Compression::kGzip) largest_gzip_bytes = std::max(largest_gzip_bytes, file.size);
  if (file.compression == Compression::kZstd) {
    zstd_bytes += bytes;
    ++zstd_files;
  }
  if (spillway::needs_reader(file)) return;
  if (!largest || bytes > largest->end - largest->begin) largest = file;
}

// Takes the rows of the stream instead of files.
static CorpusPlan plan_arrow(const CorpusOptions& options, const std::vector<std::string>& inputs) {
  if (!inputs.empty()) throw UsageError("an Arrow stream and files cannot be inputs of one job: index each, and merge");
  const CorpusFile file{.path = options.arrow->name(), .format = CorpusFormat::kArrow, .is_stream = true};
  refuse_stream_in_parts(file, options);
  CorpusPlan plan;
  plan.add(file);
  plan.list_bytes = plan.files.memory_bytes();
  plan.arrow = options.arrow;
  return plan;
}

CorpusPlan plan_corpus(FileSystem& files, const std::vector<std::string>& inputs, const CorpusOptions& options,
                       const std::function<void()>& check, std::size_t most_list_bytes) {
  check_part(options);
  if (options.arrow != nullptr) return plan_arrow(options, inputs);
  return CorpusPlanner(files, options, check, most_list_bytes).plan(inputs);
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
