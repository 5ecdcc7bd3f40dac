// Sorted runs of records in scratch files. A record is what orders a line: the encoded keys, if there are any, and then
// the line. Records are front-coded in blocks, each of which begins anew and may be compressed, so that a merge can
// begin at any block. A process reads the runs that it wrote, and those that a sort with the same kRunFormat kept.
//
//   block (as it is, or packed by zstd): entries of varint shared bytes, varint further bytes, [varint key bytes,] the
//   further bytes
//
// The last block of a sort may stay in memory as a run (sort/lines/runs/memory_run.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/scratch/unlinked_file.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/runs/run_keeper.hpp"

namespace spillway {

class KeyEncoder;
class LineBlock;

// Raise it with every change of what is in runs, or of the keys of lines: sorts go on only with runs of their own.
inline constexpr std::uint64_t kRunFormat = 2;

// How records compare: as bytes, up to the end of the keys if they alone decide.
struct RecordOrder {
  explicit RecordOrder(const LineOrder& order)
      : is_descending(order.is_descending()),
        has_keys(!order.keys.empty()),
        keys_decide(!order.keys.empty() && !order.breaks_ties()),
        is_unique(order.is_unique),
        line_end(order.format.line_end) {}
  bool is_descending, has_keys, keys_decide, is_unique;
  char line_end;
};

struct Record {
  std::string_view bytes;
  std::uint32_t key_bytes = 0;
  std::string_view compared(const RecordOrder& order) const {
    return order.keys_decide ? bytes.substr(0, key_bytes) : bytes;
  }
  std::string_view line(const RecordOrder& order) const { return order.has_keys ? bytes.substr(key_bytes) : bytes; }
};

// The record of a line. If there are keys, `keyed` holds it.
Record make_record(std::string_view line, const KeyEncoder& encoder, const RecordOrder& order, std::string& keyed);

// Compares two records that share their first `shared` bytes, and no more.
inline int compare_after(std::string_view a, std::string_view b, std::size_t shared, const RecordOrder& order) {
  const int of_a = shared == a.size() ? -1 : static_cast<unsigned char>(a[shared]);
  const int of_b = shared == b.size() ? -1 : static_cast<unsigned char>(b[shared]);
  return order.is_descending ? of_b - of_a : of_a - of_b;
}

// Less than 0, 0 or more, in the order of the output. Requires: both share their first `from` bytes. Sets `shared` to
// the number of bytes that they share.
inline int compare_records(std::string_view a, std::string_view b, std::size_t from, const RecordOrder& order,
                           std::size_t& shared) {
  shared = from + shared_bytes(a.substr(from), b.substr(from));
  return compare_after(a, b, shared, order);
}
// The same. Requires: kCopyPadding bytes after both are readable.
inline int compare_padded_records(std::string_view a, std::string_view b, std::size_t from, const RecordOrder& order,
                                  std::size_t& shared) {
  shared = from + shared_padded_bytes(a.substr(from), b.substr(from));
  return compare_after(a, b, shared, order);
}
inline int compare_records(std::string_view a, std::string_view b, const RecordOrder& order) {
  std::size_t shared = 0;
  return compare_records(a, b, 0, order, shared);
}

// Blocks are known by the begins of their first records: so much of them as tells each from the block before it, and a
// little more. These begins are front-coded too, so that common prefixes take no memory.
struct RunBlock {
  std::uint64_t offset = 0;
  std::uint32_t stored_bytes = 0, raw_bytes = 0, records = 0;
  std::uint32_t first_shared = 0;  // bytes of the begin that are those of the block before
  std::uint64_t records_before = 0;
  std::uint32_t record_bytes = 0, line_bytes = 0;  // record_bytes: with a line end for each; line_bytes: without
  std::string first_further;                       // the begin's other bytes
  std::uint32_t stored_crc = 0;                    // CRC32C of what is in the file
  bool has_whole_first = false;                    // the begin is all that is compared of the record
  // With their ends.
  std::uint64_t bytes_of_lines(LineFormat format) const {
    return line_bytes + std::uint64_t{records} * format.end_bytes();
  }
};

// Sorted lines of a block in memory, and the encoder of their keys; both outlive this.
struct MemoryLines {
  MemoryLines(const LineBlock& sorted, const KeyEncoder& key_encoder) : block(sorted), encoder(key_encoder) {}
  struct Place {
    std::size_t part, line;
  };
  const LineBlock& block;
  const KeyEncoder& encoder;
  std::vector<Place> places;  // where each block of the run begins; it ends in the same part
};

struct Run {
  ScratchFile* file = nullptr;
  std::unique_ptr<MemoryLines> lines;  // instead of a file
  std::vector<RunBlock> blocks;
  std::uint64_t records = 0, stored_bytes = 0, record_bytes = 0;
  std::uint32_t longest_raw = 0, longest_record = 0, longest_stored = 0;
  std::string last_first;  // of the last block: what is compared of its first record, at most kMostFirstBytes
  std::size_t known_first_bytes = 0;  // bytes of it that the block is known by
  std::size_t further_bytes = 0;      // of all blocks
  // Memory that it takes as long as it exists.
  std::size_t own_bytes() const { return blocks.capacity() * sizeof(RunBlock) + further_bytes + last_first.capacity(); }
};

// Leaves new elements of a vector as they are, so that their pages are not touched before they are written.
template <typename T>
struct UntouchedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UntouchedAllocator<U>;
  };
  template <typename U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};
using StoredBytes = std::vector<std::uint8_t, UntouchedAllocator<std::uint8_t>>;

// A block that is encoded, and not yet in a file.
struct EncodedBlock {
  static constexpr std::size_t kMostFirstBytes = 4096;
  StoredBytes stored;
  RunBlock block;
  std::string first;            // what is compared of the first record, at most kMostFirstBytes
  bool has_whole_first = true;  // `first` is all of it
  std::uint32_t longest_record = 0;
};

// Walks over the blocks of a run, and unfolds what they are known by.
class BlockWalk {
 public:
  explicit BlockWalk(const Run& run) : run_(&run) { unfold(); }
  bool is_at_end() const { return block_ == run_->blocks.size(); }
  std::size_t block() const { return block_; }
  // Requires of the following: not at the end. Views live until the next call of next().
  std::string_view first() const { return first_; }
  bool has_whole_first() const { return run_->blocks[block_].has_whole_first; }
  void next() {
    ++block_;
    unfold();
  }

 private:
  void unfold();
  const Run* run_;
  std::size_t block_ = 0;
  std::string first_;
};

// The blocks of a sort take this share of their records together, where zstd can do that.
struct PackGoal {
  double share = 0.29;
  std::uint64_t sort = 0;  // a number of its own; blocks of other sorts do not count
};

// Encodes records, in order, into a block.
class BlockEncoder {
 public:
  explicit BlockEncoder(const RecordOrder& order, const PackGoal& goal = {}) : order_(order), goal_(goal) {}
  // `shared`: bytes that the record and the last one have in common; without meaning for the first of a block. Copies
  // what it needs of the record.
  void add(const Record& record, std::size_t shared);
  // The same. Requires: kCopyPadding bytes after the record are readable.
  void add_padded(const Record& record, std::size_t shared);
  // Bytes of the records, with a line end for each: what a merge makes of them.
  std::uint64_t record_bytes() const { return block_.record_bytes; }
  bool is_empty() const { return block_.records == 0; }
  // Compresses the block, and begins anew.
  EncodedBlock finish();
  // A block of one record, which is not copied; for long ones. Requires: the encoder is empty.
  EncodedBlock encode_alone(const Record& record);
  // The same as add() and finish() for records that stay where they are: nothing is encoded.
  void note(const Record& record);
  EncodedBlock finish_noted() { return take({}); }

 private:
  template <typename Copy>
  void add(const Record& record, std::size_t shared, const Copy& copy);
  void begin(const Record& record);
  void count(const Record& record);
  EncodedBlock take(StoredBytes stored);

  RecordOrder order_;
  PackGoal goal_;
  StoredBytes raw_;  // the first raw_bytes_ are in use
  std::size_t raw_bytes_ = 0;
  std::string first_;
  RunBlock block_;
  std::uint32_t longest_record_ = 0;
  bool has_whole_first_ = true;
};

// Appends a block to a run, and what is stored of it to its file. Blocks come in order.
void append_block(Run& run, const EncodedBlock& encoded);

// Bytes of the lines of the first records of a run, without line ends. Unpacks one block.
std::uint64_t line_bytes_before(const Run& run, std::uint64_t records, const RecordOrder& order);

// Reads records [begin, end) of a run in order.
class RunCursor {
 public:
  static constexpr bool kIsPadded = true;  // kCopyPadding bytes after a record are readable
  RunCursor(const Run& run, const RecordOrder& order) : run_(&run), order_(order) {}
  // Stands before record `begin`.
  void seek(std::uint64_t begin, std::uint64_t end);
  // Returns false at the end. Views live until the next call; the byte after them is the end of the line.
  bool next();
  Record record() const { return {{text(), bytes_}, key_bytes_}; }
  // Bytes that the record shares with the one before it; 0 after seek().
  std::uint32_t shared() const { return shared_; }
  std::uint64_t position() const { return next_ - 1; }  // of the record

 private:
  void load(std::size_t block);
  void next_line();
  void take_alone(std::uint32_t bytes);
  void take_further(std::uint32_t kept, std::uint32_t further);
  const char* text() const { return alone_at_ == nullptr ? text_.data() : alone_at_; }

  const Run* run_;
  RecordOrder order_;
  std::vector<std::uint8_t> raw_;
  std::string text_;
  const char* alone_at_ = nullptr;  // a record that stays in raw_, for it is long and alone in its block, or in memory
  std::string before_;              // the record before, if it was put together of its keys and its line
  MemoryLines::Place place_ = {};   // of the next line in memory
  const std::uint8_t* at_ = nullptr;
  std::size_t block_ = 0;
  std::uint64_t block_end_ = 0, next_ = 0, end_ = 0;
  std::uint32_t bytes_ = 0, key_bytes_ = 0, shared_ = 0;
};

// Scratch files in several directories, used in turn, under one limit; or those of a keeper.
class RunSpace {
 public:
  // limit_bytes 0: none. `keeper` may be null.
  RunSpace(std::vector<std::string> directories, std::uint64_t limit_bytes, RunKeeper* keeper = nullptr)
      : directories_(std::move(directories)), limit_bytes_(limit_bytes), keeper_(keeper) {}
  // The runs that are kept already. Throws BudgetError above the limit.
  std::vector<Run> open_kept();
  // The file for the next run. Throws IoError.
  ScratchFile& next_file();
  // The run is whole: with those before it, it holds all lines before `done`.
  void keep(Run& run, const InputDone& done);
  // The run was merged from neighbouring ones, which are not read any more.
  void replace(std::span<const Run> group, Run& merged);
  // Throws BudgetError above the limit.
  void charge(std::uint64_t bytes);
  void release(const Run& run);
  std::uint64_t written_bytes() const { return written_bytes_; }
  // The goal of the next runs.
  const PackGoal& goal() const { return goal_; }
  void want_share(double share) { goal_.share = share; }

 private:
  std::vector<std::string> directories_;
  std::uint64_t limit_bytes_;
  RunKeeper* keeper_;
  std::vector<std::unique_ptr<UnlinkedFile>> files_;
  std::size_t next_ = 0;
  std::uint64_t used_bytes_ = 0, written_bytes_ = 0;
  PackGoal goal_{.sort = ++last_sort_};
  static inline std::atomic<std::uint64_t> last_sort_{0};
};

}  // namespace spillway
