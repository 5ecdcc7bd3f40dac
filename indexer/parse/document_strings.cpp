#include "indexer/parse/document_strings.hpp"

#include "corpora/document/field_table.hpp"
#include "corpora/document/utf8.hpp"
#include "io/run/document_cursor.hpp"

namespace spillway {

unsigned DocumentStrings::keep(const DocumentFields& fields, StorePolicy store) {
  document_ = RunDocument{};
  if (!fields.id.empty()) document_.fields |= RunDocument::kId;
  id_.assign(fields.id);
  if (store == StorePolicy::kNone) return 0;
  return keep_field(fields.has_title, fields.title, RunDocument::kTitle, title_) +
         keep_field(fields.has_url, fields.url, RunDocument::kUrl, url_) +
         keep_field(fields.has_date, fields.date, RunDocument::kDate, date_);
}

unsigned DocumentStrings::keep_field(bool has, std::string_view value, std::uint8_t bit, std::string& kept) {
  if (!has || value.empty()) return 0;
  kept.assign(utf8_prefix(value, kMaxFieldBytes));
  document_.fields |= bit;
  return kept.size() < value.size() ? 1 : 0;
}

void DocumentStrings::keep_text_hash(const Hash128& hash) {
  text_hash_ = hash;
  document_.fields |= RunDocument::kTextHash;
}

void DocumentStrings::append_to(std::vector<std::uint8_t>& stream, std::uint32_t length) {
  document_.length = length;
  document_.id = id_;
  document_.title = title_;
  document_.url = url_;
  document_.date = date_;
  document_.text_hash = {reinterpret_cast<const char*>(text_hash_.data()), text_hash_.size()};
  append_run_document(document_, stream);
}

}  // namespace spillway
