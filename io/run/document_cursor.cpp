#include "io/run/document_cursor.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "io/base/varint.hpp"
#include "io/run/layout.hpp"

namespace spillway {

namespace {

using namespace run_layout;

// The strings of a document in the order in which they are stored, which is that of the bits of `fields`.
std::array<std::string_view*, 6> strings_of(RunDocument& document) {
  return {&document.id, &document.title, &document.url, &document.date, &document.text, &document.text_hash};
}

// Calls take() for the strings that `fields` names. Documents without fields are not read any further.
template <typename Take>
void for_each_string(const RunDocument& document, const Take& take) {
  if (document.fields == 0) return;
  if ((document.fields & RunDocument::kId) != 0) take(document.id);
  if ((document.fields & RunDocument::kTitle) != 0) take(document.title);
  if ((document.fields & RunDocument::kUrl) != 0) take(document.url);
  if ((document.fields & RunDocument::kDate) != 0) take(document.date);
  if ((document.fields & RunDocument::kText) != 0) take(document.text);
  if ((document.fields & RunDocument::kTextHash) != 0) take(document.text_hash);
}

}  // namespace

RunDocumentCursor::RunDocumentCursor(const RunReader& run, std::uint64_t max_document_bytes)
    : run_(run),
      max_document_bytes_(max_document_bytes),
      blocks_(std::make_unique<RunBlockReader>(run, kDocumentBlock, kHeaderBytes, 0)) {}

RunDocumentCursor::~RunDocumentCursor() = default;

void RunDocumentCursor::fail(const std::string& expected, const std::string& found) const {
  throw_damaged(run_.file().path(), blocks_->offset(), expected + " in document " + std::to_string(read_count_), found);
}

bool RunDocumentCursor::next() {
  if (read_count_ == run_.summary().document_count) {
    if (at_ != stream_.size() || loaded_bytes_ != run_.document_bytes()) fail("the end of the documents", "more bytes");
    return false;
  }
  while (!parse()) load_block();
  ++read_count_;
  return true;
}

void RunDocumentCursor::load_block() {
  if (stream_.size() - at_ > max_document_bytes_) {
    fail("a document of at most " + std::to_string(max_document_bytes_) + " bytes", "a longer one");
  }
  if (loaded_bytes_ == run_.document_bytes() || !blocks_->next()) fail("more bytes", "the end of the documents");
  if (blocks_->payload().size() > run_.document_bytes() - loaded_bytes_) fail("the last bytes", "a block with more");
  loaded_bytes_ += blocks_->payload().size();
  stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  stream_.insert(stream_.end(), blocks_->payload().begin(), blocks_->payload().end());
}

// Returns false if the number continues after the bytes held.
bool RunDocumentCursor::read_number(const std::uint8_t** at, std::uint64_t* value) const {
  const std::uint8_t* const end = stream_.data() + stream_.size();
  if (read_varint(at, end, value)) return true;
  if (static_cast<std::size_t>(end - *at) >= kMaxVarintBytes) fail("a varint of at most 64 bits", "a longer one");
  return false;
}

// Parses the document at at_ if it is held completely; otherwise changes nothing and returns false.
bool RunDocumentCursor::parse() {
  const std::uint8_t* at = stream_.data() + at_;
  const std::uint8_t* const end = stream_.data() + stream_.size();
  if (at == end) return false;
  RunDocument document;
  document.fields = *at++;
  const bool known = document.fields == RunDocument::kDropped || (document.fields & ~RunDocument::kKnownFields) == 0;
  if (!known) fail("known fields", std::to_string(document.fields));
  if ((document.fields & RunDocument::kId) != 0 && !run_.summary().has_stored_ids) {
    fail("no id, as the footer says", "one");
  }
  std::uint64_t length = 0;
  if (!read_number(&at, &length)) return false;
  if (length > std::numeric_limits<std::uint32_t>::max()) fail("a length of 32 bits", std::to_string(length));
  document.length = static_cast<std::uint32_t>(length);
  const std::uint64_t to_come = run_.document_bytes() - loaded_bytes_;
  unsigned field = 0;
  for (std::string_view* text : strings_of(document)) {
    if ((document.fields >> field++ & 1) == 0) continue;
    std::uint64_t bytes = 0;
    if (!read_number(&at, &bytes)) return false;
    const auto held = static_cast<std::uint64_t>(end - at);
    if (bytes > max_document_bytes_ || (bytes > held && bytes - held > to_come)) {
      fail("a field that fits the run and " + std::to_string(max_document_bytes_) + " bytes",
           std::to_string(bytes) + " bytes");
    }
    if (bytes > held) return false;
    *text = {reinterpret_cast<const char*>(at), static_cast<std::size_t>(bytes)};
    at += bytes;
  }
  if ((document.fields & RunDocument::kTextHash) != 0 && document.text_hash.size() != sizeof(Hash128)) {
    fail("a hash of " + std::to_string(sizeof(Hash128)) + " bytes", std::to_string(document.text_hash.size()));
  }
  at_ = static_cast<std::size_t>(at - stream_.data());
  document_ = document;
  return true;
}

void append_run_document(const RunDocument& document, std::vector<std::uint8_t>& stream) {
  const std::size_t before = stream.size();
  std::size_t most = 1 + kMaxVarintBytes;
  for_each_string(document, [&](std::string_view text) { most += kMaxVarintBytes + text.size(); });
  stream.resize(before + most);
  std::uint8_t* at = stream.data() + before;
  *at++ = document.fields;
  at = write_varint(at, document.length);
  for_each_string(document, [&](std::string_view text) {
    at = write_varint(at, text.size());
    at = std::copy(text.begin(), text.end(), at);
  });
  stream.resize(static_cast<std::size_t>(at - stream.data()));
}

}  // namespace spillway
