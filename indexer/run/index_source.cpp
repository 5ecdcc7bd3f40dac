#include "indexer/run/index_source.hpp"

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/index/source_numbering.hpp"
#include "io/index/state.hpp"

namespace spillway {

namespace {

constexpr std::size_t kReaderBytes = std::size_t{16} << 10;  // about what the objects of an open index take

Hash128 identity_of(const IndexReader& reader) { return hash128(bytes_of(reader.state().manifest.serialize())); }

}  // namespace

IndexSource::IndexSource(FileSystem& files, const std::string& directory) : files_(files), directory_(directory) {
  const IndexReader reader(files, directory, IndexTermCursor::kResidentBytes);
  options_ = reader.options();
  counts_ = reader.counts();
  identity_ = identity_of(reader);
  for (const IndexReader::FileStats& file : reader.files()) bytes += file.bytes;
  summary = IndexInput(reader).summary();
  may_have_dropped = counts_.source_documents != counts_.documents;
}

const MergeInput& IndexSource::open(unsigned cursors) {
  reader_ = std::make_unique<IndexReader>(files_, directory_, cursors * IndexTermCursor::kResidentBytes);
  if (identity_of(*reader_) != identity_) {
    close();
    throw IoError(printable(directory_, 4096) +
                  " was replaced by another job after this one had begun: run the command again");
  }
  input_ = std::make_unique<IndexInput>(*reader_);
  return *input_;
}

void IndexSource::close() {
  input_.reset();
  reader_.reset();
}

std::size_t IndexSource::cursor_bytes() const { return IndexTermCursor::memory_bytes(options_.positions); }

std::size_t IndexSource::open_bytes() const {
  const std::size_t checked_pages = static_cast<std::size_t>(bytes / kPageBytes / 8);
  return kReaderBytes + checked_pages +
         (may_have_dropped ? SourceNumbering::memory_bytes(counts_.source_documents) : 0);
}

}  // namespace spillway
