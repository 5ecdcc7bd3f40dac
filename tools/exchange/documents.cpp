#include "tools/exchange/documents.hpp"

#include "corpora/document/utf8.hpp"
#include "io/base/error.hpp"

namespace spillway {

ExportedDocuments::ExportedDocuments(const IndexReader& index, ExportTexts texts) : cursor_(index) {
  if (texts == ExportTexts::kRead) texts_.emplace(index);
}

std::optional<std::string_view> ExportedDocuments::next_text() {
  if (!text_is_open_ || !texts_->next()) return std::nullopt;
  text_is_open_ = !texts_->fragment().ends_document;
  return texts_->fragment().bytes;
}

bool ExportedDocuments::next() {
  do {
    while (next_text()) {
    }
    if (!cursor_.next()) return false;
    text_is_open_ = texts_.has_value();
  } while (cursor_.document().fields == RunDocument::kDropped);
  ++next_number_;
  if ((cursor_.document().fields & RunDocument::kId) != 0) {
    id_ = cursor_.document().id;
  } else {
    id_ = std::to_string(next_number_);
  }
  return true;
}

void check_exported_id(std::uint64_t number, const std::string& id, std::string_view separators,
                       std::string_view format) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("document " + std::to_string(number) + " has the id '" + printable(id) + "', which " + why + ": " +
                     std::string(format) + " cannot hold it; leave the document out with merge --drop, " +
                     "or index it with another id");
  };
  if (!is_valid_utf8(id)) refuse("is not UTF-8");
  if (id.find_first_of(separators) != std::string::npos) refuse("holds a tab or a line break");
}

}  // namespace spillway
