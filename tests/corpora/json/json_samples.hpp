// Random JSON records, good and broken, for tests that compare parsers.
#pragma once

#include <random>
#include <string>

namespace spillway::testing {

class JsonSamples {
 public:
  explicit JsonSamples(std::uint64_t seed) : random_(seed) {}

  // A record, without newlines. About half of them are mutated, and then mostly broken.
  std::string next() {
    std::string record = object(0);
    if (random_() % 2 == 0) return record;
    for (std::uint64_t i = 1 + random_() % 3; i > 0 && !record.empty(); --i) mutate(record);
    return record;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void mutate(std::string& record) {
    static const std::string kBytes = "{}[]\",:\\u0123dDeE+-. tnf\x01\x1F\x7F\x80\xC3\xE2\xF0\xFF\r\t";
    const std::size_t at = below(record.size());
    switch (below(4)) {
      case 0:
        record.erase(at, 1 + below(3));
        break;
      case 1:
        record.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      case 2:
        record[at] = kBytes[below(kBytes.size())];
        break;
      default:
        record.resize(at);
    }
  }

  std::string space() {
    static const char* const kSpaces[] = {"", "", "", " ", "  ", "\t", "\r"};
    return kSpaces[below(7)];
  }

  std::string string() {
    static const char* const kFragments[] = {"a",
                                             "word ",
                                             "\\n",
                                             "\\\"",
                                             "\\\\",
                                             "\\/",
                                             "\\u00e9",
                                             "\\ud83d\\ude00",
                                             "\xC3\xA9",
                                             "\xE2\x82\xAC",
                                             "\xF0\x9F\x98\x80",
                                             "\\u0000",
                                             "\\ud800",
                                             "\\udc00",
                                             "\\uD83Dx",
                                             "\xC3",
                                             "\xED\xA0\x80",
                                             "\x7F"};
    std::string text = "\"";
    for (std::size_t i = below(12); i > 0; --i) text += kFragments[below(below(3) == 0 ? 18 : 12)];
    if (below(8) == 0) text += std::string(below(100), 'x');
    return text + "\"";
  }

  std::string number() {
    static const char* const kNumbers[] = {"0",    "-0",  "7",    "12345678901234567890123",
                                           "-1.5", "1e5", "2E-3", "0.25e+10"};
    return kNumbers[below(8)];
  }

  std::string value(unsigned depth) {
    switch (below(depth < 4 ? 9 : 6)) {
      case 0:
        return number();
      case 1:
        return "true";
      case 2:
        return below(2) == 0 ? "null" : "false";
      case 6:
        return object(depth + 1);
      case 7:
      case 8: {
        std::string array = "[" + space();
        for (std::size_t i = below(4); i > 0; --i) array += value(depth + 1) + space() + (i > 1 ? "," + space() : "");
        return array + "]";
      }
      default:
        return string();
    }
  }

  std::string object(unsigned depth) {
    static const char* const kNames[] = {"id",  "docid", "title",    "text", "contents",
                                         "url", "date",  "i\\u0064", "other"};
    std::string made = space() + "{" + space();
    const bool complete = depth == 0 && below(4) != 0;  // what makes a document
    if (complete) made += "\"id\":" + space() + (below(4) == 0 ? number() : string()) + ",\"text\":" + string();
    const std::size_t members = below(6);
    for (std::size_t i = 0; i < members; ++i) {
      if (i > 0 || complete) made += space() + ",";
      const std::string name = below(8) == 0 ? string() : "\"" + std::string(kNames[below(9)]) + "\"";
      made += space() + name + space() + ":" + space() + value(depth);
    }
    return made + space() + "}" + space();
  }

  std::mt19937_64 random_;
};

}  // namespace spillway::testing
