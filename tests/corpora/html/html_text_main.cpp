// Prints the title and the text of HTML files, whose names stand on standard input, for compare_with_resiliparse.py:
// for each file a line with the bytes of both, then both. Files are valid UTF-8 or repaired.
#include <iostream>
#include <string>

#include "tests/corpora/html/read_html.hpp"
#include "tests/support/index_files.hpp"

int main() {
  using namespace spillway;
  HtmlText reader;
  for (std::string path; std::getline(std::cin, path);) {
    const std::string html = repair_utf8(testing::read_bytes(path));
    const testing::ReadHtml read = testing::read_html(reader, html, std::size_t{64} << 10);
    std::cout << read.title.size() << ' ' << read.text.size() << '\n' << read.title << read.text;
  }
  return std::cout.flush() ? 0 : 1;
}
