#include "search/snippet.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";
constexpr std::size_t kBorderBytes = 32;  // how far a border may move to stand between words

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Moves `begin` after the next white space if it is near, otherwise to the next character border.
std::size_t move_begin(std::string_view text, std::size_t begin, std::size_t latest) {
  if (begin == 0) return 0;
  const std::size_t space = text.find_first_of(kSpaces, begin - 1);
  if (space != std::string_view::npos && space < std::min(begin + kBorderBytes, latest)) {
    return std::min(text.find_first_not_of(kSpaces, space), latest);
  }
  while (begin < latest && is_continuation(text[begin])) ++begin;
  return begin;
}

std::size_t move_end(std::string_view text, std::size_t end, std::size_t earliest) {
  if (end >= text.size()) return text.size();
  const std::size_t space = text.find_last_of(kSpaces, end);
  if (space != std::string_view::npos && space >= earliest && space + kBorderBytes > end) return space;
  while (end > earliest && is_continuation(text[end])) --end;
  return end;
}

// The length of the longest prefix of at most `bytes` bytes that ends at a character border.
std::size_t whole_characters(std::string_view text, std::size_t bytes) {
  while (bytes < text.size() && is_continuation(text[bytes])) --bytes;
  return bytes;
}

}  // namespace

SnippetMaker::SnippetMaker(const ContentOptions& options, std::vector<std::string> terms)
    : analyzer_(options),
      filter_(options),
      high_bytes_are_words_(options.tokenizer == Tokenizer::kUnicode),
      terms_(std::move(terms)) {
  std::sort(terms_.begin(), terms_.end());
  terms_.erase(std::unique(terms_.begin(), terms_.end()), terms_.end());
}

bool SnippetMaker::is_word_byte(char c) const {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (high_bytes_are_words_ && static_cast<unsigned char>(c) >= 0x80);
}

std::vector<SnippetMaker::Match> SnippetMaker::find_matches(std::string_view text) {
  std::vector<Match> matches;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_word_byte(text[at])) ++at;
    match_word(text, begin, at, matches);
  }
  return matches;
}

// Index of the token's term in terms_; terms_.size() if it is not a term of the query.
std::size_t SnippetMaker::term_of(std::string_view token) {
  std::string_view term;
  if (filter_.apply(token, &term) != TokenFate::kKept) return terms_.size();
  const auto found = std::lower_bound(terms_.begin(), terms_.end(), term);
  return found == terms_.end() || *found != term ? terms_.size() : static_cast<std::size_t>(found - terms_.begin());
}

// A word may contain several tokens (scripts without spaces). Each token is marked where its bytes occur in the word.
// If they do not occur (other forms of characters), the whole word is marked, or, in a word that is longer than a
// snippet, the bytes after the last token that did occur.
void SnippetMaker::match_word(std::string_view text, std::size_t begin, std::size_t end, std::vector<Match>& matches) {
  const std::string_view word = text.substr(begin, end - begin);
  const std::size_t first = matches.size();
  std::size_t searched = 0;
  bool whole = false;
  std::size_t any_term = 0, near = 0;  // near: where the bytes to mark begin
  analyzer_.tokenize(word, [&](std::string_view token) {
    const std::string token_bytes(token);
    const std::size_t at = word.find(token_bytes, searched);
    if (at != std::string_view::npos) searched = at + token.size();
    const std::size_t found = term_of(token_bytes);
    if (found == terms_.size()) return;
    if (!whole) any_term = found;
    if (!whole && at == std::string_view::npos) {
      whole = true;
      near = searched;
    }
    if (!whole) matches.push_back({begin + at, begin + at + token_bytes.size(), found});
  });
  if (!whole) return;
  if (word.size() <= kSnippetBytes) {
    matches.resize(first);
    near = 0;
  }
  const std::size_t left = word.size() - near;
  matches.push_back(
      {begin + near, begin + near + whole_characters(word.substr(near), std::min(left, kSnippetBytes)), any_term});
}

// Returns the matches [first, last) of the best fragment. Both ends only move forward: time O(matches).
std::pair<std::size_t, std::size_t> SnippetMaker::best_fragment(const std::vector<Match>& matches) const {
  std::vector<std::size_t> counts(terms_.size());
  std::size_t distinct = 0, last = 0;
  std::tuple<std::size_t, std::size_t> best{0, 0};
  std::pair<std::size_t, std::size_t> fragment{0, 0};
  for (std::size_t first = 0; first < matches.size(); ++first) {
    while (last < matches.size() && (last == first || matches[last].end - matches[first].begin <= kSnippetBytes)) {
      distinct += counts[matches[last++].term]++ == 0 ? 1 : 0;
    }
    if (std::tuple(distinct, last - first) > best) {
      best = {distinct, last - first};
      fragment = {first, last};
    }
    distinct -= --counts[matches[first].term] == 0 ? 1 : 0;
  }
  return fragment;
}

Snippet SnippetMaker::make(std::string_view text) {
  const std::vector<Match> matches = find_matches(text);
  const auto [first, last] = best_fragment(matches);
  const std::size_t least_begin = first == last ? 0 : matches[first].begin;
  const std::size_t least_end = first == last ? 0 : matches[last - 1].end;
  const std::size_t free = kSnippetBytes - std::min(kSnippetBytes, least_end - least_begin);
  const std::size_t before = std::min(least_begin, free / 2);
  const std::size_t begin = move_begin(text, least_begin - before, least_begin);
  const std::size_t end = move_end(text, std::min(text.size(), least_end + (free - before)), least_end);

  Snippet snippet;
  snippet.starts_text = text.find_first_not_of(kSpaces) >= begin;
  snippet.ends_text = text.find_first_not_of(kSpaces, end) == std::string_view::npos;
  std::size_t next = first;
  for (std::size_t at = begin; at < end; ++at) {
    if (next < last && at == matches[next].begin) snippet.marks.emplace_back(snippet.text.size(), 0);
    const bool is_space = kSpaces.find(text[at]) != std::string_view::npos;
    if (!is_space) {
      snippet.text += text[at];
    } else if (!snippet.text.empty() && snippet.text.back() != ' ') {
      snippet.text += ' ';
    }
    if (next < last && at + 1 == matches[next].end) {
      snippet.marks.back().second = snippet.text.size();
      ++next;
    }
  }
  if (snippet.text.ends_with(' ')) snippet.text.pop_back();
  return snippet;
}

Snippet printable(const Snippet& snippet) {
  Snippet result = snippet;
  result.text.clear();
  std::size_t at = 0;
  // Appends the text up to `end`; returns where it ends now.
  const auto append_to = [&](std::size_t end) {
    result.text +=
        printable(std::string_view(snippet.text).substr(at, end - at), std::numeric_limits<std::size_t>::max());
    at = end;
    return result.text.size();
  };
  for (auto& [begin, end] : result.marks) {
    begin = append_to(begin);
    end = append_to(end);
  }
  append_to(snippet.text.size());
  return result;
}

std::string marked_text(const Snippet& snippet, std::string_view open, std::string_view close) {
  const auto part = [&](std::size_t begin, std::size_t end) { return snippet.text.substr(begin, end - begin); };
  std::string marked = snippet.starts_text ? "" : "...";
  std::size_t at = 0;
  for (const auto& [begin, end] : snippet.marks) {
    marked += part(at, begin);
    marked.append(open).append(part(begin, end)).append(close);
    at = end;
  }
  return marked + part(at, snippet.text.size()) + (snippet.ends_text ? "" : "...");
}

}  // namespace spillway
