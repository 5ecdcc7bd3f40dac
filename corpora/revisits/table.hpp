// The revisits that become documents (--revisits follow), each under the record whose text it repeats. A table stands
// in scratch files, because there may be as many revisits as pages. indexer/revisits/ makes it before the input is
// parsed.
//
// A process reads only tables that it wrote, so the format may change at any time. Integers are little-endian.
//   entries:  u32 file, u64 offset, u64 revisit, u32 CRC32C over the number of the entry (u64) and the fields above
//   revisits: u32 bytes, u32 CRC32C over the place of the revisit (u64) and what follows; u64 offset, u32 lengths of
//   id,
//             URL, date and path, and these four
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpora/revisits/location.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

// A revisit record as a document. id, url and date are valid UTF-8.
struct Revisit {
  std::string id, url, date;
  std::string path;  // of the file that has the record
  std::uint64_t offset = 0;
};

struct RevisitEntry {
  // In place of a revisit: the record at `record` is itself a revisit, and has an entry under another record.
  static constexpr std::uint64_t kFollowed = ~std::uint64_t{0};
  RecordLocation record;
  std::uint64_t revisit = 0;  // place in the table
};

// Thread-safe.
class RevisitTable {
 public:
  RevisitTable(std::unique_ptr<TempFile> entries, std::unique_ptr<TempFile> revisits);

  std::uint64_t size() const { return size_; }  // entries
  // Fills `to` with the entries from number `first` on. Requires: the table has as many. Throws FormatError, as below,
  // if the bytes differ from what was written.
  void load(std::uint64_t first, std::span<RevisitEntry> to) const;
  Revisit revisit(std::uint64_t place) const;
  // Returns the number of the first entry whose record is not before `record`. O(log n) reads.
  std::uint64_t lower_bound(const RecordLocation& record) const;

  // Begins a pass over the input. Requires: no cursor is in use.
  void begin_pass() const { met_ = 0; }
  // A pass over the input meets each entry once. Throws IoError unless cursors have returned all entries from `start`
  // on: then the input is not the one that the table was made of.
  void check_all_met(const RecordLocation& start) const;

 private:
  friend class RevisitCursor;
  const std::unique_ptr<TempFile> entry_file_, revisit_file_;
  const ReadableFile &entries_, &revisits_;
  const std::uint64_t size_;
  mutable std::atomic<std::uint64_t> met_{0};  // entries that cursors of the pass have returned
};

// Appends revisits in any order, and entries in ascending order of their records.
class RevisitTableWriter {
 public:
  explicit RevisitTableWriter(TempSpace& temp);
  static std::size_t memory_bytes() { return 2 * kBufferBytes; }

  // Returns the place of the revisit.
  std::uint64_t add(const Revisit& revisit);
  void add(const RevisitEntry& entry);
  std::unique_ptr<RevisitTable> finish();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  struct Output {
    std::unique_ptr<TempFile> file;
    std::vector<std::uint8_t> bytes = {};  // not yet written
    std::uint64_t written = 0;
    std::uint64_t size() const { return written + bytes.size(); }
    void flush();
  };
  Output entries_, revisits_;
  std::uint64_t count_ = 0;
};

// Finds the entries of records. Records in ascending order cost no search. Not thread-safe.
class RevisitCursor {
 public:
  explicit RevisitCursor(const RevisitTable& table) : table_(table) {}

  // Goes to the first entry of the record. Returns whether there is one.
  bool seek(const RecordLocation& record);
  // Returns the place of the next revisit of the record, or kFollowed; nullopt after the last one.
  std::optional<std::uint64_t> next();
  const RevisitTable& table() const { return table_; }

 private:
  bool holds(const RecordLocation& record) const;
  bool load(std::uint64_t first);

  const RevisitTable& table_;
  RecordLocation record_;
  std::vector<RevisitEntry> window_;
  std::uint64_t first_ = 0;  // number of the first entry in the window
  std::size_t at_ = 0;       // in the window
};

}  // namespace spillway
