// The text of many inputs, one after the other, each ended by a line end. Regular files are read by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "sort/lines/block/longest_line.hpp"
#include "sort/lines/keys/line_format.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

// How much of all inputs is done: whole lines, up to byte `offset` of the text of input number `input`. The text is
// what is left after unpacking, with the line end that is added if the last line lacks one. `bytes` and `lines` count
// all of it.
struct InputDone {
  std::uint64_t input = 0, offset = 0, bytes = 0, lines = 0;
};

// Opens an input that is not read as it stands in its file; nullptr for others.
using InputOpener = std::function<std::unique_ptr<ByteStream>(const std::string& path)>;

// Text that a block takes its lines from.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // Reads some of the bytes that `out` holds; 0 only at the end, where the last line is ended.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
  // Whether there is nothing left. May be false until a read has returned 0.
  virtual bool is_at_end() const = 0;
  // As read(), but may map a part of a file in place of pages of `out`, which then must stay until the input's mappings
  // have ended.
  virtual std::size_t map_or_read(std::span<std::uint8_t> out) { return read(out); }
  // Whether the next bytes are those of a file of known size, at its begin: then how many it has.
  virtual std::optional<std::uint64_t> file_ahead() { return std::nullopt; }
  // How many bytes are left, if the rest is that of one file of known size.
  virtual std::optional<std::uint64_t> bytes_left() const { return std::nullopt; }
};

// Not thread-safe; reads in parallel inside the calling thread's TBB arena, unless it reads directly.
class LineInput final : public LineSource {
 public:
  // `paths`: "-" is standard input. `check` is called while a read waits and between reads; it throws to stop.
  LineInput(FileSystem& files, std::vector<std::string> paths, LineFormat format, std::function<void()> check,
            InputOpener opener = {});

  // Reads as many bytes as `out` holds, fewer only at the end of the last input; then 0. Adds a line end to an input
  // that lacks it. Throws IoError, and FormatError for an input that is no whole number of records.
  std::size_t read(std::span<std::uint8_t> out) override;
  // Bytes of files that something writes to may change until end_mappings().
  std::size_t map_or_read(std::span<std::uint8_t> out) override;
  std::optional<std::uint64_t> file_ahead() override;
  std::optional<std::uint64_t> bytes_left() const override;
  // Reads files past the page cache, and maps none. Such reads wait for the disk, so they are made by as many threads
  // of their own. Requires: nothing was read yet.
  void read_directly(std::size_t threads) { direct_threads_ = threads; }
  // The file, if all text is that of one file that is read as it stands there, and nothing was read yet; otherwise
  // null. It lives until something is read or left out.
  const ReadableFile* only_file();
  // Leaves that file out, which the caller has read. Requires: only_file() returned it.
  void leave_out_file();
  // From now on done_before() may be called.
  void keep_places() { keeps_places_ = true; }
  // Returns the place before the last `bytes` bytes that were read: the next line begins there. Sets no lines.
  // Requires: something was read, and no earlier call named a later place.
  InputDone done_before(std::uint64_t bytes);
  // Reads on from there, instead of from the begin. Packed inputs are unpacked anew up to that place. Requires: nothing
  // was read yet, and keep_places() was called.
  void go_on_after(const InputDone& done);
  // Throws if a file that was mapped has been truncated or changed since, or could not be read. Requires: all input was
  // read, and its text is not needed any more.
  void end_mappings();
  bool is_at_end() const override { return !is_open_ && next_ == paths_.size(); }
  // The longest line that was read, if that has LongestLineFinder::kSurelyFound bytes or more. Not of records.
  std::optional<LinePlace> longest_line() const;
  // Also while read() calls `check`.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  // An input that was opened: how much was read before it, in text and in bytes.
  struct Begin {
    std::uint64_t input, text, bytes;
  };

  bool open_next();
  std::uint64_t skip(std::uint64_t bytes);
  std::size_t read(std::span<std::uint8_t> out, bool may_map);
  void refuse_part_of_record() const;
  std::size_t read_current(std::span<std::uint8_t> out);
  std::size_t read_file(std::span<std::uint8_t> out);
  std::size_t map_file(std::span<std::uint8_t> out);

  FileSystem& files_;
  std::vector<std::string> paths_;
  LineFormat format_;
  std::function<void()> check_;
  InputOpener opener_;
  std::size_t next_ = 0;
  std::unique_ptr<ReadableFile> file_;
  std::vector<std::unique_ptr<ReadableFile>> mapped_;  // those that were read to their ends
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t offset_ = 0;
  std::uint64_t bytes_read_ = 0, bytes_of_current_ = 0, text_bytes_ = 0;
  LongestLineFinder longest_{format_.line_end};
  std::vector<Begin> begins_;       // the last one that done_before() named, and those after it
  std::size_t direct_threads_ = 0;  // 0: files are read through the page cache
  bool keeps_places_ = false;
  std::uint8_t last_byte_ = 0;
  bool is_open_ = false, is_empty_ = true, is_mapped_ = false;
};

}  // namespace spillway
