#include "io/termdict/reader.hpp"

#include <array>

#include "io/base/byte_order.hpp"
#include "io/base/varint.hpp"

namespace spillway {

TermTableReader::TermTableReader(const SectionReader& section, const Limits& limits)
    : section_(section), limits_(limits) {
  if (section.size() < kTermTrailerBytes) section.fail(section.size(), "the trailer of the term table", "the end");
  nodes_end_ = section.size() - kTermTrailerBytes;
  const std::uint8_t* trailer = section.at(nodes_end_, kTermTrailerBytes);
  root_offset_ = load_le<std::uint64_t>(trailer);
  const auto terms = load_le<std::uint64_t>(trailer + 8), height = load_le<std::uint64_t>(trailer + 16);
  if (terms != limits.terms)
    section.fail(nodes_end_ + 8, std::to_string(limits.terms) + " terms", std::to_string(terms));
  if (height > kMaxTermTableHeight || (height == 0) != (terms == 0)) {
    section.fail(nodes_end_ + 16, "a height that fits the terms", std::to_string(height));
  }
  height_ = static_cast<unsigned>(height);
}

TermTableReader::Node TermTableReader::node(std::uint64_t offset) const {
  if (offset >= nodes_end_ || nodes_end_ - offset < kNodeHeaderBytes) {
    section_.fail(nodes_end_, "a node", "the end of the nodes");
  }
  const std::uint8_t* head = section_.at(offset, kNodeHeaderBytes);
  Node node{nullptr, load_le<std::uint32_t>(head), load_le<std::uint16_t>(head + 4), load_le<std::uint16_t>(head + 6)};
  const std::size_t least = kNodeHeaderBytes + (node.level == 0 ? kLeafHeaderBytes : 0);
  if (node.size < least || node.size > nodes_end_ - offset) {
    section_.fail(offset, "a node size inside the table", std::to_string(node.size));
  }
  if (node.entry_count == 0 || node.level >= height_) {
    section_.fail(offset + 4, "a node of entries below the root", "level " + std::to_string(node.level));
  }
  node.bytes = section_.at(offset, node.size);
  return node;
}

std::vector<TermTableReader::Child> TermTableReader::children(std::uint64_t offset, unsigned level) const {
  const Node found = node(offset);
  if (found.level != level) {
    section_.fail(offset + 6, "level " + std::to_string(level), "level " + std::to_string(found.level));
  }
  std::vector<Child> children;
  const std::uint8_t *at = found.bytes + kNodeHeaderBytes, *end = found.bytes + found.size;
  const auto fail = [&](std::string_view expected, std::string_view what) {
    section_.fail(offset + static_cast<std::uint64_t>(at - found.bytes), expected, what);
  };
  for (std::uint32_t i = 0; i < found.entry_count; ++i) {
    std::uint64_t bytes = 0, child = 0;
    if (!read_varint(&at, end, &bytes) || bytes > static_cast<std::uint64_t>(end - at)) {
      fail("a separator inside the node", "the end");
    }
    const std::string_view separator{reinterpret_cast<const char*>(at), bytes};
    at += bytes;
    if (!read_varint(&at, end, &child) || child >= offset) fail("a child before its parent", "another offset");
    if (i == 0 ? !separator.empty() : separator <= children.back().separator) {
      fail("ascending separators after an empty one", "disorder");
    }
    children.push_back({separator, child});
  }
  if (at != end) fail("the end of the node", "more bytes");
  return children;
}

// Children precede their parents and levels fall by one, so the walk ends for any bytes.
std::uint64_t TermTableReader::leaf_for(std::string_view term) const {
  std::uint64_t offset = root_offset_;
  for (unsigned level = height_ - 1; level > 0; --level) {
    const std::vector<Child> all = children(offset, level);
    const auto behind =
        std::upper_bound(all.begin() + 1, all.end(), term,
                         [](std::string_view key, const Child& child) { return key < child.separator; });
    offset = (behind - 1)->offset;
  }
  return offset;
}

std::optional<TermEntry> TermTableReader::find(std::string_view term) const {
  if (height_ == 0 || term.empty() || term.size() > kMaxTermBytes) return std::nullopt;
  Walk walk(*this, term);
  while (walk.next()) {
    const int order = std::string_view(walk.entry().term).compare(term);
    if (order == 0) return walk.entry();
    if (order > 0) break;
  }
  return std::nullopt;
}

TermTableReader::Walk::Walk(const TermTableReader& table, std::string_view term) : table_(table) {
  if (table.height_ != 0) open(table.leaf_for(term));
}

TermTableReader::Walk::Walk(const TermTableReader& table, std::uint64_t offset) : table_(table) { open(offset); }

void TermTableReader::Walk::open(std::uint64_t offset) {
  const Node leaf = table_.node(offset);
  if (leaf.level != 0) table_.section_.fail(offset + 6, "a leaf", "level " + std::to_string(leaf.level));
  leaf_offset_ = offset;
  leaf_end_ = offset + leaf.size;
  begin_ = leaf.bytes;
  at_ = begin_ + kNodeHeaderBytes + kLeafHeaderBytes;
  end_ = begin_ + leaf.size;
  entries_left_ = leaf.entry_count;
  first_ = true;
  const std::uint8_t* bases = begin_ + kNodeHeaderBytes;
  next_number_ = load_le<std::uint64_t>(bases);
  next_posting_ = load_le<std::uint64_t>(bases + 8);
  next_bound_ = load_le<std::uint64_t>(bases + 16);
  next_position_ = load_le<std::uint64_t>(bases + 24);
  entry_.part = bases[32];
  if (entry_.part >= kListParts) fail("a part below " + std::to_string(kListParts), std::to_string(entry_.part));
  const Limits& limits = table_.limits_;
  if (next_number_ > limits.terms || leaf.entry_count > limits.terms - next_number_) {
    fail("term numbers below " + std::to_string(limits.terms), std::to_string(next_number_));
  }
}

// Leaves are in term order, with inner nodes between them.
bool TermTableReader::Walk::next_leaf() {
  if (table_.height_ == 0) return false;
  std::uint64_t offset = leaf_end_;
  while (offset < table_.nodes_end_) {
    const Node node = table_.node(offset);
    if (node.level == 0) {
      open(offset);
      return true;
    }
    offset += node.size;
  }
  return false;
}

void TermTableReader::Walk::fail(std::string_view expected, std::string_view found) const {
  table_.section_.fail(leaf_offset_ + static_cast<std::uint64_t>(at_ - begin_), expected, found);
}

std::uint64_t TermTableReader::Walk::read(std::string_view what) {
  std::uint64_t value = 0;
  if (!read_varint(&at_, end_, &value)) fail(what, "the end of the leaf or an overlong number");
  return value;
}

bool TermTableReader::Walk::next() {
  if (entries_left_ == 0) {
    if (at_ != end_) fail("the end of the leaf", "more bytes");
    return false;
  }
  --entries_left_;
  read_term();
  read_figures();
  first_ = false;
  return true;
}

// The shared prefix is as long as possible, so the first byte after it decides the order.
void TermTableReader::Walk::read_term() {
  if (at_ == end_) fail("an entry", "the end of the leaf");
  const unsigned head = *at_++;
  std::uint64_t shared = head & 15, suffix = head >> 4;
  if (shared == 15) shared += std::min<std::uint64_t>(read("shared bytes"), kMaxTermBytes + 1);
  if (suffix == 15) suffix += std::min<std::uint64_t>(read("suffix bytes"), kMaxTermBytes + 1);
  std::string& term = entry_.term;
  if (shared > (first_ ? 0 : term.size()) || suffix == 0 || suffix > static_cast<std::uint64_t>(end_ - at_) ||
      shared + suffix > kMaxTermBytes) {
    fail("a term of 1 to 65535 bytes", std::to_string(shared) + " shared and " + std::to_string(suffix) + " new bytes");
  }
  if (!first_ && shared < term.size() && *at_ <= static_cast<std::uint8_t>(term[shared])) {
    fail("a term above the one before", "disorder");
  }
  term.resize(shared);
  term.append(reinterpret_cast<const char*>(at_), suffix);
  at_ += suffix;
}

void TermTableReader::Walk::claim(std::uint64_t bytes, std::uint64_t used, std::uint64_t limit,
                                  std::string_view what) const {
  if (used > limit || bytes > limit - used) {
    fail(std::string(what) + " inside the file's " + std::to_string(limit),
         std::to_string(bytes) + " at " + std::to_string(used));
  }
}

void TermTableReader::Walk::read_figures() {
  const Limits& limits = table_.limits_;
  const std::uint64_t figure = read("a document count");
  entry_.document_count = figure >> 1;
  if (entry_.document_count == 0 || entry_.document_count > limits.documents) {
    fail("1 to " + std::to_string(limits.documents) + " documents", std::to_string(entry_.document_count));
  }
  entry_.occurrence_count = entry_.document_count;
  if ((figure & 1) == 0) {
    // Each frequency fits 32 bits and a list has fewer than 2^31 of them, so their sum is below 2^63.
    const std::uint64_t more = read("an occurrence count");
    if (more >> 63 != 0) fail("an occurrence count below 2^63", std::to_string(more));
    entry_.occurrence_count += more + 1;
  }
  entry_.posting_bytes = entry_.single_document = 0;
  const std::uint64_t place = read("posting bytes or a document");
  if (entry_.document_count == 1) {
    if (place >= limits.documents) fail("a document below " + std::to_string(limits.documents), std::to_string(place));
    entry_.single_document = static_cast<std::uint32_t>(place);
  } else {
    entry_.posting_bytes = place;
  }
  entry_.position_bytes = limits.positions ? read("position bytes") : 0;
  entry_.number = next_number_++;
  entry_.posting_offset = next_posting_;
  entry_.bound_offset = next_bound_;
  entry_.position_offset = next_position_;
  const std::uint64_t bound_bytes = bound_bytes_of(entry_.document_count);
  claim(entry_.posting_bytes, next_posting_, limits.posting_bytes[entry_.part], "postings");
  claim(bound_bytes, next_bound_, limits.bound_bytes, "bounds");
  claim(entry_.position_bytes, next_position_, limits.position_bytes[entry_.part], "positions");
  next_posting_ += entry_.posting_bytes;
  next_bound_ += bound_bytes;
  next_position_ += entry_.position_bytes;
}

}  // namespace spillway
