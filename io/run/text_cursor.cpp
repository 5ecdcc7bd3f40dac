#include "io/run/text_cursor.hpp"

#include <algorithm>

#include "io/base/varint.hpp"
#include "io/run/layout.hpp"

namespace spillway {

using namespace run_layout;

void append_text_fragment(const TextFragment& fragment, std::vector<std::uint8_t>& stream) {
  std::uint8_t head[kMaxVarintBytes];
  const std::uint64_t number = std::uint64_t{fragment.bytes.size()} << 1 | (fragment.ends_document ? 1 : 0);
  stream.insert(stream.end(), head, write_varint(head, number));
  stream.insert(stream.end(), fragment.bytes.begin(), fragment.bytes.end());
}

RunTextCursor::RunTextCursor(const RunReader& run)
    : run_(run), blocks_(std::make_unique<RunBlockReader>(run, kTextBlock, kHeaderBytes, 0)) {}

RunTextCursor::~RunTextCursor() = default;

void RunTextCursor::fail(const std::string& expected, const std::string& found) const {
  throw_damaged(run_.file().path(), blocks_->offset(), expected, found);
}

bool RunTextCursor::load_block() {
  if (!blocks_->next()) return false;
  at_ = blocks_->payload().data();
  end_ = at_ + blocks_->payload().size();
  return true;
}

// Returns false at the end of the stream.
bool RunTextCursor::read_head() {
  std::uint8_t head[kMaxVarintBytes];
  std::size_t bytes = 0;
  do {
    if (at_ == end_ && !load_block()) {
      if (bytes == 0) return false;
      fail("the rest of a fragment's length", "the end of the texts");
    }
    if (bytes == sizeof head) fail("a fragment's length", "more than 10 bytes");
    head[bytes++] = *at_++;
  } while ((head[bytes - 1] & 0x80) != 0);
  const std::uint8_t* from = head;
  std::uint64_t number = 0;
  if (!read_varint(&from, head + bytes, &number)) fail("a fragment's length", "a number above 2^64");
  left_ = number >> 1;
  ends_document_ = (number & 1) != 0;
  return true;
}

bool RunTextCursor::next() {
  if (left_ == 0 && !read_head()) return false;
  if (left_ != 0 && at_ == end_ && !load_block()) fail("the rest of a text", "the end of the texts");
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left_, static_cast<std::uint64_t>(end_ - at_)));
  fragment_.bytes = {reinterpret_cast<const char*>(at_), bytes};
  at_ += bytes;
  left_ -= bytes;
  fragment_.ends_document = ends_document_ && left_ == 0;
  return true;
}

}  // namespace spillway
