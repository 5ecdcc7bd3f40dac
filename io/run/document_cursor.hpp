// The document stream of a run: appending documents, and reading them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/format/cursors.hpp"
#include "io/run/block_reader.hpp"
#include "io/run/reader.hpp"

namespace spillway {

// Appends one document to a document stream.
void append_run_document(const RunDocument& document, std::vector<std::uint8_t>& stream);

// Walks the document stream. Holds one block and one document, which may be larger than a block if texts are stored.
class RunDocumentCursor final : public DocumentCursor {
 public:
  // Limit on the bytes of one document in the stream. It is far above the default of --max-document-bytes, and bounds
  // the memory that a forged run can request.
  static constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{1} << 30;

  explicit RunDocumentCursor(const RunReader& run, std::uint64_t max_document_bytes = kMaxDocumentBytes);
  ~RunDocumentCursor() override;
  RunDocumentCursor(const RunDocumentCursor&) = delete;
  RunDocumentCursor& operator=(const RunDocumentCursor&) = delete;
  bool next() override;
  const RunDocument& document() const override { return document_; }

 private:
  bool parse();
  bool read_number(const std::uint8_t** at, std::uint64_t* value) const;
  void load_block();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::uint64_t max_document_bytes_;
  std::unique_ptr<RunBlockReader> blocks_;
  std::uint64_t read_count_ = 0, loaded_bytes_ = 0;
  std::vector<std::uint8_t> stream_;
  std::size_t at_ = 0;
  RunDocument document_;
};

}  // namespace spillway
