#include "corpora/document/field_table.hpp"

#include <algorithm>

namespace spillway {

namespace {

std::string_view kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kString:
      return "a string";
    case ValueKind::kNumber:
      return "a number";
    case ValueKind::kBoolean:
      return "true or false";
    case ValueKind::kContainer:
      return "an array or object";
    case ValueKind::kAbsent:
      break;
  }
  return "nothing";
}

bool is_text(ValueKind kind) { return kind == ValueKind::kString || kind == ValueKind::kNumber; }

SkipVerdict bad_field(std::string_view field, ValueKind found) {
  return {SkipReason::kBadField,
          std::string(field) + ": expected a string or number, found " + std::string(kind_name(found))};
}

std::optional<SkipVerdict> judge_id(std::size_t id, std::span<const FieldValue> values) {
  if (id == FieldTable::kNoName) return SkipVerdict{SkipReason::kMissingId, "expected an id, found none"};
  const FieldValue& value = values[id];
  if (!is_text(value.kind)) return bad_field("id", value.kind);
  if (value.text_bytes == 0) return SkipVerdict{SkipReason::kMissingId, "expected an id, found an empty string"};
  if (value.text_bytes > kMaxFieldBytes) {
    return SkipVerdict{SkipReason::kIdTooLong, "expected an id of at most " + std::to_string(kMaxFieldBytes) +
                                                   " bytes, found " + std::to_string(value.text_bytes)};
  }
  return std::nullopt;
}

}  // namespace

FieldTable::FieldTable(const FieldNames& names) {
  const std::array lists{&names.id, &names.title, &names.text, &names.url, &names.date};
  for (std::size_t field = 0; field < lists.size(); ++field) {
    for (const std::string& name : *lists[field]) {
      const std::size_t known = find(name);
      fields_[field].push_back(known == kNoName ? names_.size() : known);
      if (known == kNoName) names_.push_back(name);
      longest_name_ = std::max(longest_name_, name.size());
    }
  }
}

bool FieldTable::is_text_only(std::size_t name) const {
  constexpr std::size_t kText = 2;
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const bool has_name = std::ranges::find(fields_[field], name) != fields_[field].end();
    if (has_name != (field == kText)) return false;
  }
  return true;
}

ChosenFields FieldTable::choose(std::span<const FieldValue> values) const {
  const auto first = [&](const std::vector<std::size_t>& names) {
    const auto found = std::find_if(names.begin(), names.end(), [&](std::size_t name) {
      return values[name].kind != ValueKind::kAbsent && values[name].kind != ValueKind::kNull;
    });
    return found == names.end() ? kNoName : *found;
  };
  return {first(fields_[0]), first(fields_[1]), first(fields_[2]), first(fields_[3]), first(fields_[4])};
}

std::optional<SkipVerdict> judge_fields(const ChosenFields& chosen, std::span<const FieldValue> values,
                                        std::uint64_t max_document_bytes) {
  if (auto verdict = judge_id(chosen.id, values)) return verdict;
  const struct {
    std::string_view name;
    std::size_t index;
  } fields[] = {{"title", chosen.title}, {"text", chosen.text}, {"url", chosen.url}, {"date", chosen.date}};
  for (const auto& field : fields) {
    if (field.index != FieldTable::kNoName && !is_text(values[field.index].kind)) {
      return bad_field(field.name, values[field.index].kind);
    }
  }
  if (chosen.title == FieldTable::kNoName && chosen.text == FieldTable::kNoName) {
    return SkipVerdict{SkipReason::kMissingText, "expected a title or a text, found neither"};
  }
  const auto bytes_of = [&](std::size_t index) {
    return index == FieldTable::kNoName ? std::uint64_t{0} : values[index].text_bytes;
  };
  const std::uint64_t bytes = bytes_of(chosen.title) + bytes_of(chosen.text);
  if (bytes > max_document_bytes) {
    return SkipVerdict{SkipReason::kDocumentTooLong, document_too_long_detail(bytes, max_document_bytes)};
  }
  return std::nullopt;
}

std::string document_too_long_detail(std::uint64_t bytes, std::uint64_t max_document_bytes) {
  return "expected at most " + std::to_string(max_document_bytes) + " bytes (--max-document-bytes), found " +
         std::to_string(bytes);
}

}  // namespace spillway
