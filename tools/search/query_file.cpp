#include "tools/search/query_file.hpp"

#include <nlohmann/json.hpp>

#include "io/base/error.hpp"

namespace spillway {

namespace {
constexpr std::size_t kLineBytes = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kHeldLines = 1000;
constexpr std::string_view kBlanks = " \t\r";
}  // namespace

QueryFile::QueryFile(FileSystem& files, const std::string& path, Options options, std::function<void()> wait_check)
    : path_(path == "-" ? "standard input" : printable(path, 4096)),
      options_(options),
      stream_(files.open_stream(path)) {
  stream_->set_wait_check(std::move(wait_check));
}

void QueryFile::refuse(const std::string& what) const {
  throw UsageError(path_ + ", line " + std::to_string(line_number_) + ": " + what);
}

void QueryFile::refuse_format(const char* expected, const std::string& found) const {
  refuse(std::string("expected ") + expected + ", found '" + printable(found, 60) +
         (is_recognised_ ? "'; the format was recognised by the first line, --query-format forces another" : "'"));
}

std::optional<std::string> QueryFile::read_line() {
  std::size_t searched = at_;
  while (true) {
    const std::size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(at_, end - at_);
      at_ = end + 1;
      return line;
    }
    if (pending_.size() - at_ > kLineBytes) {
      throw UsageError(path_ + ", line " + std::to_string(line_number_ + held_.size() + 1) + ": longer than 1 MiB");
    }
    pending_.erase(0, at_);
    at_ = 0;
    searched = pending_.size();
    pending_.resize(searched + kReadBytes);
    const auto room = reinterpret_cast<std::uint8_t*>(pending_.data()) + searched;
    const std::size_t got = stream_->read({room, kReadBytes});
    pending_.resize(searched + got);
    if (got > 0) continue;
    if (pending_.empty()) return std::nullopt;
    at_ = pending_.size();
    return pending_;
  }
}

std::optional<std::string> QueryFile::next_line() {
  std::optional<std::string> line;
  if (held_.empty()) {
    line = read_line();
  } else {
    line = std::move(held_.front());
    held_.pop_front();
  }
  if (!line) return std::nullopt;
  ++line_number_;
  if (line->ends_with('\r')) line->pop_back();
  return line;
}

std::optional<std::string> QueryFile::next_full_line() {
  while (auto line = next_line()) {
    if (line->find_first_not_of(kBlanks) != std::string::npos) return line;
  }
  return std::nullopt;
}

void QueryFile::recognise() {
  is_recognised_ = true;
  options_.format = QueryFormat::kTsv;
  while (auto line = read_line()) {
    held_.push_back(*line);
    const std::size_t begin = line->find_first_not_of(kBlanks);
    if (begin == std::string::npos && held_.size() < kHeldLines) continue;
    const bool has_tab = line->find('\t') != std::string::npos;
    const char first = begin == std::string::npos ? '\t' : (*line)[begin];
    if (first == '{') {
      options_.format = QueryFormat::kJsonl;
    } else if (!has_tab) {
      options_.format = first == '<' ? QueryFormat::kTrec : QueryFormat::kLines;
    }
    return;
  }
}

std::optional<QueryLine> QueryFile::next() {
  if (options_.format == QueryFormat::kAuto) recognise();
  switch (options_.format) {
    case QueryFormat::kTrec:
      return next_topic();
    case QueryFormat::kJsonl:
      return next_json();
    case QueryFormat::kLines:
      return next_plain();
    default:
      return next_tsv();
  }
}

std::optional<QueryLine> QueryFile::next_tsv() {
  const auto line = next_line();
  if (!line) return std::nullopt;
  const std::size_t tab = line->find('\t');
  if (tab == std::string::npos || tab == 0) refuse_format("id<TAB>query", *line);
  return QueryLine{line->substr(0, tab), line->substr(tab + 1)};
}

std::optional<QueryLine> QueryFile::next_plain() {
  auto line = next_full_line();
  if (!line) return std::nullopt;
  // A tab here means a table whose first line lost its tab; it would get wrong ids.
  if (is_recognised_ && line->find('\t') != std::string::npos) refuse_format("a line without a tab", *line);
  return QueryLine{std::to_string(line_number_), std::move(*line)};
}

std::optional<QueryLine> QueryFile::next_json() {
  const auto line = next_full_line();
  if (!line) return std::nullopt;
  const auto object = nlohmann::json::parse(*line, nullptr, false);
  if (!object.is_object()) refuse_format("a JSON object", *line);
  const auto member = [&](std::initializer_list<const char*> names) -> std::optional<std::string> {
    for (const char* name : names) {
      const auto found = object.find(name);
      if (found == object.end()) continue;
      if (found->is_string()) return found->get<std::string>();
      if (found->is_number_integer()) return found->dump();
    }
    return std::nullopt;
  };
  auto id = member({"id", "_id", "query_id"}), text = member({"text", "query", "title"});
  if (!id || id->empty()) refuse_format("a string or whole number \"id\", \"_id\" or \"query_id\"", *line);
  if (!text) refuse_format("a string \"text\", \"query\" or \"title\"", *line);
  return QueryLine{std::move(*id), std::move(*text)};
}

std::optional<QueryLine> QueryFile::next_topic() {
  std::optional<std::string> line;
  do {
    line = next_full_line();
    if (!line && line_number_ != 0 && !found_topic_) refuse("expected topics, found no <top> in the whole file");
    if (!line) return std::nullopt;
  } while (!holds_tag(*line, "<top>"));
  found_topic_ = true;
  const std::uint64_t begin = line_number_;
  std::string text = *line;
  while (!holds_tag(text.substr(text.size() - line->size()), "</top>")) {
    line = next_line();
    if (!line) refuse("the topic that begins in line " + std::to_string(begin) + " has no </top>");
    text += "\n" + *line;
    if (text.size() > kLineBytes)
      refuse("the topic that begins in line " + std::to_string(begin) + " is longer than 1 MiB");
  }
  if (count_tags(text, "<top>") != 1) {
    refuse("another <top> in the topic that begins in line " + std::to_string(begin) +
           "; expected </top> before it, and a line of its own for each");
  }
  Topic topic = parse_topic(text, options_.topic_field);
  const std::string named = "the topic that begins in line " + std::to_string(begin);
  if (topic.number.empty()) refuse(named + " has no <num>");
  if (!topic.text) refuse(named + " lacks the field that --topic-field names");
  return QueryLine{std::move(topic.number), std::move(*topic.text)};
}

}  // namespace spillway
