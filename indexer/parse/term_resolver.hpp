// From tokens to what they mean, by the chunk's table: each distinct token is analysed once (design, decision 2), and a
// run that is not pure ASCII once with all its tokens. A base of parsers, which say what an occurrence is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "indexer/chunk/term_table.hpp"
#include "indexer/parse/chunk_parser.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "text/analysis/analyzer.hpp"
#include "text/analysis/term_filter.hpp"
#include "text/scan/word_scanner.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

// Parser has
//   void occur(std::uint32_t number)        an occurrence of the term with this entry
//   void occur_once(std::string_view term)  of a term that need not be remembered
//   static constexpr bool kLooksUpWords     does occur_once() look the term up? Then it also has
//   void seal_if_full()                     asked after every few of them
//   std::size_t on_terms(const TokenKeys& keys, std::size_t i, std::span<const std::uint16_t> edges)
//       Tokens that are terms, from the i-th on, as long as is_hit(); returns where that ends.
//   void approach(const std::uint16_t* edges)
//       Before any other token that is looked up as a term.
//   void pass_position()                    a token that is not kept
//   void drop_overlong()                    likewise, above max_term_bytes
//   void empty_table()                      calls clear_table()
template <typename Parser>
class TermResolver {
 protected:
  explicit TermResolver(const ChunkParserSetup& setup)
      : filter_(setup.options),
        tokens_are_terms_(filter_.is_identity() && setup.options.max_term_bytes >= 16),
        table_(setup.budget, setup.limits.table_entries, arena_bytes(setup.options, setup.limits)),
        max_term_bytes_(setup.options.max_term_bytes),
        words_memory_(setup.budget.reserve(word_cache_bytes(setup.limits), "words of scripts without spaces")),
        words_(word_cache_bytes(setup.limits)),
        load_keys_(window_kernels(WordBytes::kWithHighBytes).load_keys),
        token_space_(tokens_are_terms_ ? KeySpace::kTerm : KeySpace::kToken) {}

  // A few runs at a time, so that the table's memory arrives while other runs are worked on.
  void take_window(const WindowRuns& runs) {
    for (std::size_t first = 0; first < runs.edges.size(); first += 2 * kTokenBatch) {
      const auto edges = runs.edges.subspan(first, std::min(2 * kTokenBatch, runs.edges.size() - first));
      if (tokens_are_terms_) {
        take_batch<true>(runs, edges);
      } else {
        take_batch<false>(runs, edges);
      }
    }
  }

  void take_run(std::string_view run) {
    lower_.assign(run);
    for (char& c : lower_) c = static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0));
    take_lowered(lower_);
  }

  // A run that is not pure ASCII, its ASCII letters lowered, which changes no token: NFKC_Casefold does so first. The
  // slow path, remembered by the run's bytes if it is short.
  void take_raw_run(std::string_view run) {
    if (run.size() <= kMaxRememberedBytes) {
      if (tokens_are_terms_) {
        const TableEntry* term = table_.find(run, KeySpace::kTerm);
        if (term != nullptr && TermTable::is_proved(*term)) {
          parser().occur(table_.number_of(*term));
          return;
        }
      }
      const TableEntry* entry = table_.find(run, KeySpace::kToken);
      if (entry == nullptr) entry = remember_run(run);
      if (entry != nullptr) {
        act(entry->action);
        return;
      }
    }
    take_words(words_.find(run));
  }

  // The entry of a term, made if it is not there. Empties the table where it is full.
  TableEntry& term_entry(std::string_view term, bool proved) {
    TableEntry* const known = table_.find(term, KeySpace::kTerm);
    return known != nullptr ? *known : insert_term(term, proved);
  }

  bool is_hit(const TokenKeys& keys, std::size_t i) const {
    return table_.is_entry(keys.guess[i], key_of<true>(keys, i));
  }

  void clear_table() {
    table_.clear();
    lists_.clear();
  }

  TermFilter filter_;
  // ASCII tokens are looked up as terms; else as tokens, whose entries name terms.
  const bool tokens_are_terms_;
  TermTable table_;

 private:
  // Actions of a token entry that name no term.
  static constexpr std::uint32_t kListAction = 0x80000000U;  // with the offset of its list of actions
  static constexpr std::uint32_t kStoppedAction = 0xFFFFFFFFU;
  static constexpr std::uint32_t kOverlongAction = 0xFFFFFFFEU;

  void take_lowered(std::string_view run) {
    std::uint8_t all = 0;
    for (const char c : run) all |= static_cast<std::uint8_t>(c);
    if (all >= 0x80) {
      take_raw_run(run);
    } else if (run.size() > max_term_bytes_) {
      parser().drop_overlong();
    } else {
      take_ascii(run);
    }
  }

  Parser& parser() { return static_cast<Parser&>(*this); }

  template <bool kTokensAreTerms>
  void take_batch(const WindowRuns& runs, std::span<const std::uint16_t> edges) {
    TokenKeys keys;
    const SlotTable slots = table_.slot_table(kTokensAreTerms ? KeySpace::kTerm : KeySpace::kToken);
    load_keys_(runs.lowered, edges, slots, keys);
    const std::size_t count = edges.size() / 2;
    const auto text = [&](std::size_t i) -> std::string_view {
      const std::uint16_t begin = edges[2 * i];
      return {reinterpret_cast<const char*>(runs.lowered) + begin, std::size_t{edges[2 * i + 1]} - begin};
    };
    for (std::size_t i = 0; i < count; ++i) {
      table_.prefetch(keys.guess[i]);
      if (kTokensAreTerms && keys.low[i] == 0) keys.high[i] = expect_long(text(i));
    }
    std::uint32_t clears = table_.clear_count();
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kTokensAreTerms) {
        i = parser().on_terms(keys, i, edges);
        if (i == count) break;
        parser().approach(edges.data() + 2 * i);
      }
      const TermTable::ShortKey key = key_of<kTokensAreTerms>(keys, i);
      constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
      if (!kTokensAreTerms && table_.is_entry(keys.guess[i], key)) {
        act(table_[keys.guess[i]].action);
      } else if (key.low != 0 && ((key.low | key.high) & kHighBits) == 0) {
        take_short(key);
      } else if (const TableEntry* term = kTokensAreTerms && key.low == 0 ? find_proved(text(i), key.high) : nullptr;
                 term != nullptr) {
        parser().occur(table_.number_of(*term));
      } else {
        take_lowered(text(i));
      }
      if (table_.clear_count() != clears) {
        std::fill(keys.guess + i, keys.guess + count, 0);
        clears = table_.clear_count();
      }
    }
  }

  // Asks for the memory of a run above 16 bytes that may be a term as it stands, as long words of alphabets are;
  // returns its hash, or 0 where that is not worth it: runs of scripts without spaces are several words.
  std::uint64_t expect_long(std::string_view run) const {
    constexpr std::uint8_t kThreeByteLead = 0xE0;
    if (run.size() > kMaxRememberedBytes || static_cast<std::uint8_t>(run[0]) >= kThreeByteLead) return 0;
    const std::uint64_t hash = TermTable::hash_long(run);
    table_.prefetch_long(run, hash, KeySpace::kTerm);
    return hash;
  }

  // The term that such a run is, if that is known.
  const TableEntry* find_proved(std::string_view run, std::uint64_t hash) {
    if (hash == 0) return nullptr;
    const TableEntry* const term = table_.find_long(run, hash, KeySpace::kTerm);
    return term != nullptr && TermTable::is_proved(*term) ? term : nullptr;
  }

  template <bool kTokensAreTerms>
  static TermTable::ShortKey key_of(const TokenKeys& keys, std::size_t i) {
    return {keys.low[i], keys.high[i], keys.bytes[i] | (kTokensAreTerms ? 0 : TermTable::kSpaceBit)};
  }

  void take_short(const TermTable::ShortKey& key) {
    TableEntry* entry = table_.find(key);
    if (entry == nullptr) {
      const std::string_view text = short_text(key);
      entry = tokens_are_terms_ ? &insert_term(text, true) : &insert_token(text);
    }
    take_entry(*entry);
  }

  void take_ascii(std::string_view token) {
    TableEntry* entry = table_.find(token, token_space_);
    if (entry == nullptr) entry = tokens_are_terms_ ? &insert_term(token, true) : &insert_token(token);
    take_entry(*entry);
  }

  // An occurrence of a key of the space in which ASCII tokens are looked up.
  void take_entry(const TableEntry& entry) {
    if (tokens_are_terms_) {
      parser().occur(table_.number_of(entry));
    } else {
      act(entry.action);
    }
  }

  std::string_view short_text(const TermTable::ShortKey& key) {
    std::memcpy(short_text_, &key.low, 8);
    std::memcpy(short_text_ + 8, &key.high, 8);
    return {short_text_, key.tagged_bytes & ~TermTable::kSpaceBit};
  }

  // Of a run that is not remembered.
  void take_words(const RunWords& words) {
    if constexpr (Parser::kLooksUpWords) {
      if (tokens_are_terms_) {
        for (std::size_t i = 0; i < words.count(); i += take_words_together(words, i)) {
        }
        return;
      }
    }
    for (std::size_t i = 0; i < words.count(); ++i) take_token(words[i]);
  }

  // Some words from the first-th on, as in take_batch(); returns how many.
  std::size_t take_words_together(const RunWords& words, std::size_t first) {
    const std::uint32_t base = words.edges[2 * first];
    std::uint16_t edges[2 * kTokenBatch];
    std::size_t count = 0;
    for (; count < kTokenBatch && first + count < words.count(); ++count) {
      const std::size_t at = 2 * (first + count);
      if (words.edges[at + 1] - base > std::numeric_limits<std::uint16_t>::max()) break;
      edges[2 * count] = static_cast<std::uint16_t>(words.edges[at] - base);
      edges[2 * count + 1] = static_cast<std::uint16_t>(words.edges[at + 1] - base);
    }
    if (count == 0) {
      take_token(words[first]);
      return 1;
    }
    TokenKeys keys;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(words.text) + base;
    load_keys_(text, {edges, 2 * count}, table_.slot_table(KeySpace::kTerm), keys);
    for (std::size_t i = 0; i < count; ++i) table_.prefetch(keys.guess[i]);
    const std::uint32_t clears = table_.clear_count();
    for (std::size_t i = 0; i < count; ++i) {
      if (table_.clear_count() == clears && table_.is_key(keys.guess[i], key_of<true>(keys, i))) {
        parser().occur(keys.guess[i]);
      } else {
        take_token(words[first + i]);
      }
    }
    parser().seal_if_full();
    return count;
  }

  void take_token(std::string_view token) {
    std::string_view term;
    switch (filter_.apply(token, &term)) {
      case TokenFate::kKept:
        parser().occur_once(term);
        break;
      case TokenFate::kOverlong:
        parser().drop_overlong();
        break;
      case TokenFate::kStopped:
        parser().pass_position();
        break;
    }
  }

  // nullptr where the run has too many tokens to be remembered.
  const TableEntry* remember_run(std::string_view run) {
    const RunWords words = words_.find(run);
    const auto entries = static_cast<std::uint32_t>(words.count()) + 1;
    if (words.count() > kMaxListTerms) return nullptr;
    fates_.clear();
    terms_.clear();
    term_ends_.clear();
    for (std::size_t i = 0; i < words.count(); ++i) {
      std::string_view term;
      fates_.push_back(filter_.apply(words[i], &term));
      if (fates_.back() == TokenFate::kKept) terms_.append(term);
      term_ends_.push_back(terms_.size());
    }
    const std::size_t bytes = run.size() + terms_.size();
    if (!table_.could_hold(bytes, entries)) return nullptr;
    make_room(bytes, entries);
    if (tokens_are_terms_ && words.count() == 1 && terms_ == run) {
      TableEntry& term = table_[action_of(fates_[0], run)];
      TermTable::set_proved(term, true);
      return &term;  // whose action is its own number
    }
    actions_.clear();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < words.count(); ++i) {
      actions_.push_back(action_of(fates_[i], std::string_view(terms_).substr(begin, term_ends_[i] - begin)));
      begin = term_ends_[i];
    }
    TableEntry& entry = table_.insert(run, KeySpace::kToken);
    if (actions_.size() == 1) {
      entry.action = actions_[0];
    } else {
      entry.action = kListAction | static_cast<std::uint32_t>(lists_.size());
      lists_.push_back(static_cast<std::uint32_t>(actions_.size()));
      lists_.insert(lists_.end(), actions_.begin(), actions_.end());
    }
    return &entry;
  }

  // Requires: room for the term.
  std::uint32_t action_of(TokenFate fate, std::string_view term) {
    if (fate == TokenFate::kStopped) return kStoppedAction;
    if (fate == TokenFate::kOverlong) return kOverlongAction;
    TableEntry* entry = table_.find(term, KeySpace::kTerm);
    if (entry == nullptr) {
      entry = &table_.insert(term, KeySpace::kTerm);
      TermTable::set_proved(*entry, is_ascii(term));
    }
    return table_.number_of(*entry);
  }

  TableEntry& insert_term(std::string_view term, bool proved) {
    make_room(term.size(), 1);
    TableEntry& entry = table_.insert(term, KeySpace::kTerm);
    TermTable::set_proved(entry, proved);
    return entry;
  }

  TableEntry& insert_token(std::string_view token) {
    std::string_view term;
    const TokenFate fate = filter_.apply(token, &term);
    make_room(token.size() + term.size(), 2);
    const std::uint32_t action = action_of(fate, term);
    TableEntry& entry = table_.insert(token, KeySpace::kToken);
    entry.action = action;
    return entry;
  }

  void make_room(std::size_t key_bytes, std::uint32_t entries) {
    if (!table_.has_room(key_bytes, entries)) parser().empty_table();
  }

  void act(std::uint32_t action) {
    if (action < kListAction) {
      parser().occur(action);
    } else if (action == kOverlongAction) {
      parser().drop_overlong();
    } else if (action == kStoppedAction) {
      parser().pass_position();
    } else {
      const std::uint32_t* list = lists_.data() + (action & ~kListAction);
      for (std::uint32_t i = 1; i <= list[0]; ++i) act(list[i]);
    }
  }

  const std::size_t max_term_bytes_;
  Reservation words_memory_;
  UnicodeWords words_;
  const LoadKeysFunction load_keys_;
  const KeySpace token_space_;
  std::vector<std::uint32_t> lists_;  // of actions, each with its length before it
  std::string lower_;
  // Of the run that is to be remembered, by token.
  std::vector<TokenFate> fates_;
  std::string terms_;  // one after the other
  std::vector<std::size_t> term_ends_;
  std::vector<std::uint32_t> actions_;
  char short_text_[16] = {};
};

}  // namespace spillway
