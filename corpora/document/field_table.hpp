// Which member of a JSON record is which field of a document, and what is wrong with a record's fields. Shared by the
// fast parser and the scanner, so that both judge alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/corpus_options.hpp"
#include "corpora/document/sink.hpp"

namespace spillway {

// A longer id is refused. A longer title is handed out as the start of the text; a longer url or date is cut.
inline constexpr std::size_t kMaxFieldBytes = 65535;
// A longer record is skipped as too long without a look into it. Twice the text, because "\n" and "\"" take two bytes
// for one, and something for the other members.
constexpr std::uint64_t longest_record_bytes(std::uint64_t max_document_bytes) {
  constexpr std::uint64_t kOverheadBytes = std::uint64_t{1} << 20;
  return max_document_bytes > (~std::uint64_t{0} - kOverheadBytes) / 2 ? ~std::uint64_t{0}
                                                                       : 2 * max_document_bytes + kOverheadBytes;
}

enum class JsonKind : std::uint8_t { kAbsent, kNull, kString, kNumber, kBoolean, kContainer };

// The last member of one name.
struct JsonValue {
  JsonKind kind = JsonKind::kAbsent;
  // In the record: a number's text, or what stands between a string's quotes.
  std::uint64_t begin = 0, end = 0;
  std::uint64_t text_bytes = 0;  // of the unescaped, repaired string; of the number's text
};

enum class FieldSlot : std::uint8_t { kId, kTitle, kText, kUrl, kDate };
inline constexpr std::size_t kFieldSlotCount = 5;

class FieldTable {
 public:
  static constexpr std::size_t kNoName = static_cast<std::size_t>(-1);

  explicit FieldTable(const FieldNames& names);

  std::size_t name_count() const { return names_.size(); }
  std::size_t longest_name() const { return longest_name_; }
  // Index of a name, kNoName for members that no field uses.
  std::size_t find(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return i;
    }
    return kNoName;
  }
  // Index of the name whose value is the slot's: the first that is there and not null. kNoName: there is none.
  std::size_t choose(FieldSlot slot, std::span<const JsonValue> values) const;

 private:
  std::vector<std::string> names_;  // distinct
  std::vector<std::size_t> slots_[kFieldSlotCount];
  std::size_t longest_name_ = 0;
};

// What the fields of a record are, by name index (kNoName: absent).
struct ChosenFields {
  std::size_t id, title, text, url, date;
};
ChosenFields choose_fields(const FieldTable& table, std::span<const JsonValue> values);

struct SkipVerdict {
  SkipReason reason;
  std::string detail;
};
// Why a well-formed record gives no document; nullopt if it does.
std::optional<SkipVerdict> judge_fields(const ChosenFields& chosen, std::span<const JsonValue> values,
                                        std::uint64_t max_document_bytes);

std::string document_too_long_detail(std::uint64_t bytes, std::uint64_t max_document_bytes);

}  // namespace spillway
