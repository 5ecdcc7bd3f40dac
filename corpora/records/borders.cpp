#include "corpora/records/borders.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/sgml/scanner.hpp"

namespace spillway {

namespace {

constexpr std::string_view kDocumentEnd = "</DOC>";

bool starts_with_tag(std::string_view bytes, std::string_view upper_case_tag) {
  if (bytes.size() < upper_case_tag.size()) return false;
  return std::equal(upper_case_tag.begin(), upper_case_tag.end(), bytes.begin(), [](char tag, char byte) {
    return tag == byte || (byte >= 'a' && byte <= 'z' && tag == static_cast<char>(byte - 'a' + 'A'));
  });
}

// Whether a document begins with these bytes: its tag may have attributes.
bool starts_document(std::string_view bytes) {
  constexpr std::string_view kName = "<DOC";
  return bytes.size() > kName.size() && starts_with_tag(bytes, kName) && bytes[kName.size()] != '<' &&
         !SgmlScanner::is_name_byte(bytes[kName.size()]);
}

bool ends_document(std::string_view bytes) { return starts_with_tag(bytes, kDocumentEnd); }

// Offset of the last tag from `from` on, or npos.
template <typename IsTag>
std::size_t rfind_tag(std::string_view bytes, const IsTag& is_tag, std::size_t from) {
  for (std::size_t end = bytes.size(); end > from;) {
    const auto* at = static_cast<const char*>(memrchr(bytes.data() + from, '<', end - from));
    if (at == nullptr) break;
    end = static_cast<std::size_t>(at - bytes.data());
    if (is_tag(bytes.substr(end))) return end;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t RecordBorders::find(std::string_view bytes, std::size_t from) const {
  if (!is_trec_) {
    const std::size_t newline = bytes.find('\n', from == 0 ? 0 : from - 1);
    return newline == std::string_view::npos ? kNone : newline + 1;
  }
  for (std::size_t at = bytes.find('<', from); at != std::string_view::npos; at = bytes.find('<', at + 1)) {
    if (starts_document(bytes.substr(at))) return at;
  }
  return kNone;
}

std::size_t RecordBorders::find_last(std::string_view bytes, std::size_t from) const {
  if (is_trec_) {
    const std::size_t tag = rfind_tag(bytes, starts_document, std::min(from, bytes.size()));
    return tag == std::string_view::npos ? kNone : tag;
  }
  const std::size_t first = from == 0 ? 0 : from - 1;  // of a newline that ends a record
  if (first >= bytes.size()) return kNone;
  const auto* newline = static_cast<const char*>(memrchr(bytes.data() + first, '\n', bytes.size() - first));
  return newline == nullptr ? kNone : static_cast<std::size_t>(newline - bytes.data()) + 1;
}

std::size_t RecordBorders::first_undecided(std::size_t bytes) const {
  if (!is_trec_) return bytes + 1;
  return bytes < undecided_bytes() ? 0 : bytes - undecided_bytes();
}

std::size_t RecordBorders::whole_bytes(std::string_view bytes) const {
  const std::size_t border = find_last(bytes, 0);
  const std::size_t whole = border == kNone ? 0 : border;
  if (!is_trec_) return whole;
  const std::size_t end = rfind_tag(bytes, ends_document, whole);
  return end == std::string_view::npos ? whole : end + kDocumentEnd.size();
}

}  // namespace spillway
