#include "search/query.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";

// One item of the query, without its sign and quotes.
struct Item {
  char sign = 0;  // +, - or 0 for none
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
        throw UsageError("the phrase " + printable(rest_, 60) + " has no closing quote; close it, or drop the \"");
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

// Keeps the clauses of a query distinct.
class ClauseTable {
 public:
  explicit ClauseTable(Query& query) : query_(query) {}

  // Returns the index of the clause in the query, after adding it if it is new.
  std::size_t place_of(std::vector<QueryClause::Word> words) {
    std::string key;
    for (const QueryClause::Word& word : words) {
      key += std::to_string(word.place) + " " + std::to_string(word.term.size()) + " " + word.term;
    }
    const auto [found, is_new] = places_.try_emplace(std::move(key), query_.clauses.size());
    if (is_new) query_.clauses.push_back({std::move(words), 0, false});
    return found->second;
  }

 private:
  Query& query_;
  boost::unordered_flat_map<std::string, std::size_t> places_;
};

// Turns the words of an item that analysis keeps into clauses: one for a phrase, otherwise one per word.
std::vector<std::size_t> clauses_of(ClauseTable& clauses, Analyzer& analyzer, const Item& item) {
  std::vector<QueryClause::Word> words;
  analyzer.analyze_places(item.text, [&](std::string_view term, std::uint32_t place) {
    words.push_back({std::string(term), place});
  });
  if (words.empty()) return {};
  if (item.is_phrase) {
    const std::uint32_t first = words.front().place;
    for (QueryClause::Word& word : words) word.place -= first;
    return {clauses.place_of(std::move(words))};
  }
  std::vector<std::size_t> places;
  places.reserve(words.size());
  for (QueryClause::Word& word : words) places.push_back(clauses.place_of({{std::move(word.term), 0}}));
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
  query.clauses.reserve(terms.size());
  for (const QueryTerm& term : terms) query.clauses.push_back({{{term.term, 0}}, term.count, false});
  return query;
}

Query parse_query(Analyzer& analyzer, std::string_view text) {
  Query query;
  ClauseTable clauses(query);
  ItemReader items(text);
  for (Item item; items.next(item);) {
    const std::vector<std::size_t> places = clauses_of(clauses, analyzer, item);
    if (item.sign == '-') {
      if (!places.empty()) query.excluded.push_back(places);
      continue;
    }
    for (const std::size_t place : places) {
      ++query.clauses[place].count;
      query.clauses[place].is_required |= item.sign == '+';
    }
  }
  return query;
}

std::vector<QueryTerm> found_by(const Query& query) {
  std::vector<QueryTerm> terms;
  boost::unordered_flat_map<std::string_view, std::size_t> places;
  for (const QueryClause& clause : query.clauses) {
    if (clause.count == 0) continue;
    for (const QueryClause::Word& word : clause.words) {
      const auto [place, is_new] = places.try_emplace(word.term, terms.size());
      if (is_new) terms.push_back({word.term, 0});
      terms[place->second].count += clause.count;
    }
  }
  return terms;
}

}  // namespace spillway
