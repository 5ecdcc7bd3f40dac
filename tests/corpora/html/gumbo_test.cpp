// Pages of crawls and of documentation have the text that gumbo's tree has by the rules of docs/html.md.
#include <gtest/gtest.h>

#ifdef SPILLWAY_HAS_GUMBO
#include <gumbo.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/corpora/html/read_html.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/index_files.hpp"

namespace spillway::testing {
namespace {

class GumboText {
 public:
  explicit GumboText(std::string_view html)
      : tree_(gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size())) {
    title_.start(title_out_);
    text_.start(text_out_);
    visit(*tree_->root);
    title_.finish();
    text_.finish();
  }
  ~GumboText() { gumbo_destroy_output(&kGumboDefaultOptions, tree_); }
  GumboText(const GumboText&) = delete;
  GumboText& operator=(const GumboText&) = delete;
  ReadHtml result() const { return {title_out_.text, text_out_.text}; }

 private:
  static std::string name_of(const GumboElement& element) {
    std::string name = gumbo_normalized_tagname(element.tag);
    if (name.empty()) {
      GumboStringPiece original = element.original_tag;
      gumbo_tag_from_original_text(&original);
      name.assign(original.data, original.length);
    }
    std::transform(name.begin(), name.end(), name.begin(), html_lower);
    return name;
  }

  void visit(const GumboNode& node) {
    if (node.type == GUMBO_NODE_ELEMENT) {
      visit_element(node.v.element);
    } else if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA) {
      (in_title_ ? title_ : text_).append(node.v.text.text);
    }
  }

  void visit_element(const GumboElement& element) {
    const std::string name = name_of(element);
    const bool is_html = element.tag_namespace == GUMBO_NAMESPACE_HTML;
    const HtmlElement known = html_element(name);
    const bool breaks =
        known.breaks_words || (!is_html && (name == "text" || name == "desc" || name == "foreignobject"));
    if (breaks) text_.break_line();
    const bool is_title = is_html && known.role == HtmlRole::kTitle;
    if (known.role != HtmlRole::kScript && name != "style" && !(is_html && known.role == HtmlRole::kHidden) &&
        !(is_title && has_title_)) {
      has_title_ = in_title_ = has_title_ || is_title;
      in_title_ = is_title;
      for (unsigned i = 0; i < element.children.length; ++i) {
        visit(*static_cast<const GumboNode*>(element.children.data[i]));
      }
      in_title_ = false;
    }
    if (breaks) text_.break_line();
  }

  GumboOutput* tree_;
  TextString title_out_, text_out_;
  HtmlTextWriter title_{1 << 16}, text_{1 << 16};
  bool in_title_ = false, has_title_ = false;
};

std::string unpacked(const std::string& path) {
  std::string bytes;
  const gzFile file = gzopen(path.c_str(), "rb");
  char buffer[1 << 16];
  for (int count; (count = gzread(file, buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(count));
  gzclose(file);
  return bytes;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, is_html_space);
  return text;
}

// gumbo takes the control characters U+0080 to U+009F for broken bytes.
std::string without_c1_controls(std::string text) {
  for (std::size_t at = 0; (at = text.find('\xC2', at)) != std::string::npos; ++at) {
    if (static_cast<unsigned char>(text[at + 1]) < 0xA0) text.replace(at, 2, "??");
  }
  return text;
}

// The bodies of the responses of a good WARC file that have "<html" or "<HTML", as UTF-8.
std::vector<std::string> html_pages(const std::string& warc) {
  std::vector<std::string> pages;
  for (std::size_t at = 0; (at = warc.find("WARC-Type: response", at)) != std::string::npos; ++at) {
    const std::size_t record = warc.rfind("WARC/", at), http = warc.find("\r\n\r\n", at);
    const std::size_t length = warc.find("Content-Length: ", record), body = warc.find("\r\n\r\n", http + 4);
    if (length > http || body == std::string::npos) continue;
    const std::size_t end = std::min(http + 4 + std::stoul(warc.substr(length + 16, 9)), warc.size());
    if (body + 4 >= end) continue;
    const std::string page = warc.substr(body + 4, end - body - 4);
    if (page.find("<html") != std::string::npos || page.find("<HTML") != std::string::npos) {
      pages.push_back(without_c1_controls(repair_utf8(page)));
    }
  }
  return pages;
}

struct Agreement {
  std::size_t pages = 0, same = 0, same_but_for_breaks = 0;
};

void compare(const std::string& page, Agreement& agreement) {
  const ReadHtml ours = read_html(page), expected = GumboText(page).result();
  ++agreement.pages;
  if (ours == expected) {
    ++agreement.same;
  } else if (ours.title == expected.title && without_spaces(ours.text) == without_spaces(expected.text)) {
    ++agreement.same_but_for_breaks;
  }
}

// At most `count` HTML files below the directory, spread evenly over their sorted paths.
std::vector<std::string> spread_pages(const std::string& directory, std::size_t count) {
  std::vector<std::string> paths, chosen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file() && !entry.is_symlink() && entry.path().extension() == ".html") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  count = std::min(count, paths.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(paths[i * paths.size() / count]);
  return chosen;
}

TEST(Gumbo, AgreesOnPagesOfCrawls) {
  const std::string directory = SPILLWAY_CORPORA_OR_SKIP();
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/warc")) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".warc") || name.ends_with(".warc.gz")) paths.push_back(entry.path());
  }
  Agreement agreement;
  for (const std::string& path : paths) {
    for (const std::string& page : html_pages(unpacked(path))) compare(page, agreement);
  }
  RecordProperty("pages", static_cast<int>(agreement.pages));
  EXPECT_GT(agreement.pages, 2000u);
  EXPECT_LE(agreement.same_but_for_breaks, 1u) << "a script served as a page repeats <html> and <body>";
  EXPECT_EQ(agreement.same + agreement.same_but_for_breaks, agreement.pages);
}

TEST(SlowGumbo, AgreesOnPagesOfDocumentation) {
  const char* const directory = std::getenv("SPILLWAY_HTML_PAGES");
  if (directory == nullptr) GTEST_SKIP() << "no pages: set SPILLWAY_HTML_PAGES to a directory of HTML files";
  Agreement agreement;
  for (const std::string& path : spread_pages(directory, 10'000)) {
    const std::size_t same = agreement.same;
    compare(without_c1_controls(repair_utf8(read_bytes(path))), agreement);
    if (agreement.same == same) ADD_FAILURE() << path;
  }
  RecordProperty("pages", static_cast<int>(agreement.pages));
  EXPECT_GT(agreement.pages, 0u);
}

}  // namespace
}  // namespace spillway::testing

#else
TEST(Gumbo, AgreesOnPagesOfCrawls) { GTEST_SKIP() << "built without gumbo: install libgumbo-dev"; }
TEST(SlowGumbo, AgreesOnPagesOfDocumentation) { GTEST_SKIP() << "built without gumbo: install libgumbo-dev"; }
#endif
