#include "corpora/sgml/trec_layout.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

}  // namespace

TrecLayout::TrecLayout(const FieldTable& table)
    : table_(table), elements_(table.name_count()), open_(table.name_count()) {}

void TrecLayout::reset() {
  is_document_ = false;
  document_begin_ = 0;
  document_end_.reset();
  outside_.reset();
  std::fill(elements_.begin(), elements_.end(), Element{});
  std::fill(open_.begin(), open_.end(), OpenElement{});
}

void TrecLayout::characters(std::string_view bytes, std::uint64_t offset) {
  const std::size_t first = bytes.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return;
  if (!is_document_ || document_end_) {
    if (!outside_) outside_ = offset + first;
    return;
  }
  for (OpenElement& open : open_) {
    if (!open.is_open) continue;
    if (!open.any) open.element.content_begin = offset + first;
    open.any = true;
    open.element.content_end = offset + bytes.find_last_not_of(kSpaces) + 1;
  }
}

void TrecLayout::tag(const SgmlTag& tag) {
  if (tag.begin == 0 && !tag.is_end && tag.name == "doc") {
    is_document_ = true;
    document_begin_ = tag.end;
    return;
  }
  if (!is_document_ || document_end_) return;
  if (tag.is_end && tag.name == "doc") {
    document_end_ = tag.begin;
    return;
  }
  const std::size_t name = table_.find(tag.name);
  if (name == FieldTable::kNoName || elements_[name].is_there) return;
  OpenElement& open = open_[name];
  if (!tag.is_end) {
    open = {true, false, {true, tag.end, tag.end, tag.end, tag.end}};
  } else if (open.is_open) {
    open.element.end = tag.begin;
    elements_[name] = open.element;
    open.is_open = false;
  }
}

}  // namespace spillway
