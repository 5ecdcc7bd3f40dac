// The documents of a block: read in place from its chunks, or written to a run. Documents that are cut between chunks
// are joined.
#pragma once

#include <span>

#include "indexer/block/block.hpp"
#include "io/format/cursors.hpp"
#include "io/run/writer.hpp"

namespace spillway {

// A document that is cut between chunks of the block, until the chunk in which it ends.
struct CutDocument {
  bool open = false;
  std::uint8_t fields = 0;
  std::uint32_t length = 0;
  std::span<const std::uint8_t> strings;
  // What is known only where it ends: its presence bits, and its bytes in the stream after those of `strings`.
  std::uint8_t last_fields = 0;
  std::span<const std::uint8_t> last_strings = {};

  // Adds tokens. InputError for more than 2^32 - 1 tokens in all.
  void add(std::uint32_t more);
  // Adds the part in the chunk where the document ends. Returns the bytes of its entry, the chunk's first.
  std::size_t add_end(const ParsedChunk& chunk);
};

// Views live as long as the block.
class BlockDocumentCursor final : public DocumentCursor {
 public:
  explicit BlockDocumentCursor(const Block& block) : BlockDocumentCursor(block, 0, block.chunks.size()) {}
  // The documents that end in the chunks [first, last), and the block's open document if `last` is the block's end.
  BlockDocumentCursor(const Block& block, std::size_t first, std::size_t last);

  bool next() override;
  const RunDocument& document() const override { return document_; }

 private:
  void end_cut();

  const std::span<const ParsedChunk> chunks_;
  std::size_t next_chunk_, last_chunk_;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;  // of the chunk's documents
  const ParsedChunk* leaves_open_ = nullptr;           // the chunk, if its last document goes on after it
  CutDocument cut_;
  RunDocument document_;
};

void write_block_documents(const Block& block, RunWriter& writer);

// The bytes that copy_documents() writes.
std::size_t document_bytes(const Block& block);
// Returns a block with the documents of this one and without its terms. Copies their arrays to `to`, which lives
// longer. O(bytes). Requires: no texts.
Block copy_documents(const Block& block, ArrayWriter& to);

}  // namespace spillway
