#include "corpora/records/page_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "corpora/document/field_table.hpp"
#include "corpora/document/record_source.hpp"

namespace spillway {

namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

void PageReader::ScratchText::append(std::string_view fragment) {
  bytes_ += fragment.size();
  if (!fits() && temp_ == nullptr) return;
  if (fragment.size() > room_.size() - used_) flush();
  if (fragment.size() > room_.size()) {
    spool_->append(as_bytes(fragment));
    return;
  }
  std::memcpy(room_.data() + used_, fragment.data(), fragment.size());
  used_ += fragment.size();
}

void PageReader::ScratchText::flush() {
  if (!spool_) spool_.emplace(*temp_, most_bytes_);
  spool_->append(as_bytes({room_.data(), used_}));
  used_ = 0;
}

void PageReader::ScratchText::clear() {
  used_ = 0;
  bytes_ = 0;
  temp_ = nullptr;
  spool_.reset();
  file_.reset();
}

void PageReader::ScratchText::finish() {
  if (!spool_) return;
  flush();
  file_ = spool_->take();
  spool_.reset();
  if (file_ != nullptr) file_->finish();  // a text that is too long has none
}

void PageReader::ScratchText::hand_out_file(DocumentSink& sink) {
  const ReadableFile& file = file_->reader();
  for (std::uint64_t at = 0; at < bytes_;) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(room_.size(), bytes_ - at));
    file.read_exactly(at, {reinterpret_cast<std::uint8_t*>(room_.data()), step});
    std::string_view text(room_.data(), step);
    if (at + step < bytes_) text = utf8_prefix(text, step - 1);  // the last character may go on
    sink.text(text);
    at += text.size();
  }
}

void PageReader::read_text(const Feed& feed) {
  page_.start(type_, text_);
  feed(page_);
  page_.finish();
  text_.finish();
}

void PageReader::read(const MediaType& declared, const Feed& feed) {
  type_ = declared;
  text_.clear();
  read_text(feed);
}

void PageReader::read_once(const MediaType& declared, const Feed& feed, TempSpace& temp, std::uint64_t most_bytes) {
  type_ = declared;
  text_.clear();
  text_.use_files(temp, most_bytes);
  read_text(feed);
}

void PageReader::emit(DocumentFields fields, const SourcePlace& place, DocumentSink& sink, const Feed& feed) {
  const std::string title(page_.title());
  fields.title = utf8_prefix(title, kMaxFieldBytes);
  fields.has_title = !title.empty();
  fields.repaired = fields.repaired || page_.repaired();
  sink.begin(fields, place);
  if (text_.fits()) {
    if (text_.bytes() != 0) sink.text(text_.text());
  } else if (text_.is_in_file()) {
    text_.hand_out_file(sink);
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
