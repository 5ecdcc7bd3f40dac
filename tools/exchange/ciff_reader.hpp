// Reads a file of the Common Index File Format (tools/exchange/ciff_format.hpp) and checks every field. It is foreign:
// nothing in it is believed, and no memory is taken for a size that it states.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/exchange/wire_reader.hpp"

namespace spillway {

struct CiffHeader {
  std::uint64_t lists = 0, documents = 0;  // what follows
  std::uint64_t occurrences = 0;           // sum of all frequencies
  double average_length = 0;
  std::string description;  // as it is in the file: valid UTF-8, at most kMaxDescriptionBytes
};

// Receives what was read, checked as far as it goes: until read_ciff() returns, the file may yet prove wrong.
class CiffSink {
 public:
  virtual ~CiffSink() = default;
  virtual void header(const CiffHeader& header) = 0;
  // Lists come in the order of their terms; the view lives for the call.
  virtual void begin_list(std::string_view term) = 0;
  virtual void posting(std::uint32_t document, std::uint32_t frequency) = 0;  // documents ascend
  virtual void end_list() = 0;
  virtual void document(std::string_view id, std::uint32_t length) = 0;  // from number 0 on
};

// Where lengths of documents come from: the file, which has to agree with its lists, or the lists alone.
enum class CiffLengths { kStated, kPostings };

struct CiffRules {
  std::size_t max_term_bytes = 255;
  CiffLengths lengths = CiffLengths::kStated;
};

inline constexpr std::size_t kMaxDescriptionBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxIdBytes = 65535;

// O(bytes); memory for one term and one id, and from the budget 4 bytes a document, in pages, for those that have
// postings. Throws BudgetError if they do not fit, and FormatError that names the offset, the
// field, what was expected and found for: another version, a file with a part of the lists or documents, counts that
// are negative or differ from what follows, terms that are empty, longer than max_term_bytes, no UTF-8 or out of
// order, documents that do not ascend or do not exist, frequencies below 1, sums that differ, documents
// without an id, lengths that are not the sum of a document's frequencies (kStated) or 2^31 and more (kPostings),
// fields that are unknown, repeated or cut, messages of 2 GiB, and bytes after the end.
void read_ciff(WireReader& in, CiffSink& sink, MemoryBudget& budget, const CiffRules& rules);

}  // namespace spillway
