#include "corpora/records/page_reader.hpp"

#include <cstring>
#include <string>

#include "corpora/document/field_table.hpp"
#include "corpora/document/record_source.hpp"

namespace spillway {

void PageReader::ScratchText::append(std::string_view fragment) {
  if (fits() && fragment.size() <= room_.size() - bytes_) {
    std::memcpy(room_.data() + bytes_, fragment.data(), fragment.size());
  }
  bytes_ += fragment.size();
}

void PageReader::read(const MediaType& declared, const Feed& feed) {
  type_ = declared;
  text_.clear();
  page_.start(type_, text_);
  feed(page_);
  page_.finish();
}

void PageReader::emit(DocumentFields fields, const SourcePlace& place, DocumentSink& sink, const Feed& feed) {
  const std::string title(page_.title());
  fields.title = utf8_prefix(title, kMaxFieldBytes);
  fields.has_title = !title.empty();
  fields.repaired = fields.repaired || page_.repaired();
  sink.begin(fields, place);
  if (text_.fits()) {
    if (text_.bytes() != 0) sink.text(text_.text());
  } else {
    TextBuffer out(scratch_, sink);
    page_.start(type_, out);
    feed(page_);
    page_.finish();
    out.flush();
  }
  sink.end();
}

}  // namespace spillway
