// What the HTML tokenizer reports, and what it must be told about the document's tree to go on.
#pragma once

#include <cstdint>
#include <string_view>

namespace spillway {

// How the bytes after a start tag are to be read.
enum class HtmlContent : std::uint8_t {
  kData,
  kRcdata,    // textarea, title: characters and references up to the end tag
  kRawText,   // style and the like: characters up to the end tag
  kScript,    // as kRawText, but an end tag in "<!-- <script> -->" is text
  kPlainText  // characters up to the end of the document
};

enum class HtmlTagEnd : std::uint8_t { kOpen, kSelfClosing };

struct HtmlTag {
  std::string_view name;  // in lower case, cut to kLongestHtmlName bytes
  bool is_end = false;
};
inline constexpr std::size_t kLongestHtmlName = 64;

// All views are valid during the call.
class HtmlHandler {
 public:
  virtual ~HtmlHandler() = default;
  // Text in pieces of any size, references resolved. NUL bytes of ordinary text are part of it.
  virtual void characters(std::string_view text) = 0;
  // A tag's name was read. Returns whether its attributes are to be reported.
  virtual bool open_tag(const HtmlTag& tag) = 0;
  // An attribute of that tag: its name (in lower case, cut as the tag's), then its value in pieces, if it has one.
  virtual void attribute(std::string_view name) = 0;
  virtual void attribute_value(std::string_view piece) = 0;
  // The tag is complete. A document that ends inside a tag does not have that tag. Returns how to read what follows;
  // anything but kData is for start tags only and is read up to the end tag of the same name.
  virtual HtmlContent close_tag(HtmlTagEnd end) = 0;
  virtual void comment() = 0;
  virtual void doctype() = 0;
  // Whether "<![CDATA[" starts text here, as it does inside of svg and math.
  virtual bool in_foreign_content() const = 0;
};

// What HTML calls white space. Carriage returns count: they are line feeds once line ends are normalised.
inline bool is_html_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
inline bool is_html_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline char html_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace spillway
