// The term table: a static B-tree of front-coded nodes of about 4 KiB, built bottom-up in one pass and read from the
// root down in `height` steps. docs/formats.md lists the bytes of a node.
//
// A leaf holds entries {front-coded term, df, cf, posting bytes or the only document, position bytes}. Offsets into the
// other sections are running sums from the bases in the leaf's header, which names the part of the lists. An inner node
// holds its children, each after the shortest separator that distinguishes it from the previous child.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/section/writer.hpp"

namespace spillway {

// Holds one node per level. Not thread-safe.
class TermTableWriter {
 public:
  TermTableWriter(SectionWriter& out, Positions positions);

  // Adds the next term. Requires: 1 to 65535 bytes, above the last term (otherwise FormatError); df >= 1, cf >= df.
  // Reads single_document if df = 1, posting_bytes if df > 1. Ignores the number and the offsets of `entry`, which
  // follow from the order.
  void add(const TermEntry& entry);
  // The lists of the terms that follow are in this part. Ends the open leaf, because a leaf has lists of one part only.
  void begin_part(unsigned part);
  // Writes the open nodes, the root and the trailer.
  void finish();

  std::uint64_t term_count() const { return term_count_; }

 private:
  struct InnerNode {
    std::vector<std::uint8_t> entries;
    std::uint32_t entry_count = 0;
    std::string separator;  // of its first child, for the level above
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
  std::uint64_t leaf_first_ = 0, leaf_postings_ = 0, leaf_bounds_ = 0, leaf_positions_ = 0;  // bases of the open leaf
  std::uint64_t term_count_ = 0, bound_bytes_ = 0;
  std::array<std::uint64_t, kListParts> posting_bytes_{}, position_bytes_{};
  unsigned part_ = 0;
  std::vector<InnerNode> levels_;  // levels_[0]: parents of leaves
};

}  // namespace spillway
