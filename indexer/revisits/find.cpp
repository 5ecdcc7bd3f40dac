#include "indexer/revisits/find.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <variant>
#include <vector>

#include "corpora/document/utf8.hpp"
#include "corpora/warc/header.hpp"
#include "indexer/revisits/linker.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// Stops a reader that is waited for when a signal arrives.
class SignalWatch {
 public:
  SignalWatch(CorpusReader& reader, const IndexContext& context)
      : thread_([this, &reader, &context](const std::stop_token& ended) { watch(reader, context, ended); }) {}

 private:
  void watch(CorpusReader& reader, const IndexContext& context, const std::stop_token& ended) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, ended, std::chrono::milliseconds(100), [&] { return ended.stop_requested(); })) {
      if (context.signal_number.load(std::memory_order_relaxed) != 0) return reader.stop();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

// Unpack ahead of the one thread that reads headers.
class UnpackingThreads {
 public:
  UnpackingThreads(CorpusReader& reader, unsigned count) : reader_(reader) {
    threads_.reserve(count);  // first, because threads that run are only joined once the reader is stopped
    try {
      for (unsigned i = 0; i < count; ++i) threads_.emplace_back([&reader] { reader.help(); });
    } catch (const std::system_error& error) {
      static_cast<void>(error);  // no more threads: those that there are, and the one that reads headers, unpack
    }
  }
  ~UnpackingThreads() { reader_.stop(); }
  UnpackingThreads(const UnpackingThreads&) = delete;
  UnpackingThreads& operator=(const UnpackingThreads&) = delete;

 private:
  CorpusReader& reader_;
  std::vector<std::jthread> threads_;  // joined after ~UnpackingThreads() has stopped the reader
};

class HeaderPass {
 public:
  explicit HeaderPass(const RevisitSearch& search)
      : search_(search),
        linker_({search.budget, search.temp, search.sorter, sort_bytes(search),
                 [&context = search.context] { throw_if_stopped(context); }}),
        table_memory_(search.budget.try_reserve(RevisitTableWriter::memory_bytes(), "revisits")),
        table_(search.temp) {}

  FoundRevisits run() {
    read();
    FoundRevisits found;
    found.revisits = linker_.revisits();
    if (found.revisits == 0) return found;
    found.followed = linker_.link([this](const RecordLocation& record, std::uint64_t place) {
      table_.add(RevisitEntry{record, place});
    });
    if (found.followed != 0) found.table = table_.finish();
    return found;
  }

 private:
  // While the reader has its memory, there are two sorts.
  static std::size_t sort_bytes(const RevisitSearch& search) {
    const std::size_t reader = CorpusReader::memory_bytes(search.corpus, search.limits);
    const std::size_t free = search.budget.free_bytes() - std::min(search.budget.free_bytes(), reader);
    return std::min(search.sort_bytes, free / (RevisitLinker::kMostSorts + 1));
  }

  void read() {
    CorpusReader reader({search_.context.files, search_.corpus, search_.options, search_.limits}, search_.budget,
                        search_.temp);
    const SignalWatch watch(reader, search_.context);
    const UnpackingThreads threads(reader, search_.limits.ahead_lanes);
    CorpusTask task;
    while (reader.next(task)) {
      throw_if_stopped(search_.context);
      const auto* const records = std::get_if<UnpackedRecords>(&task.work);
      if (records == nullptr) continue;  // of another format
      if (records->format == CorpusFormat::kWarc) take(*records, task.end.file);
      search_.context.progress.bytes_done.fetch_add(records->stored_bytes, std::memory_order_relaxed);
    }
    throw_if_stopped(search_.context);
  }

  void take(const UnpackedRecords& records, std::uint64_t file) {
    for (const ArchiveRecord& record : records.archived) {
      const bool is_whole =
          record.piece.kind == ArchivePiece::Kind::kRecord || record.piece.kind == ArchivePiece::Kind::kCorrected;
      if (!is_whole) continue;
      read_header(records, record);
      take({file, records.base_offset + record.unpacked_offset}, records.file->path, record.unpacked_offset);
    }
  }

  void read_header(const UnpackedRecords& records, const ArchiveRecord& record) {
    header_.reset();
    if (records.spooled == nullptr) {
      const auto held = records.buffer->span().subspan(record.begin, record.bytes);
      return feed(
          held.first(static_cast<std::size_t>(std::min<std::uint64_t>(record.piece.header_bytes, held.size()))));
    }
    std::vector<std::uint8_t> bytes(std::size_t{16} << 10);
    const ReadableFile& spooled = records.spooled->finish();
    for (std::uint64_t at = 0; at < record.piece.header_bytes && header_.state() == FieldReader::State::kOpen;) {
      const std::size_t count = spooled.read_at(at, bytes);
      if (count == 0) return;
      feed(std::span(bytes).first(count));
      at += count;
    }
  }

  void feed(std::span<const std::uint8_t> bytes) {
    if (!bytes.empty()) header_.feed({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  void take(const RecordLocation& location, const std::string& path, std::uint64_t offset) {
    const WarcHeader& header = header_.header();
    if (header.type == WarcType::kResponse || header.type == WarcType::kResource) {
      linker_.add_record(location, header);
    } else if (header.type == WarcType::kRevisit) {
      const std::uint64_t place = table_.add(Revisit{repair_utf8(external_id(header)), repair_utf8(header.target_uri),
                                                     repair_utf8(header.date), path, offset});
      linker_.add_revisit(location, header, place);
    }
  }

  const RevisitSearch& search_;
  RevisitLinker linker_;
  const std::optional<Reservation> table_memory_;
  RevisitTableWriter table_;
  WarcHeaderReader header_;
};

}  // namespace

void check_revisits(const CorpusPlan& corpus, const CorpusOptions& options) {
  if (options.crawl.revisits != Revisits::kFollow) return;
  if (options.part_count != 1) {
    throw UsageError(
        "--revisits follow needs the whole input, and --part gives this process a part of it: a revisit and the record "
        "that it refers to may be in different parts. Leave out one of them");
  }
  if (corpus.streams == 0) return;
  for (const CorpusFile& file : corpus.files) {
    if (!file.is_stream) continue;
    throw UsageError("--revisits follow reads the input twice, and " +
                     (file.path == "-" ? "standard input" : printable(file.path, 4096)) +
                     " cannot be read again (a pipe, or a file without a size): copy it to a file first");
  }
}

FoundRevisits find_revisits(const RevisitSearch& search) {
  if (!search.corpus.needs_reader()) return {};  // there is no archive
  return HeaderPass(search).run();
}

}  // namespace spillway
