// The bytes of one record, wherever they are: in memory, or too many for it and in a file. Readers go over them once to
// judge, and again to hand out text.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "corpora/document/sink.hpp"
#include "corpora/document/utf8.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

class RecordSource {
 public:
  using Visitor = std::function<void(std::string_view)>;
  virtual ~RecordSource() = default;
  virtual std::uint64_t size() const = 0;
  // Hands the bytes from begin to end to the visitor, in order, piece by piece.
  virtual void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) = 0;
};

class MemoryRecord final : public RecordSource {
 public:
  explicit MemoryRecord(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) override {
    visitor(bytes_.substr(begin, end - begin));
  }

 private:
  std::string_view bytes_;
};

// A range of a file, read through `buffer`. Tells the sink between reads that it is alive (consumed(0)).
class FileRecord final : public RecordSource {
 public:
  FileRecord(const ReadableFile& file, std::uint64_t begin, std::uint64_t end, std::span<std::uint8_t> buffer,
             DocumentSink& sink)
      : file_(file), begin_(begin), end_(end), buffer_(buffer), sink_(sink) {}
  std::uint64_t size() const override { return end_ - begin_; }
  void visit(std::uint64_t begin, std::uint64_t end, const Visitor& visitor) override;

 private:
  const ReadableFile& file_;
  std::uint64_t begin_, end_;
  std::span<std::uint8_t> buffer_;
  DocumentSink& sink_;
};

// Where a record, or a block of them, stands.
struct RecordPlace {
  std::string_view path;
  std::uint64_t offset = 0;
  bool is_last = false;  // the input ends with it
  SourcePlace at(std::uint64_t in_record = 0) const { return {path, offset + in_record}; }
};

// Joins small pieces before they go to the sink. Requires: a buffer of at least 64 bytes.
class PieceBuffer final : public TextOutput {
 public:
  PieceBuffer(std::span<char> buffer, DocumentSink& sink) : buffer_(buffer), sink_(sink) {}
  void append(std::string_view piece) override;
  void flush();

 private:
  std::span<char> buffer_;
  std::size_t used_ = 0;
  DocumentSink& sink_;
};

}  // namespace spillway
