// The bytes of one record, in memory or, if there are too many, in a file. Parsers read them once to judge the record
// and again to hand out its text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/sink.hpp"
#include "corpora/document/utf8.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// Bytes that parsers may read after a block of records, and write after unescaped text.
inline constexpr std::size_t kRecordPadding = 64;

class RecordSource {
 public:
  using Visitor = std::function<void(std::string_view)>;
  virtual ~RecordSource() = default;
  virtual std::uint64_t size() const = 0;
  // Hands the bytes [begin, end) to the visitor, in order and in fragments of any length.
  virtual void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) = 0;
};

class MemoryRecord final : public RecordSource {
 public:
  // `most`: bytes of a fragment.
  explicit MemoryRecord(std::string_view bytes, std::size_t most = std::string_view::npos)
      : bytes_(bytes), most_(most) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) override {
    std::string_view left = bytes_.substr(begin, end - begin);
    for (; left.size() > most_; left.remove_prefix(most_)) visitor(left.substr(0, most_));
    visitor(left);
  }

 private:
  std::string_view bytes_;
  std::size_t most_;
};

// Reports a long record's input bytes while parsers read the record, which they do several times. The sink may stop
// them.
class PassProgress {
 public:
  // Reports `share` input bytes for each byte that is read, and `most` in all.
  PassProgress(DocumentSink& sink, double share, std::uint64_t most) : sink_(sink), share_(share), most_(most) {}
  void read(std::uint64_t bytes);
  // Lowers `most`, now that the record's length is known.
  void limit(std::uint64_t most) { most_ = std::min(most_, most); }
  std::uint64_t reported() const { return reported_; }

 private:
  DocumentSink& sink_;
  double share_;
  std::uint64_t most_, read_ = 0, reported_ = 0;
};

// A range of a file, read through `buffer`.
class FileRecord final : public RecordSource {
 public:
  FileRecord(const ReadableFile& file, std::uint64_t begin, std::uint64_t end, std::span<std::uint8_t> buffer,
             PassProgress& progress)
      : file_(file), begin_(begin), end_(end), buffer_(buffer), progress_(progress) {}
  std::uint64_t size() const override { return end_ - begin_; }
  void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) override;

 private:
  const ReadableFile& file_;
  std::uint64_t begin_, end_;
  std::span<std::uint8_t> buffer_;
  PassProgress& progress_;
};

// The place of a record, or of a block of records, in the input.
struct RecordPlace {
  std::string_view path;
  std::uint64_t offset = 0;
  bool is_last = false;  // the input ends here
  SourcePlace at(std::uint64_t in_record = 0) const { return {path, offset + in_record}; }
};

// Joins small fragments of text before they go to the sink. Requires: a buffer of at least 64 bytes.
class TextBuffer final : public TextOutput {
 public:
  TextBuffer(std::span<char> buffer, DocumentSink& sink) : buffer_(buffer), sink_(sink) {}
  void append(std::string_view fragment) override;
  void flush();

 private:
  std::span<char> buffer_;
  std::size_t used_ = 0;
  DocumentSink& sink_;
};

}  // namespace spillway
