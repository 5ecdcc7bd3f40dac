// Topics of TREC: <top> ... </top> with <num>, <title>, <desc> and <narr>, closed by tags or by the next one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spillway {

enum class TopicField { kTitle, kDescription, kNarrative, kAll };

struct Topic {
  std::string number;               // empty: there is none
  std::optional<std::string> text;  // of the field; kAll: of all that are there
};

// `topic`: from <top> to </top>. Labels ("Number:", "Description:") and the five entities of XML are taken off.
Topic parse_topic(std::string_view topic, TopicField field);

// Does the line hold the tag, in any case? `tag`: "<top>".
bool holds_tag(std::string_view line, std::string_view tag);
std::size_t count_tags(std::string_view text, std::string_view tag);

}  // namespace spillway
