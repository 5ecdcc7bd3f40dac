// TREC topics: <top> ... </top> with <num>, <title>, <desc> and <narr>; an element ends at a closing tag or at the next
// element.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spillway {

enum class TopicField { kTitle, kDescription, kNarrative, kAll };

struct Topic {
  std::string number;               // empty: none
  std::optional<std::string> text;  // of the field; with kAll, of all fields present
};

// `topic` reaches from <top> to </top>. Removes labels ("Number:", "Description:") and replaces the five XML entities.
Topic parse_topic(std::string_view topic, TopicField field);

// Whether the line holds the tag ("<top>"), ignoring case; and how often a text does.
bool holds_tag(std::string_view line, std::string_view tag);
std::size_t count_tags(std::string_view text, std::string_view tag);

}  // namespace spillway
