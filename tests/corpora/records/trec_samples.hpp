// Files of good and bad trec documents, with everything that they may contain.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace spillway::testing {

class TrecSamples {
 public:
  explicit TrecSamples(std::uint64_t seed) : random_(seed) {}

  std::string next_file() {
    std::string bytes;
    if (random_() % 4 == 0) bytes += "\xEF\xBB\xBF";
    if (random_() % 4 == 0) bytes += pick({"<?xml?>\n", "<docs>", "stray words\n", "\n"});
    for (auto i = random_() % 12; i > 0; --i) bytes += next();
    return bytes;
  }

  std::string next() {
    std::string bytes = pick({"<DOC>", "<doc>", "<Doc>\r\n", "<DOC>\n", "<DOC id=1>", "<DOC\n>", "<doc/>"});
    if (random_() % 8 != 0)
      bytes += pick({"<DOCNO>", "<docno> "}) + std::to_string(++number_) + pick({"</DOCNO>", " </docno>\n"});
    for (auto i = random_() % 10; i > 0; --i) {
      bytes += pick({"<TITLE>a title</TITLE>",
                     "<HEADLINE>\n<P>head</P>\n</HEADLINE>",
                     "<URL>u</URL>",
                     "<DATE>1990",
                     "some words ",
                     "\r\n",
                     "a<b",
                     "<",
                     "</",
                     "&amp;",
                     "&",
                     "&#x20AC;",
                     "\xC3\xA9",
                     "\xFF",
                     "\xE2\x82",
                     "<!-- <DOC -->",
                     "<p attribute=\"x\">",
                     "</p>",
                     "<DO",
                     "DOC>",
                     "<<DOC",
                     "</DOCUMENT>",
                     "more text"});
      if (random_() % 6 == 0) bytes += std::string(random_() % 200, 'x');
    }
    if (random_() % 8 != 0) bytes += pick({"</DOC>", "</doc>\n", "</DOC>\r\n"});
    if (random_() % 8 == 0) bytes += pick({"stray", "<x>", "\n\n"});
    return bytes;
  }

 private:
  std::string pick(std::initializer_list<const char*> choices) { return choices.begin()[random_() % choices.size()]; }
  std::mt19937_64 random_;
  int number_ = 0;
};

}  // namespace spillway::testing
