// The term table: a static B-tree of front-coded nodes of about 4 KiB, built bottom-up in one pass and read from the
// root down in `height` steps. docs/formats.md has the bytes of a node.
//
// A leaf holds entries {front-coded term, df, cf, posting bytes or the one document, position bytes}; offsets into the
// other sections are sums from the bases in its header. An inner node holds children, each behind the shortest
// separator that tells it from the child before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/index.hpp"
#include "io/index/reader.hpp"
#include "io/section/file.hpp"

namespace spillway {

// Bytes of bound entries that a list of `document_count` postings has.
inline std::uint64_t bound_bytes_of(std::uint64_t document_count) {
  if (document_count <= kPostingsBlock) return 0;
  return (document_count / kPostingsBlock + (document_count % kPostingsBlock != 0 ? 1 : 0)) * kBoundEntryBytes;
}

// Holds one node for each level. Not thread-safe.
class TermTableWriter {
 public:
  TermTableWriter(SectionWriter& out, Positions positions);

  // Requires: 1 to 65535 term bytes, above the last term (else FormatError); df >= 1, cf >= df. single_document counts
  // where df = 1, posting_bytes where df > 1. Offsets and number of `entry` are not read: they follow from the order.
  void add(const TermEntry& entry);
  // Writes what is open, the root and the trailer.
  void finish();

  std::uint64_t term_count() const { return term_count_; }

 private:
  struct InnerNode {
    std::vector<std::uint8_t> entries;
    std::uint32_t entry_count = 0;
    std::string separator;  // of its first child, kept for the level above
  };
  void start_leaf(std::string_view term);
  void finish_leaf();
  void add_child(std::size_t level, std::string separator, std::uint64_t offset);
  void finish_inner(std::size_t level);
  void write_head(std::size_t bytes, std::uint32_t entry_count, std::size_t level);

  SectionWriter& out_;
  Positions positions_;
  std::string last_term_, leaf_separator_;
  std::vector<std::uint8_t> leaf_, encoded_;
  std::uint32_t leaf_count_ = 0;
  std::uint64_t leaf_first_ = 0, leaf_postings_ = 0, leaf_bounds_ = 0, leaf_positions_ = 0;  // its bases
  std::uint64_t term_count_ = 0, posting_bytes_ = 0, bound_bytes_ = 0, position_bytes_ = 0;
  std::vector<InnerNode> levels_;  // [0]: parents of leaves
};

// Reads the table; thread-safe. Every number in it is checked against the figures given before it is handed out.
class TermTableReader {
 public:
  struct Limits {
    std::uint64_t terms = 0, documents = 0;
    std::uint64_t posting_bytes = 0, bound_bytes = 0, position_bytes = 0;  // data of those sections
    bool positions = false;
  };
  TermTableReader(const SectionReader& section, const Limits& limits);

  std::optional<TermEntry> find(std::string_view term) const;

  // Walks the entries of one leaf, then, with next_leaf(), of those behind it.
  class Walk {
   public:
    // At the first entry of the leaf that would hold `term`.
    Walk(const TermTableReader& table, std::string_view term);
    // Over the leaf at `offset`.
    Walk(const TermTableReader& table, std::uint64_t offset);
    // False at the end of the leaf.
    bool next();
    // False at the end of the table.
    bool next_leaf();
    const TermEntry& entry() const { return entry_; }
    std::uint64_t leaf_offset() const { return leaf_offset_; }

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

  // One inner node, whole.
  struct Child {
    std::string_view separator;  // empty for the first
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
  // The node at `offset`, its frame checked.
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
