#include "indexer/parse/term_resolver.hpp"

#include <cstring>
#include <utility>

#include "text/analysis/analyzer.hpp"

namespace spillway {

TermResolver::TermResolver(const ChunkParserSetup& setup, std::function<void()> on_full)
    : filter_(setup.options),
      tokens_are_terms_(filter_.is_identity() && setup.options.max_term_bytes >= 16),
      token_space_(tokens_are_terms_ ? KeySpace::kTerm : KeySpace::kToken),
      max_term_bytes_(setup.options.max_term_bytes),
      on_full_(std::move(on_full)),
      table_(setup.budget, setup.limits.table_entries, arena_bytes(setup.options, setup.limits)),
      words_memory_(setup.budget.reserve(word_cache_bytes(setup.limits), "words of scripts without spaces")),
      words_(word_cache_bytes(setup.limits)),
      load_keys_(word_kernels(WordBytes::kWithHighBytes).load_keys) {}

void TermResolver::clear() {
  table_.clear();
  lists_.clear();
}

const TableEntry& TermResolver::insert_short(const TermTable::ShortKey& key) {
  char text[16];
  std::memcpy(text, &key.low, 8);
  std::memcpy(text + 8, &key.high, 8);
  return insert_ascii({text, key.tagged_bytes & ~TermTable::kSpaceBit});
}

const TableEntry& TermResolver::insert_ascii(std::string_view token) {
  return tokens_are_terms_ ? insert_term(token, true) : insert_token(token);
}

TableEntry& TermResolver::insert_term(std::string_view term, bool proved) {
  make_room(term.size(), 1);
  TableEntry& entry = table_.insert(term, KeySpace::kTerm);
  TermTable::set_proved(entry, proved);
  return entry;
}

const TableEntry& TermResolver::insert_token(std::string_view token) {
  std::string_view term;
  const TokenFate fate = filter_.apply(token, &term);
  make_room(token.size() + term.size(), 2);
  const std::uint32_t action = action_of(fate, term);
  TableEntry& entry = table_.insert(token, KeySpace::kToken);
  entry.action = action;
  return entry;
}

const TableEntry* TermResolver::remember_word(std::string_view word) {
  const WordTokens tokens = words_.find(word);
  if (tokens.count() > kMaxListTerms) return nullptr;
  TokenFate fates[kMaxListTerms];
  std::size_t ends[kMaxListTerms];
  terms_.clear();
  for (std::size_t i = 0; i < tokens.count(); ++i) {
    std::string_view term;
    fates[i] = filter_.apply(tokens[i], &term);
    if (fates[i] == TokenFate::kKept) terms_.append(term);
    ends[i] = terms_.size();
  }
  const auto entries = static_cast<std::uint32_t>(tokens.count()) + 1;
  const std::size_t bytes = word.size() + terms_.size();
  if (!table_.could_hold(bytes, entries)) return nullptr;
  make_room(bytes, entries);
  if (tokens_are_terms_ && tokens.count() == 1 && terms_ == word) {
    TableEntry& term = table_[action_of(fates[0], word)];
    TermTable::set_proved(term, true);
    return &term;  // whose action is its own number
  }
  actions_.clear();
  for (std::size_t i = 0, begin = 0; i < tokens.count(); begin = ends[i++]) {
    actions_.push_back(action_of(fates[i], std::string_view(terms_).substr(begin, ends[i] - begin)));
  }
  return &insert_word(word, actions_);
}

const TableEntry& TermResolver::insert_word(std::string_view word, std::span<const std::uint32_t> actions) {
  TableEntry& entry = table_.insert(word, KeySpace::kToken);
  if (actions.size() == 1) {
    entry.action = actions[0];
    return entry;
  }
  entry.action = kListAction | static_cast<std::uint32_t>(lists_.size());
  lists_.push_back(static_cast<std::uint32_t>(actions.size()));
  lists_.insert(lists_.end(), actions.begin(), actions.end());
  return entry;
}

std::uint32_t TermResolver::action_of(TokenFate fate, std::string_view term) {
  if (fate == TokenFate::kStopped) return kStoppedAction;
  if (fate == TokenFate::kOverlong) return kOverlongAction;
  TableEntry* entry = table_.find(term, KeySpace::kTerm);
  if (entry == nullptr) {
    entry = &table_.insert(term, KeySpace::kTerm);
    TermTable::set_proved(*entry, is_ascii(term));
  }
  return table_.number_of(*entry);
}

void TermResolver::make_room(std::size_t key_bytes, std::uint32_t entries) {
  if (!table_.has_room(key_bytes, entries)) on_full_();
}

}  // namespace spillway
