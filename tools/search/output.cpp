#include "tools/search/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "corpora/document/utf8.hpp"
#include "io/base/error.hpp"
#include "io/format/cursors.hpp"
#include "search/snippet.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

constexpr const char* kOnlyQuery = "1";  // id of the query of the command line in formats that need one

// Bytes of the first character of `text` if a column holds it as it is; otherwise 0.
std::size_t plain_character_bytes(std::string_view text) {
  static constexpr std::array<std::string_view, 17> kBlanks{" ",      "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002",
                                                            "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
                                                            "\u2009", "\u200A", "\u202F", "\u205F", "\u3000"};
  const auto lead = static_cast<std::uint8_t>(text[0]);
  const std::string_view character = text.substr(0, lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
  const bool is_blank = std::find(kBlanks.begin(), kBlanks.end(), character) != kBlanks.end();
  return is_blank || character == "\\" || printable(character) != character ? 0 : character.size();
}

std::string id_of(const SearchAnswer& answer) {
  return SearchOutput::column(answer.id != nullptr ? *answer.id : kOnlyQuery);
}

// Snippets come from the first bytes of a longer text.
constexpr std::uint64_t kSnippetSourceBytes = std::uint64_t{1} << 20;

// Makes the snippets of an answer, if the index stores texts.
class Snippets {
 public:
  Snippets(const Collection& collection, const SearchAnswer& answer)
      : collection_(collection), maker_(collection.options(), terms_of(answer)) {}
  // Nothing if the document's index stores no texts.
  std::optional<Snippet> of(const RankedDocument& ranked) {
    const IndexReader& index = collection_.shard_of(ranked);
    if (index.options().store != StorePolicy::kText) return std::nullopt;
    const std::string source = index.document_text(ranked.document, kSnippetSourceBytes);
    return maker_.make(whole_characters(source));
  }

 private:
  static std::vector<std::string> terms_of(const SearchAnswer& answer) {
    std::vector<std::string> terms;
    for (const QueryTerm& term : answer.terms) terms.push_back(term.term);
    return terms;
  }
  static std::string_view whole_characters(std::string_view text) {
    return text.size() < kSnippetSourceBytes ? text : utf8_prefix(text, text.size() - 4);
  }
  const Collection& collection_;
  SnippetMaker maker_;
};

// The line with where and when a document was found; empty if neither is known.
std::string origin_line(const StoredDocument& document) {
  std::string origin = printable(document.url, 200);
  if (!origin.empty() && !document.date.empty()) origin += "  ";
  origin += printable(document.date, 40);
  return origin.empty() ? origin : "      " + origin + "\n";
}

}  // namespace

SnippetMarks terminal_marks() {
  if (!shows_colors(STDOUT_FILENO)) return {};
  return {"\x1B[1m", "\x1B[22m"};
}

std::string SearchOutput::column(std::string_view text) {
  const auto is_plain = [](char c) { return c > ' ' && c < '\x7F' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);  // nearly all ids
  std::string word;
  while (!text.empty()) {
    const std::size_t kept = plain_character_bytes(text);
    if (kept > 0) {
      word += text.substr(0, kept);
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<std::uint8_t>(text[0]);
      word.append("\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    }
    text.remove_prefix(std::max<std::size_t>(kept, 1));
  }
  return word;
}

RenderedAnswer SearchOutput::render(const SearchAnswer& answer) const {
  switch (format_) {
    case SearchFormat::kTrec:
      return {trec(answer), ""};
    case SearchFormat::kMsMarco:
      return {ms_marco(answer), ""};
    case SearchFormat::kJson:
      return {json(answer), ""};
    case SearchFormat::kText:
      break;
  }
  const std::string of_query = answer.id == nullptr ? "the query" : "query " + printable(*answer.id);
  return {text(answer), answer.ranking.empty() ? "no document matches " + of_query : ""};
}

std::string SearchOutput::text(const SearchAnswer& answer) const {
  std::string out;
  if (answer.id != nullptr) out += "query " + printable(*answer.id) + ": " + printable(answer.query) + "\n";
  std::vector<StoredDocument> documents;
  std::size_t width = 0;
  for (const RankedDocument& ranked : answer.ranking) {
    documents.push_back(collection_.shard_of(ranked).document(ranked.document));
    width = std::max(width, std::min<std::size_t>(40, printable(documents.back().id).size()));
  }
  Snippets snippets(collection_, answer);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    char rank_and_score[64];
    std::snprintf(rank_and_score, sizeof rank_and_score, "%4zu  %9.4f  ", i + 1, answer.ranking[i].score);
    const std::string title = printable(documents[i].title, 100);
    const std::string id = printable(documents[i].id);
    out += rank_and_score + (title.empty() ? id : left_aligned(id, width) + "  " + title) + "\n";
    out += origin_line(documents[i]);
    const auto found = snippets.of(answer.ranking[i]);
    const std::string snippet = found ? marked_text(printable(*found), marks_.open, marks_.close) : "";
    if (!snippet.empty()) out += "      " + snippet + "\n";
  }
  if (answer.id != nullptr) out += "\n";
  return out;
}

std::string SearchOutput::id_column(const RankedDocument& ranked) const {
  return column(collection_.shard_of(ranked).document_id(ranked.document));
}

std::string SearchOutput::trec(const SearchAnswer& answer) const {
  const std::string query = id_of(answer);
  std::string out;
  for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
    char score[64];
    std::snprintf(score, sizeof score, "%.17g", answer.ranking[i].score);
    out += query + " Q0 " + id_column(answer.ranking[i]) + " " + std::to_string(i + 1) + " " + score + " " + run_id_ +
           "\n";
  }
  return out;
}

std::string SearchOutput::ms_marco(const SearchAnswer& answer) const {
  const std::string query = id_of(answer);
  std::string out;
  for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
    out += query + "\t" + id_column(answer.ranking[i]) + "\t" + std::to_string(i + 1) + "\n";
  }
  return out;
}

std::string SearchOutput::json(const SearchAnswer& answer) const {
  Snippets snippets(collection_, answer);
  nlohmann::ordered_json object;
  if (answer.id != nullptr) object["query_id"] = *answer.id;
  object["query"] = answer.query;
  object["hits"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
    const RankedDocument& ranked = answer.ranking[i];
    const StoredDocument document = collection_.shard_of(ranked).document(ranked.document);
    nlohmann::ordered_json hit{{"rank", i + 1}, {"score", ranked.score}, {"id", document.id}};
    hit["document"] = collection_.number_of(ranked);
    if (document.fields & RunDocument::kTitle) hit["title"] = document.title;
    if (document.fields & RunDocument::kUrl) hit["url"] = document.url;
    if (document.fields & RunDocument::kDate) hit["date"] = document.date;
    if (const auto snippet = snippets.of(ranked)) hit["snippet"] = marked_text(*snippet, "**", "**");
    object["hits"].push_back(std::move(hit));
  }
  return json_line(object);
}

}  // namespace spillway
