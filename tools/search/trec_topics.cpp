#include "tools/search/trec_topics.hpp"

#include <algorithm>
#include <array>

namespace spillway {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

std::size_t find_tag(std::string_view text, std::string_view tag) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_with(text.substr(at), tag)) return at;
  }
  return std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string result;
  while (!text.empty()) {
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& known) { return text.starts_with(known.first); });
    result += entity == kEntities.end() ? text.front() : entity->second;
    text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return result;
}

// The text between `tag` and the next tag, with line breaks as blanks.
std::optional<std::string> element(std::string_view topic, std::string_view tag, std::string_view label) {
  const std::size_t begin = find_tag(topic, tag);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view text = topic.substr(begin + tag.size());
  for (const std::string_view end : {"</", "<num>", "<title>", "<desc>", "<narr>", "<dom>", "<smry>", "<con>"}) {
    text = text.substr(0, find_tag(text, end));
  }
  text = trimmed(text);
  if (begins_with(text, label)) text = trimmed(text.substr(label.size()));
  std::string result = without_entities(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return kBlanks.find(c) != std::string_view::npos; }, ' ');
  return result;
}

}  // namespace

bool holds_tag(std::string_view line, std::string_view tag) { return find_tag(line, tag) != std::string_view::npos; }

std::size_t count_tags(std::string_view text, std::string_view tag) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) count += begins_with(text.substr(at), tag) ? 1u : 0u;
  return count;
}

Topic parse_topic(std::string_view topic, TopicField field) {
  Topic parsed;
  parsed.number = element(topic, "<num>", "number:").value_or("");
  const auto title = element(topic, "<title>", "topic:");
  const auto description = element(topic, "<desc>", "description:");
  const auto narrative = element(topic, "<narr>", "narrative:");
  if (field == TopicField::kTitle) parsed.text = title;
  if (field == TopicField::kDescription) parsed.text = description;
  if (field == TopicField::kNarrative) parsed.text = narrative;
  if (field == TopicField::kAll) {
    for (const auto& part : {title, description, narrative}) {
      if (part) parsed.text = parsed.text ? *parsed.text + " " + *part : *part;
    }
  }
  return parsed;
}

}  // namespace spillway
