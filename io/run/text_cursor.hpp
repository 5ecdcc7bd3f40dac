// The text stream of a run: appending texts, and reading them back.
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

// Appends a fragment of a document's text to a text stream.
void append_text_fragment(const TextFragment& fragment, std::vector<std::uint8_t>& stream);

// Walks the text stream of a run with texts. Holds one block.
class RunTextCursor final : public TextCursor {
 public:
  static std::size_t memory_bytes(const RunReader& run) { return 2 * run.block_bytes() + 1024; }

  explicit RunTextCursor(const RunReader& run);
  ~RunTextCursor() override;
  RunTextCursor(const RunTextCursor&) = delete;
  RunTextCursor& operator=(const RunTextCursor&) = delete;
  // Returns a fragment that crosses the end of a block as several.
  bool next() override;
  const TextFragment& fragment() const override { return fragment_; }

 private:
  bool read_head();
  bool load_block();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::unique_ptr<RunBlockReader> blocks_;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;  // of the block
  std::uint64_t left_ = 0;                             // bytes left of the fragment
  bool ends_document_ = false;
  TextFragment fragment_;
};

}  // namespace spillway
