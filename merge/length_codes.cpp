#include "merge/length_codes.hpp"

#include <stdexcept>

#include "io/list_encoder.hpp"
#include "merge/document_join.hpp"
#include "merge/source_layout.hpp"

namespace spillway {

LengthCodes::LengthCodes(MemoryBudget& budget, std::uint64_t document_count)
    : codes_(budget, static_cast<std::size_t>(document_count), "length codes"), count_(codes_.size()) {}

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

LengthCodes read_length_codes(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                              MemoryBudget& budget) {
  LengthCodes codes(budget, lay_out_source(inputs).document_count);
  join_documents(inputs, [&](std::uint32_t number, const RunDocument& document) {
    codes.set(number, document.length);
    return JoinStep::kGoOn;
  });
  codes.drop(dropped);
  return codes;
}

}  // namespace spillway
