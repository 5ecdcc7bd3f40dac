#include "io/termdict/writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

void append_varint(std::vector<std::uint8_t>& to, std::uint64_t value) {
  std::array<std::uint8_t, kMaxVarintBytes> bytes;
  to.insert(to.end(), bytes.data(), write_varint(bytes.data(), value));
}

void append_text(std::vector<std::uint8_t>& to, std::string_view text) {
  to.insert(to.end(), text.begin(), text.end());
}

// One nibble for the number of shared bytes and one for the number of new bytes; the value 15 means that a varint with
// the rest follows.
void append_front_coded(std::vector<std::uint8_t>& to, std::size_t shared, std::string_view suffix) {
  const auto low = std::min<std::size_t>(shared, 15), high = std::min<std::size_t>(suffix.size(), 15);
  to.push_back(static_cast<std::uint8_t>(low | high << 4));
  if (low == 15) append_varint(to, shared - 15);
  if (high == 15) append_varint(to, suffix.size() - 15);
  append_text(to, suffix);
}

}  // namespace

TermTableWriter::TermTableWriter(SectionWriter& out, Positions positions) : out_(out), positions_(positions) {}

void TermTableWriter::add(const TermEntry& entry) {
  const std::string_view term = entry.term;
  if (term.empty() || term.size() > kMaxTermBytes) {
    throw FormatError("a term of " + std::to_string(term.size()) + " bytes: an index takes 1 to 65535");
  }
  if (term_count_ != 0 && term <= last_term_) {
    throw FormatError("the term \"" + printable(term) + "\" follows \"" + printable(last_term_) +
                      "\": an input of the merge is not in term order");
  }
  const auto encode = [&](std::size_t shared) {
    encoded_.clear();
    append_front_coded(encoded_, shared, term.substr(shared));
    const bool once = entry.occurrence_count == entry.document_count;
    append_varint(encoded_, entry.document_count << 1 | (once ? 1 : 0));
    if (!once) append_varint(encoded_, entry.occurrence_count - entry.document_count - 1);
    append_varint(encoded_, entry.document_count == 1 ? entry.single_document : entry.posting_bytes);
    if (positions_ == Positions::kStored) append_varint(encoded_, entry.position_bytes);
  };
  encode(leaf_count_ == 0 ? 0 : shared_bytes(last_term_, term));
  if (leaf_count_ != 0 && kNodeHeaderBytes + kLeafHeaderBytes + leaf_.size() + encoded_.size() > kNodeBytes) {
    finish_leaf();
    encode(0);
  }
  if (leaf_count_ == 0) start_leaf(term);
  leaf_.insert(leaf_.end(), encoded_.begin(), encoded_.end());
  ++leaf_count_;
  ++term_count_;
  if (entry.document_count > 1) posting_bytes_[part_] += entry.posting_bytes;
  bound_bytes_ += bound_bytes_of(entry.document_count);
  position_bytes_[part_] += entry.position_bytes;
  last_term_ = term;
}

void TermTableWriter::begin_part(unsigned part) {
  if (leaf_count_ != 0) finish_leaf();
  part_ = part;
}

void TermTableWriter::start_leaf(std::string_view term) {
  if (term_count_ != 0) leaf_separator_ = term.substr(0, shared_bytes(last_term_, term) + 1);
  leaf_first_ = term_count_;
  leaf_postings_ = posting_bytes_[part_];
  leaf_bounds_ = bound_bytes_;
  leaf_positions_ = position_bytes_[part_];
}

void TermTableWriter::write_head(std::size_t bytes, std::uint32_t entry_count, std::size_t level) {
  out_.append_integer(static_cast<std::uint32_t>(kNodeHeaderBytes + bytes));
  out_.append_integer(static_cast<std::uint16_t>(entry_count));
  out_.append_integer(static_cast<std::uint16_t>(level));
}

void TermTableWriter::finish_leaf() {
  const std::uint64_t offset = out_.size();
  write_head(kLeafHeaderBytes + leaf_.size(), leaf_count_, 0);
  out_.append_integer(leaf_first_);
  out_.append_integer(leaf_postings_);
  out_.append_integer(leaf_bounds_);
  out_.append_integer(leaf_positions_);
  out_.append_integer(static_cast<std::uint8_t>(part_));
  out_.append(leaf_);
  leaf_.clear();
  leaf_count_ = 0;
  add_child(0, std::move(leaf_separator_), offset);
}

void TermTableWriter::add_child(std::size_t level, std::string separator, std::uint64_t offset) {
  if (level == levels_.size()) levels_.emplace_back();
  const std::size_t added = varint_bytes(separator.size()) + separator.size() + varint_bytes(offset);
  if (levels_[level].entry_count >= 2 && kNodeHeaderBytes + levels_[level].entries.size() + added > kNodeBytes) {
    finish_inner(level);
  }
  InnerNode& node = levels_[level];
  if (node.entry_count == 0) {
    node.separator = std::move(separator);
    separator.clear();
  }
  append_varint(node.entries, separator.size());
  append_text(node.entries, separator);
  append_varint(node.entries, offset);
  ++node.entry_count;
}

void TermTableWriter::finish_inner(std::size_t level) {
  const InnerNode node = std::exchange(levels_[level], {});
  const std::uint64_t offset = out_.size();
  write_head(node.entries.size(), node.entry_count, level + 1);
  out_.append(node.entries);
  add_child(level + 1, node.separator, offset);
}

void TermTableWriter::finish() {
  if (leaf_count_ != 0) finish_leaf();
  std::uint64_t root = 0;
  std::size_t height = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (level + 1 == levels_.size() && levels_[level].entry_count == 1) {
      const std::uint8_t* at = levels_[level].entries.data() + 1;  // after the empty separator
      read_varint(&at, levels_[level].entries.data() + levels_[level].entries.size(), &root);
      height = level + 1;
    } else if (levels_[level].entry_count != 0) {
      finish_inner(level);
    }
  }
  out_.append_integer(root);
  out_.append_integer(term_count_);
  out_.append_integer(static_cast<std::uint64_t>(height));
}

}  // namespace spillway
