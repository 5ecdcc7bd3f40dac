// Reads the term table (io/termdict/writer.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/section/reader.hpp"

namespace spillway {

// Thread-safe. Checks every number of the table against the limits given before it returns the number. find() and a
// Walk to a term take `height` node reads and one scan of a leaf of about 4 KiB.
class TermTableReader {
 public:
  struct Limits {
    std::uint64_t terms = 0, documents = 0;
    std::uint64_t bound_bytes = 0;                                            // data bytes of that section
    std::array<std::uint64_t, kListParts> posting_bytes{}, position_bytes{};  // data bytes of those parts
    bool positions = false;
  };
  TermTableReader(const SectionReader& section, const Limits& limits);

  std::optional<TermEntry> find(std::string_view term) const;

  // Walks the entries of one leaf and, with next_leaf(), those of the leaves after it.
  class Walk {
   public:
    // Starts at the first entry of the leaf that would hold `term`.
    Walk(const TermTableReader& table, std::string_view term);
    // Starts at the leaf at `offset`.
    Walk(const TermTableReader& table, std::uint64_t offset);
    // Returns false at the end of the leaf.
    bool next();
    // Returns false at the end of the table.
    bool next_leaf();
    const TermEntry& entry() const { return entry_; }

   private:
    void open(std::uint64_t offset);
    void read_term();
    void read_figures();
    std::uint64_t read(std::string_view what);
    void claim(std::uint64_t bytes, std::uint64_t used, std::uint64_t limit, std::string_view what) const;
    [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

    const TermTableReader& table_;
    std::uint64_t leaf_offset_ = 0, leaf_end_ = 0;
    const std::uint8_t *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
    std::uint32_t entries_left_ = 0;
    bool first_ = true;
    std::uint64_t next_number_ = 0, next_posting_ = 0, next_bound_ = 0, next_position_ = 0;
    TermEntry entry_;
  };

  // A child of an inner node.
  struct Child {
    std::string_view separator;  // empty for the first child
    std::uint64_t offset;
  };
  std::vector<Child> children(std::uint64_t offset, unsigned level) const;

  std::uint64_t root_offset() const { return root_offset_; }
  unsigned height() const { return height_; }
  std::uint64_t nodes_end() const { return nodes_end_; }
  struct Node {
    const std::uint8_t* bytes;
    std::uint32_t size;
    std::uint32_t entry_count;
    unsigned level;
  };
  // Returns the node at `offset` after checking its frame.
  Node node(std::uint64_t offset) const;
  const SectionReader& section() const { return section_; }

 private:
  std::uint64_t leaf_for(std::string_view term) const;
  const SectionReader& section_;
  Limits limits_;
  std::uint64_t nodes_end_ = 0, root_offset_ = 0;
  unsigned height_ = 0;
};

}  // namespace spillway
