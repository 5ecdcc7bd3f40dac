#include "tools/exchange/text_writer.hpp"

#include <algorithm>

#include "io/base/error.hpp"
#include "tools/exchange/documents.hpp"

namespace spillway {

namespace {

void require_texts(const IndexReader& index) {
  if (index.options().store == StorePolicy::kText) return;
  throw UsageError("no texts are stored in " + printable(index.directory(), 4096) +
                   "; index again with --store text, or write ids and fields with spillway dump INDEX documents");
}

// The content of a JSON string. A fragment of UTF-8 may end inside a character.
void append_json(std::string_view text, BufferedBytes& out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; });
    const auto plain = static_cast<std::size_t>(end - text.begin()) - at;
    out.append(text.substr(at, plain));
    at += plain;
    if (at == text.size()) return;
    const auto c = static_cast<unsigned char>(text[at++]);
    if (c == '"' || c == '\\') {
      const char escaped[] = {'\\', static_cast<char>(c)};
      out.append({escaped, sizeof escaped});
    } else if (c == '\n') {
      out.append("\\n");
    } else {
      const char escaped[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      out.append({escaped, sizeof escaped});
    }
  }
}

void append_member(std::string_view begin, std::string_view value, BufferedBytes& out) {
  out.append(begin);
  append_json(value, out);
  out.append("\"");
}

void append_column(std::string_view text, BufferedBytes& out) {
  std::string column(text);
  std::replace_if(
      column.begin(), column.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r' || c == '\0'; }, ' ');
  out.append(column);
}

}  // namespace

void write_jsonl(const IndexReader& index, const WriteBytes& write, const ExportContext& context) {
  require_texts(index);
  context.stage("documents");
  BufferedBytes out(write);
  ExportedDocuments documents(index, ExportTexts::kRead);
  while (documents.next()) {
    context.check();
    check_exported_id(documents.number(), documents.id(), "", "JSON");
    const RunDocument& document = documents.document();
    append_member("{\"id\":\"", documents.id(), out);
    if ((document.fields & RunDocument::kTitle) != 0) append_member(",\"title\":\"", document.title, out);
    if ((document.fields & RunDocument::kUrl) != 0) append_member(",\"url\":\"", document.url, out);
    if ((document.fields & RunDocument::kDate) != 0) append_member(",\"date\":\"", document.date, out);
    out.append(",\"text\":\"");
    while (const auto fragment = documents.next_text()) append_json(*fragment, out);
    out.append("\"}\n");
  }
  out.finish();
}

void write_tsv(const IndexReader& index, const WriteBytes& write, const ExportContext& context) {
  require_texts(index);
  context.stage("documents");
  BufferedBytes out(write);
  ExportedDocuments documents(index, ExportTexts::kRead);
  while (documents.next()) {
    context.check();
    check_exported_id(documents.number(), documents.id(), std::string_view("\t\r\n\0", 4),
                      "a file of columns separated by tabs");
    out.append(documents.id());
    out.append("\t");
    append_column(documents.document().title, out);
    out.append("\t");
    while (const auto fragment = documents.next_text()) append_column(*fragment, out);
    out.append("\n");
  }
  out.finish();
}

}  // namespace spillway
