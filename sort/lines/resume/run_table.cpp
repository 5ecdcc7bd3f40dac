#include "sort/lines/resume/run_table.hpp"

#include <limits>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

class TableWriter {
 public:
  void number(std::uint64_t value) {
    std::uint8_t bytes[kMaxVarintBytes];
    table_.insert(table_.end(), bytes, write_varint(bytes, value));
  }
  void text(std::string_view text) {
    const auto bytes = bytes_of(text);
    table_.insert(table_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::uint8_t> take() { return std::move(table_); }

 private:
  std::vector<std::uint8_t> table_;
};

class TableReader {
 public:
  TableReader(std::span<const std::uint8_t> table, const std::string& path)
      : begin_(table.data()), at_(table.data()), end_(table.data() + table.size()), path_(path) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!read_varint(&at_, end_, &value)) refuse();
    return value;
  }
  std::uint32_t small_number() {
    const std::uint64_t value = number();
    if (value > std::numeric_limits<std::uint32_t>::max()) refuse();
    return static_cast<std::uint32_t>(value);
  }
  std::string text(std::uint64_t bytes) {
    if (bytes > left()) refuse();
    const auto* const from = reinterpret_cast<const char*>(at_);
    at_ += bytes;
    return {from, static_cast<std::size_t>(bytes)};
  }
  std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }
  void need(bool condition) const {
    if (!condition) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw FormatError(printable(path_, 4096) + ": expected the table of a run, found another number at its byte " +
                      std::to_string(at_ - begin_) + ": the file is damaged; give --restart to sort anew");
  }
  const std::uint8_t *begin_, *at_, *end_;
  const std::string& path_;
};

// A block's begin takes its first bytes from that of the block before, which has `known` bytes.
RunBlock read_block(TableReader& from, std::size_t known) {
  RunBlock block;
  block.offset = from.number();
  block.stored_bytes = from.small_number();
  block.raw_bytes = from.small_number();
  block.records = from.small_number();
  block.record_bytes = from.small_number();
  block.line_bytes = from.small_number();
  block.stored_crc = from.small_number();
  block.first_shared = from.small_number();
  const std::uint64_t further = from.number();
  block.first_further = from.text(further / 2);
  block.has_whole_first = further % 2 != 0;
  from.need(block.records != 0 && block.first_shared <= known);
  return block;
}

}  // namespace

std::vector<std::uint8_t> write_run_table(const Run& run) {
  TableWriter to;
  for (const std::uint64_t value : {run.records, run.record_bytes, run.stored_bytes, std::uint64_t{run.longest_raw},
                                    std::uint64_t{run.longest_record}, std::uint64_t{run.longest_stored}}) {
    to.number(value);
  }
  to.number(run.blocks.size());
  for (const RunBlock& block : run.blocks) {
    to.number(block.offset);
    for (const std::uint32_t value : {block.stored_bytes, block.raw_bytes, block.records}) to.number(value);
    for (const std::uint32_t value : {block.record_bytes, block.line_bytes, block.stored_crc}) to.number(value);
    to.number(block.first_shared);
    to.number(2 * block.first_further.size() + (block.has_whole_first ? 1 : 0));
    to.text(block.first_further);
  }
  return to.take();
}

Run read_run_table(std::span<const std::uint8_t> table, std::uint64_t blocks_end, const std::string& path) {
  TableReader from(table, path);
  Run run;
  run.records = from.number();
  run.record_bytes = from.number();
  run.stored_bytes = from.number();
  run.longest_raw = from.small_number();
  run.longest_record = from.small_number();
  run.longest_stored = from.small_number();
  const std::uint64_t count = from.number();
  from.need(count <= from.left());
  run.blocks.reserve(static_cast<std::size_t>(count));
  std::uint64_t records = 0, record_bytes = 0, known = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    RunBlock block = read_block(from, known);
    from.need(block.offset <= blocks_end && block.stored_bytes <= blocks_end - block.offset);
    from.need(block.raw_bytes <= run.longest_raw && block.stored_bytes <= run.longest_stored);
    from.need(block.line_bytes <= block.record_bytes);
    known = block.first_shared + block.first_further.size();
    block.records_before = records;
    records += block.records;
    record_bytes += block.record_bytes;
    run.further_bytes += block.first_further.size() > std::string().capacity() ? block.first_further.size() : 0;
    run.blocks.push_back(std::move(block));
  }
  from.need(records == run.records && record_bytes == run.record_bytes && from.left() == 0);
  return run;
}

}  // namespace spillway
