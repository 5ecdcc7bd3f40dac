// Maps the names in a record (JSON members, trec elements, tsv columns) to the fields of a document, and judges whether
// the fields of a record make a document. Shared by all parsers, so that they judge alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/sink.hpp"

namespace spillway {

// A longer id is refused, a longer title becomes the start of the text, and a longer url or date is cut.
inline constexpr std::size_t kMaxFieldBytes = 65535;
// A longer record is skipped unread. The bound is twice the text, because escapes such as "\n" take two bytes for one,
// plus 1 MiB for the other members.
constexpr std::uint64_t longest_record_bytes(std::uint64_t max_document_bytes) {
  constexpr std::uint64_t kOverheadBytes = std::uint64_t{1} << 20;
  return max_document_bytes > (~std::uint64_t{0} - kOverheadBytes) / 2 ? ~std::uint64_t{0}
                                                                       : 2 * max_document_bytes + kOverheadBytes;
}

enum class ValueKind : std::uint8_t { kAbsent, kNull, kString, kNumber, kBoolean, kContainer };

// The value of the last member with one name.
struct FieldValue {
  ValueKind kind = ValueKind::kAbsent;
  // Offsets in the record of a number, or of a string without its quotes.
  std::uint64_t begin = 0, end = 0;
  std::uint64_t text_bytes = 0;  // length of the number's text, or of the unescaped, repaired string
};

// The name index of each field of a record; FieldTable::kNoName if the field is absent.
struct ChosenFields {
  std::size_t id, title, text, url, date;
};

class FieldTable {
 public:
  static constexpr std::size_t kNoName = static_cast<std::size_t>(-1);

  explicit FieldTable(const FieldNames& names);

  std::size_t name_count() const { return names_.size(); }
  const std::string& name(std::size_t index) const { return names_[index]; }
  std::size_t longest_name() const { return longest_name_; }
  // Returns the index of a name, or kNoName for a member that no field uses. O(names); there are about ten.
  std::size_t find(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    return kNoName;
  }
  // Whether the name is one of the text, and of no other field.
  bool is_text_only(std::size_t name) const;
  // For each field the first of its names whose value is present and not null.
  ChosenFields choose(std::span<const FieldValue> values) const;

 private:
  std::vector<std::string> names_;                  // distinct
  std::array<std::vector<std::size_t>, 5> fields_;  // indices of names: of id, title, text, url and date
  std::size_t longest_name_ = 0;
};

struct SkipVerdict {
  SkipReason reason;
  std::string detail;
};
// Why a well-formed record makes no document; nullopt if it makes one.
std::optional<SkipVerdict> judge_fields(const ChosenFields& chosen, std::span<const FieldValue> values,
                                        std::uint64_t max_document_bytes);

std::string document_too_long_detail(std::uint64_t bytes, std::uint64_t max_document_bytes);

}  // namespace spillway
