#include "corpora/html/text.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kTextBuffer = 64 << 10, kTitleBuffer = 4 << 10, kLongestValue = 64 << 10;

std::uint8_t stops_of(const HtmlAttributeTexts& attributes) {
  return static_cast<std::uint8_t>((attributes.alternatives ? kStopAtAlternatives : 0) |
                                   (attributes.description ? kStopAtMeta : 0));
}

bool equals_any_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return html_lower(a) == b; });
}

}  // namespace

HtmlText::HtmlText(HtmlAttributeTexts attributes, ReadPlainMarkup read_plain)
    : attributes_(attributes),
      read_plain_(read_plain),
      stops_(stops_of(attributes)),
      tokenizer_(*this),
      text_(kTextBuffer),
      title_(kTitleBuffer) {}

void HtmlText::start(TextOutput& title, TextOutput& text) {
  tokenizer_.start();
  text_.start(text);
  title_.start(title);
  foreign_.reset();
  target_ = Target::kText;
  has_title_ = false;
  templates_ = 0;
}

// Whether the fast loop may read what comes next.
bool HtmlText::is_plain() const {
  return tokenizer_.between_tokens() && target_ == Target::kText && templates_ == 0 && !foreign_.any() &&
         !attributes_.titles;
}

void HtmlText::feed(std::string_view piece) {
  while (!piece.empty()) {
    if (is_plain()) {
      text_.make_room();
      piece.remove_prefix(read_plain_(piece, stops_, text_));
      if (piece.empty()) return;
    }
    piece.remove_prefix(tokenizer_.feed_token(piece));
  }
}

void HtmlText::finish() {
  tokenizer_.finish();
  title_.finish();
  text_.finish();
}

void HtmlText::characters(std::string_view text) {
  if (is_hidden()) return;
  (target_ == Target::kTitle ? title_ : text_).append(text);
}

bool HtmlText::open_tag(const HtmlTag& tag) {
  name_.assign(tag.name);
  is_end_tag_ = tag.is_end;
  element_ = html_element(tag.name);
  value_ = nullptr;
  alternative_.is_there = title_value_.is_there = meta_name_.is_there = content_.is_there = false;
  return wants_attributes();
}

bool HtmlText::wants_attributes() const {
  if (is_end_tag_ || is_hidden()) return false;
  return attributes_.titles || (attributes_.alternatives && element_.role == HtmlRole::kAlternative) ||
         (attributes_.description && element_.role == HtmlRole::kMeta);
}

HtmlText::Value* HtmlText::value_of(std::string_view name) {
  if (name == "alt" && attributes_.alternatives && element_.role == HtmlRole::kAlternative) return &alternative_;
  if (name == "title" && attributes_.titles) return &title_value_;
  if (!attributes_.description || element_.role != HtmlRole::kMeta) return nullptr;
  return name == "name" ? &meta_name_ : name == "content" ? &content_ : nullptr;
}

void HtmlText::attribute(std::string_view name) {
  value_ = value_of(name);
  if (value_ == nullptr) return;
  if (value_->is_there) {
    value_ = nullptr;
    return;
  }
  value_->is_there = true;
  value_->text.clear();
}

void HtmlText::attribute_value(std::string_view piece) {
  if (value_ == nullptr) return;
  value_->text += piece.substr(0, kLongestValue + 1 - value_->text.size());
}

HtmlContent HtmlText::close_tag(HtmlTagEnd end) {
  if (breaks_line() && !is_hidden()) text_.break_line();
  if (is_end_tag_) {
    end_element();
    return HtmlContent::kData;
  }
  if (wants_attributes()) write_attributes();
  if (!foreign_.is_inside() && element_.role != HtmlRole::kForeign) return start_html_element();
  if (end == HtmlTagEnd::kOpen) start_foreign_element();
  return HtmlContent::kData;
}

// Inside of an svg, texts and titles are lines, too.
bool HtmlText::breaks_line() const {
  if (element_.breaks_words) return true;
  return foreign_.is_inside() && (name_ == "text" || name_ == "desc" || name_ == "foreignobject");
}

// Raw text is only inside of HTML, so the end tag that comes there is its own.
void HtmlText::end_element() {
  const bool was_inside = foreign_.is_inside();
  const bool ends_hidden = element_.role == HtmlRole::kScript || name_ == "style";
  if (target_ != Target::kText && !was_inside) {
    target_ = Target::kText;
    return;
  }
  if (!was_inside && element_.role == HtmlRole::kTemplate && templates_ > 0) --templates_;
  foreign_.end_tag(name_);
  if (ends_hidden || !foreign_.is_inside()) target_ = Target::kText;
}

void HtmlText::start_foreign_element() {
  const bool starts_hidden = foreign_.is_inside() && (element_.role == HtmlRole::kScript || name_ == "style");
  foreign_.start_tag(name_);
  if (starts_hidden) target_ = Target::kNowhere;
  if (!foreign_.is_inside()) target_ = Target::kText;
}

HtmlContent HtmlText::start_html_element() {
  switch (element_.role) {
    case HtmlRole::kTitle:
      return start_title();
    case HtmlRole::kTextarea:
      return HtmlContent::kRcdata;
    case HtmlRole::kHidden:
      return start_hidden(HtmlContent::kRawText);
    case HtmlRole::kScript:
      return start_hidden(HtmlContent::kScript);
    case HtmlRole::kXmp:
      return HtmlContent::kRawText;
    case HtmlRole::kPlainText:
      return HtmlContent::kPlainText;
    case HtmlRole::kTemplate:
      ++templates_;
      return HtmlContent::kData;
    default:
      return HtmlContent::kData;
  }
}

HtmlContent HtmlText::start_hidden(HtmlContent content) {
  target_ = Target::kNowhere;
  return content;
}

HtmlContent HtmlText::start_title() {
  if (has_title_ || templates_ > 0) return start_hidden(HtmlContent::kRcdata);
  has_title_ = true;
  target_ = Target::kTitle;
  return HtmlContent::kRcdata;
}

void HtmlText::write_attributes() {
  write_line(alternative_);
  write_line(title_value_);
  if (meta_name_.is_there && equals_any_case(meta_name_.text, "description")) write_line(content_);
}

void HtmlText::write_line(const Value& value) {
  if (!value.is_there) return;
  text_.break_line();
  text_.append(utf8_prefix(value.text, kLongestValue));
  text_.break_line();
}

}  // namespace spillway
