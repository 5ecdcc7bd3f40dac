#include "indexer/query.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "io/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";

// One item of the text, without its sign and quotes.
struct Item {
  char sign = 0;  // + or -, or 0
  bool is_phrase = false;
  std::string_view text;
};

class ItemReader {
 public:
  explicit ItemReader(std::string_view text) : rest_(text) {}

  bool next(Item& item) {
    const std::size_t begin = rest_.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return false;
    rest_.remove_prefix(begin);
    item = {};
    const bool has_sign = rest_[0] == '+' || rest_[0] == '-';
    if (has_sign && rest_.size() > 1 && kBlanks.find(rest_[1]) == std::string_view::npos) {
      item.sign = rest_[0];
      rest_.remove_prefix(1);
    }
    if (rest_[0] == '"') {
      const std::size_t end = rest_.find('"', 1);
      if (end == std::string_view::npos) {
        throw UsageError("query: the phrase " + printable(rest_, 60) +
                         " has no closing quote; close it, or drop the \"");
      }
      item.is_phrase = true;
      item.text = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    } else {
      item.text = rest_.substr(0, rest_.find_first_of(kBlanks));
      rest_.remove_prefix(item.text.size());
    }
    return true;
  }

 private:
  std::string_view rest_;
};

// The part's place in the query, which gets it if it has none.
std::size_t place_of(Query& query, std::vector<QueryPart::Word> words) {
  const auto found =
      std::find_if(query.parts.begin(), query.parts.end(), [&](const QueryPart& part) { return part.words == words; });
  const auto place = static_cast<std::size_t>(found - query.parts.begin());
  if (found == query.parts.end()) query.parts.push_back({std::move(words), 0, false});
  return place;
}

// The kept words of an item as parts: a phrase is one, other items one a word.
std::vector<std::size_t> parts_of(Query& query, Analyzer& analyzer, const Item& item) {
  std::vector<QueryPart::Word> words;
  analyzer.analyze_places(item.text, [&](std::string_view term, std::uint32_t place) {
    words.push_back({std::string(term), place});
  });
  if (words.empty()) return {};
  if (item.is_phrase) {
    const std::uint32_t first = words.front().place;
    for (QueryPart::Word& word : words) word.place -= first;
    return {place_of(query, std::move(words))};
  }
  std::vector<std::size_t> places;
  places.reserve(words.size());
  for (QueryPart::Word& word : words) places.push_back(place_of(query, {{std::move(word.term), 0}}));
  return places;
}

}  // namespace

std::vector<QueryTerm> query_terms(Analyzer& analyzer, std::string_view text) {
  std::vector<QueryTerm> terms;
  boost::unordered_flat_map<std::string, std::size_t> places;
  analyzer.analyze(text, [&](std::string_view term) {
    const auto [place, is_new] = places.try_emplace(std::string(term), terms.size());
    if (is_new) terms.push_back({std::string(term), 0});
    ++terms[place->second].count;
  });
  return terms;
}

Query query_of(const std::vector<QueryTerm>& terms) {
  Query query;
  query.parts.reserve(terms.size());
  for (const QueryTerm& term : terms) query.parts.push_back({{{term.term, 0}}, term.count, false});
  return query;
}

Query parse_query(Analyzer& analyzer, std::string_view text) {
  Query query;
  ItemReader items(text);
  for (Item item; items.next(item);) {
    const std::vector<std::size_t> places = parts_of(query, analyzer, item);
    if (item.sign == '-') {
      if (!places.empty()) query.excluded.push_back(places);
      continue;
    }
    for (const std::size_t place : places) {
      ++query.parts[place].count;
      query.parts[place].is_required |= item.sign == '+';
    }
  }
  return query;
}

std::vector<QueryTerm> found_by(const Query& query) {
  std::vector<QueryTerm> terms;
  for (const QueryPart& part : query.parts) {
    if (part.count == 0) continue;
    for (const QueryPart::Word& word : part.words) {
      const auto found =
          std::find_if(terms.begin(), terms.end(), [&](const auto& term) { return term.term == word.term; });
      if (found != terms.end()) {
        found->count += part.count;
      } else {
        terms.push_back({word.term, part.count});
      }
    }
  }
  return terms;
}

}  // namespace spillway
