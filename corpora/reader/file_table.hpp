// The files of a job's input, in input order: one of CorpusFile after another, packed into about 20 bytes each, so that
// a list of millions fits a small budget. plan_corpus() fills it; readers go through it with cursors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/corpus_options.hpp"

namespace spillway {

// One file (or stream) of the input.
struct CorpusFile {
  std::string path = {};     // to open; "-" is standard input
  std::size_t id_begin = 0;  // the path from here on is id()
  std::uint64_t size = 0;    // bytes as stored; 0 for streams
  std::int64_t modified_ns = 0;
  // kAuto for streams and compressed files until they are opened.
  CorpusFormat format = CorpusFormat::kAuto;
  Compression compression = Compression::kNone;
  bool is_stream = false;            // standard input, a FIFO, or a file whose size is not known
  std::uint64_t begin = 0, end = 0;  // this part has the records that start in these bytes
  std::uint64_t unpack_bytes = 0;    // memory to unpack it, as the start of the file says

  // `text` format: the id of the document, which is the path relative to the INPUT given.
  std::string_view id() const { return std::string_view(path).substr(id_begin); }
};

// Whether the reader thread has to unpack the file, stream it, or find its records one after the other; parsers read
// all other files themselves.
inline bool needs_reader(const CorpusFile& file) {
  return file.is_stream || file.compression != Compression::kNone || is_archive(file.format);
}

// A path is stored as what differs from the path before it, numbers as varints. Movable.
class FileTable {
 public:
  static constexpr std::size_t kNoMost = std::numeric_limits<std::size_t>::max();
  // Keeps no files once they would take more than `most_bytes`, but goes on to count files and bytes.
  explicit FileTable(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  FileTable() = default;

  void add(const CorpusFile& file);
  std::size_t size() const { return size_; }
  // The memory of all files added, kept or not.
  std::size_t memory_bytes() const { return memory_bytes_; }
  // Whether all files are kept.
  bool is_whole() const { return memory_bytes_ <= most_bytes_; }

  class Cursor;
  // The first file. Cursors become invalid when the table is changed or moved. Requires: is_whole().
  Cursor begin() const;
  std::default_sentinel_t end() const { return {}; }

 private:
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t used = 0;
  };
  // What the next file is stored relative to; each chunk starts anew.
  struct Previous {
    std::string path;
    std::uint64_t modified_ns = 0;
  };
  void start_chunk(std::size_t bytes);
  static void encode(const CorpusFile& file, const Previous& previous, std::vector<std::uint8_t>& to);
  static const std::uint8_t* decode(const std::uint8_t* from, Previous& previous, CorpusFile& file);

  std::size_t most_bytes_ = kNoMost;
  std::size_t size_ = 0;
  std::size_t memory_bytes_ = 0;
  std::size_t room_ = 0;  // in the last chunk
  std::vector<Chunk> chunks_;
  Previous previous_;
  std::vector<std::uint8_t> encoded_;  // the file that is added
};

// Reads the files of a table one after the other. Copies are independent of each other. Not thread-safe.
class FileTable::Cursor {
 public:
  // Requires, as the operators below: not at the end.
  const CorpusFile& operator*() const { return file_; }
  const CorpusFile* operator->() const { return &file_; }
  Cursor& operator++();
  bool operator==(std::default_sentinel_t) const { return at_end_; }

 private:
  friend class FileTable;
  explicit Cursor(const FileTable& table) : table_(&table) { ++*this; }

  const FileTable* table_;
  std::size_t chunk_ = 0, offset_ = 0;  // of the file after this one
  bool at_end_ = false;
  Previous previous_;
  CorpusFile file_;
};

}  // namespace spillway
