#include "merge/index/length_codes.hpp"

#include <stdexcept>

#include "io/postings/list_encoder.hpp"

namespace spillway {

namespace {

// Lists look up documents that are far apart. In a table of small pages, each lookup would miss the TLB.
constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

}  // namespace

LengthCodes::LengthCodes(MemoryBudget& budget, std::uint64_t document_count)
    : codes_(budget, static_cast<std::size_t>(document_count), "length codes"), count_(codes_.size()) {
  if (codes_.size() >= kLargePageBytes) codes_.use_large_pages();
}

void LengthCodes::set(std::uint32_t document, std::uint32_t length) {
  if (document >= codes_.size()) throw std::logic_error("the length of a document that the source does not have");
  codes_.data()[document] = length_code(length);
}

void LengthCodes::drop(const DroppedDocuments& dropped) {
  if (dropped.none()) return;
  std::uint8_t* const codes = codes_.data();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    if (!dropped.contains(static_cast<std::uint32_t>(i))) codes[kept++] = codes[i];
  }
  count_ = kept;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> set_lengths(const MergeInput& input, std::uint64_t first,
                                                                 LengthCodes& codes, const StopCheck& check) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cut;
  const RunIdentity& identity = input.identity();
  const std::uint64_t count = input.summary().document_count;
  const std::unique_ptr<DocumentCursor> cursor = input.documents();
  std::uint64_t index = 0, tokens = 0;
  for (; cursor->next(); ++index) {
    if (check) check();
    const std::uint32_t length = cursor->document().length;
    const auto document = static_cast<std::uint32_t>(first + index);
    tokens += length;
    if ((index == 0 && identity.first_document_open) || (index + 1 == count && identity.last_document_open)) {
      cut.emplace_back(document, length);
    } else {
      codes.set(document, length);
    }
  }
  check_documents(input, index, tokens);
  return cut;
}

}  // namespace spillway
