// Resolves words of text to terms by the chunk's table: each distinct token is analysed once, and a word that is not
// pure ASCII once with all its tokens. It stands between the scanner of words and a sink that counts occurrences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/chunk/term_table.hpp"
#include "indexer/parse/chunk_parser.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "text/analysis/term_filter.hpp"
#include "text/scan/word_scanner.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

// The sink of the resolve functions, a template parameter so that its functions are inlined, has
//   void on_term(std::uint32_t number)         an occurrence of the term with this entry
//   void on_new_term(std::string_view term)    an occurrence of a term that need not be remembered
//   std::size_t on_terms(const TokenKeys& keys, std::size_t i, std::span<const std::uint16_t> edges)
//       occurrences of the tokens from the i-th on, while is_hit(); returns where that ends
//   void before_term(const std::uint16_t* edges)
//       called before each other token that is looked up as a term
//   void pass_position()                       a token that is dropped
//   void drop_overlong()                       a token that is dropped because it is longer than max_term_bytes
//   static constexpr bool kLooksUpTerms        whether on_new_term() looks the term up; then it also has
//   void seal_if_full()                        called after every few of them
class TermResolver {
 public:
  // `on_full` is called where the table has no room for an entry; it calls clear().
  TermResolver(const ChunkParserSetup& setup, std::function<void()> on_full);

  // Resolves the words of a range, a batch at a time: the table's memory for one batch arrives while another is
  // resolved.
  template <typename Sink>
  void resolve_range(const ScannedWords& words, Sink& sink) {
    for (std::size_t first = 0; first < words.edges.size(); first += 2 * kTokenBatch) {
      const auto edges = words.edges.subspan(first, std::min(2 * kTokenBatch, words.edges.size() - first));
      if (tokens_are_terms_) {
        resolve_batch<true>(words, edges, sink);
      } else {
        resolve_batch<false>(words, edges, sink);
      }
    }
  }

  template <typename Sink>
  void resolve_word(std::string_view word, Sink& sink) {
    lower_.assign(word);
    for (char& c : lower_) c = static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0));
    resolve_lowered(lower_, sink);
  }

  // Returns the entry of a term, which it inserts if need be. `proved`: TermTable::is_proved().
  TableEntry& term_entry(std::string_view term, bool proved) {
    TableEntry* const known = table_.find(term, KeySpace::kTerm);
    return known != nullptr ? *known : insert_term(term, proved);
  }

  bool is_hit(const TokenKeys& keys, std::size_t i) const {
    return table_.is_entry(keys.guess[i], key_of<true>(keys, i));
  }
  // Whether ASCII tokens are looked up as terms. Otherwise they are looked up as tokens, whose entries name terms.
  bool tokens_are_terms() const { return tokens_are_terms_; }
  TermTable& table() { return table_; }
  void clear();

 private:
  // Actions of a token's entry that name no term.
  static constexpr std::uint32_t kListAction = 0x80000000U;  // with the offset of its list of actions
  static constexpr std::uint32_t kStoppedAction = 0xFFFFFFFFU;
  static constexpr std::uint32_t kOverlongAction = 0xFFFFFFFEU;

  template <bool kTokensAreTerms, typename Sink>
  void resolve_batch(const ScannedWords& words, std::span<const std::uint16_t> edges, Sink& sink) {
    TokenKeys keys;
    const SlotTable slots = table_.slot_table(kTokensAreTerms ? KeySpace::kTerm : KeySpace::kToken);
    load_keys_(words.lowered, edges, slots, keys);
    const std::size_t count = edges.size() / 2;
    const auto text = [&](std::size_t i) -> std::string_view {
      const std::uint16_t begin = edges[2 * i];
      return {reinterpret_cast<const char*>(words.lowered) + begin, std::size_t{edges[2 * i + 1]} - begin};
    };
    for (std::size_t i = 0; i < count; ++i) {
      table_.prefetch(keys.guess[i]);
      if (kTokensAreTerms && keys.low[i] == 0) keys.high[i] = expect_long(text(i));
    }
    std::uint32_t clears = table_.clear_count();
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kTokensAreTerms) {
        i = sink.on_terms(keys, i, edges);
        if (i == count) break;
        sink.before_term(edges.data() + 2 * i);
      }
      const TermTable::ShortKey key = key_of<kTokensAreTerms>(keys, i);
      constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
      if (!kTokensAreTerms && table_.is_entry(keys.guess[i], key)) {
        act(table_[keys.guess[i]].action, sink);
      } else if (key.low != 0 && ((key.low | key.high) & kHighBits) == 0) {
        take_entry(short_entry(key), sink);
      } else if (const TableEntry* term =
                     kTokensAreTerms && key.low == 0 ? find_proved(text(i), keys.high[i]) : nullptr;
                 term != nullptr) {
        sink.on_term(table_.number_of(*term));
      } else {
        resolve_lowered(text(i), sink);
      }
      if (table_.clear_count() != clears) {
        std::fill(keys.guess + i, keys.guess + count, 0);
        clears = table_.clear_count();
      }
    }
  }

  template <typename Sink>
  void resolve_lowered(std::string_view word, Sink& sink) {
    std::uint8_t all = 0;
    for (const char c : word) all |= static_cast<std::uint8_t>(c);
    if (all >= 0x80) {
      resolve_unicode(word, sink);
    } else if (word.size() > max_term_bytes_) {
      sink.drop_overlong();
    } else {
      take_entry(ascii_entry(word), sink);
    }
  }

  // The slow path of a word that is not pure ASCII, remembered by the word's bytes if it is short. Its ASCII letters
  // are lowered, which changes no token: NFKC_Casefold lowers them first.
  template <typename Sink>
  void resolve_unicode(std::string_view word, Sink& sink) {
    if (word.size() <= kMaxRememberedBytes) {
      if (tokens_are_terms_) {
        const TableEntry* term = table_.find(word, KeySpace::kTerm);
        if (term != nullptr && TermTable::is_proved(*term)) return sink.on_term(table_.number_of(*term));
      }
      const TableEntry* entry = table_.find(word, KeySpace::kToken);
      if (entry == nullptr) entry = remember_word(word);
      if (entry != nullptr) return act(entry->action, sink);
    }
    resolve_tokens(words_.find(word), sink);
  }

  // The tokens of a word that is not remembered.
  template <typename Sink>
  void resolve_tokens(const WordTokens& tokens, Sink& sink) {
    if constexpr (Sink::kLooksUpTerms) {
      if (tokens_are_terms_) {
        for (std::size_t i = 0; i < tokens.count(); i += resolve_together(tokens, i, sink)) {
        }
        return;
      }
    }
    for (std::size_t i = 0; i < tokens.count(); ++i) resolve_token(tokens[i], sink);
  }

  // Resolves some tokens from the first-th on, as resolve_batch(); returns how many.
  template <typename Sink>
  std::size_t resolve_together(const WordTokens& tokens, std::size_t first, Sink& sink) {
    const std::uint32_t base = tokens.edges[2 * first];
    std::uint16_t edges[2 * kTokenBatch];
    std::size_t count = 0;
    for (; count < kTokenBatch && first + count < tokens.count(); ++count) {
      const std::size_t at = 2 * (first + count);
      if (tokens.edges[at + 1] - base > std::numeric_limits<std::uint16_t>::max()) break;
      edges[2 * count] = static_cast<std::uint16_t>(tokens.edges[at] - base);
      edges[2 * count + 1] = static_cast<std::uint16_t>(tokens.edges[at + 1] - base);
    }
    if (count == 0) {
      resolve_token(tokens[first], sink);
      return 1;
    }
    TokenKeys keys;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(tokens.text) + base;
    load_keys_(text, {edges, 2 * count}, table_.slot_table(KeySpace::kTerm), keys);
    for (std::size_t i = 0; i < count; ++i) table_.prefetch(keys.guess[i]);
    const std::uint32_t clears = table_.clear_count();
    for (std::size_t i = 0; i < count; ++i) {
      if (table_.clear_count() == clears && table_.is_key(keys.guess[i], key_of<true>(keys, i))) {
        sink.on_term(keys.guess[i]);
      } else {
        resolve_token(tokens[first + i], sink);
      }
    }
    sink.seal_if_full();
    return count;
  }

  template <typename Sink>
  void resolve_token(std::string_view token, Sink& sink) {
    std::string_view term;
    switch (filter_.apply(token, &term)) {
      case TokenFate::kKept:
        return sink.on_new_term(term);
      case TokenFate::kOverlong:
        return sink.drop_overlong();
      case TokenFate::kStopped:
        return sink.pass_position();
    }
  }

  // An occurrence of a key of the space in which ASCII tokens are looked up.
  template <typename Sink>
  void take_entry(const TableEntry& entry, Sink& sink) {
    if (tokens_are_terms_) {
      sink.on_term(table_.number_of(entry));
    } else {
      act(entry.action, sink);
    }
  }

  template <typename Sink>
  void act(std::uint32_t action, Sink& sink) {
    if (action < kListAction) {
      sink.on_term(action);
    } else if (action == kOverlongAction) {
      sink.drop_overlong();
    } else if (action == kStoppedAction) {
      sink.pass_position();
    } else {
      const std::uint32_t* list = lists_.data() + (action & ~kListAction);
      for (std::uint32_t i = 1; i <= list[0]; ++i) act(list[i], sink);
    }
  }

  template <bool kTokensAreTerms>
  static TermTable::ShortKey key_of(const TokenKeys& keys, std::size_t i) {
    return {keys.low[i], keys.high[i], keys.bytes[i] | (kTokensAreTerms ? 0 : TermTable::kSpaceBit)};
  }

  // Prefetches the slot of a word above 16 bytes that may be a term as it stands, as long words of alphabets are.
  // Returns the word's hash, or 0 where that does not pay: words of scripts without spaces are several tokens.
  std::uint64_t expect_long(std::string_view word) const {
    constexpr std::uint8_t kThreeByteLead = 0xE0;
    if (word.size() > kMaxRememberedBytes || static_cast<std::uint8_t>(word[0]) >= kThreeByteLead) return 0;
    const std::uint64_t hash = TermTable::hash_long(word);
    table_.prefetch_long(word, hash, KeySpace::kTerm);
    return hash;
  }
  // The term that such a word is; nullptr where that is not known.
  const TableEntry* find_proved(std::string_view word, std::uint64_t hash) {
    if (hash == 0) return nullptr;
    const TableEntry* const term = table_.find_long(word, hash, KeySpace::kTerm);
    return term != nullptr && TermTable::is_proved(*term) ? term : nullptr;
  }

  // Entries of ASCII tokens, inserted if need be.
  const TableEntry& short_entry(const TermTable::ShortKey& key) {
    const TableEntry* const entry = table_.find(key);
    return entry != nullptr ? *entry : insert_short(key);
  }
  const TableEntry& ascii_entry(std::string_view token) {
    const TableEntry* const entry = table_.find(token, token_space_);
    return entry != nullptr ? *entry : insert_ascii(token);
  }
  const TableEntry& insert_short(const TermTable::ShortKey& key);
  const TableEntry& insert_ascii(std::string_view token);
  TableEntry& insert_term(std::string_view term, bool proved);
  const TableEntry& insert_token(std::string_view token);
  // nullptr where the word has too many tokens to be remembered.
  const TableEntry* remember_word(std::string_view word);
  const TableEntry& insert_word(std::string_view word, std::span<const std::uint32_t> actions);
  // Requires: room for the term.
  std::uint32_t action_of(TokenFate fate, std::string_view term);
  void make_room(std::size_t key_bytes, std::uint32_t entries);

  TermFilter filter_;
  const bool tokens_are_terms_;
  const KeySpace token_space_;
  const std::size_t max_term_bytes_;
  const std::function<void()> on_full_;
  TermTable table_;
  Reservation words_memory_;
  UnicodeWords words_;
  const LoadKeysFunction load_keys_;
  std::vector<std::uint32_t> lists_;  // of actions, each with its length before it
  std::string lower_;
  // The kept terms of the word that is to be remembered, one after the other, and all its actions.
  std::string terms_;
  std::vector<std::uint32_t> actions_;
};

}  // namespace spillway
