#include "indexer/parse/token_parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/json_words.hpp"
#include "indexer/parse/term_resolver.hpp"
#include "indexer/parse/token_buffer.hpp"
#include "io/format/index.hpp"
#include "text/analysis/analyzer.hpp"
#include "text/scan/token_kernels.hpp"
#include "text/scan/word_marks.hpp"

namespace spillway {

namespace {

class TokenParser final : public ChunkParser {
 public:
  explicit TokenParser(const ChunkParserSetup& setup)
      : ChunkParser(setup, counts_),
        resolver_(setup, [this] { resolver_.clear(); }),  // the stream does not need the table
        words_of_(setup.options.tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes),
        scanner_(words_of_),
        kernel_(setup.token_kernel != nullptr ? *setup.token_kernel : token_kernel(words_of_)),
        range_bytes_(token_range_bytes(setup.limits)),
        packer_(choose_packer(setup)),
        tokens_(setup) {}

  // The sink of the term resolver.

  std::size_t on_terms(const TokenKeys& keys, std::size_t i, std::span<const std::uint16_t> edges) {
    for (; 2 * i != edges.size() && resolver_.is_hit(keys, i); ++i) {
      before_term(edges.data() + 2 * i);
      on_term(keys.guess[i]);
    }
    return i;
  }

  // Copies the other words before a special word. Two special words have another word between them only if they are
  // three bytes or more apart, because it is delimited on both sides.
  void before_term(const std::uint16_t* edges) {
    if (copied_ == 0 || edges[0] - copied_ > 2) copy_to(edges[0]);
    copied_ = edges[1];
  }

  void on_term(std::uint32_t number) {
    TermTable& table = resolver_.table();
    const TableEntry& entry = table[number];
    const std::string_view term = table.key_of(entry);
    if (term.size() > kShortTokenBytes) {
      add_long(term, table.state(number).hash);
      return;
    }
    make_room(term.size() + 1, 1);
    std::uint8_t* const to = tokens_.end();
    std::memcpy(to, entry.key, sizeof entry.key);
    to[term.size()] = 0;
    add_tokens(term.size() + 1, 1);
  }

  static constexpr bool kLooksUpTerms = false;

  void on_new_term(std::string_view term) {
    if (term.size() > kShortTokenBytes) {
      add_long(term, hash_term(term));
    } else {
      append(term);
    }
  }

  using ChunkParser::drop_overlong;
  using ChunkParser::pass_position;

 private:
  PackWordsFunction choose_packer(const ChunkParserSetup& setup) const {
    // An empty chunk has room for a range.
    if (!resolver_.tokens_are_terms() || range_bytes_ < kMostPackedBytes) return nullptr;
    return setup.packs_json ? json_words_packer() : nullptr;
  }
  PackWordsFunction packer() const override { return packer_; }

  void add_words(std::string_view packed, std::size_t count) override {
    make_room(packed.size(), count);
    std::memcpy(tokens_.end(), packed.data(), packed.size());
    add_tokens(packed.size(), count);
    fetch_ahead(packed.size());
  }

  // Fetches the next bytes of the chunk's memory, which is in no cache, while other words are packed.
  void fetch_ahead(std::size_t bytes) {
    constexpr std::size_t kCacheLineBytes = 64;
    for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) __builtin_prefetch(tokens_.end() + at, 1);
  }

  void scan(std::string_view text) override {
    if (!resolver_.tokens_are_terms()) {
      scanner_.scan_ranges(
          text, [this](const ScannedWords& words) { resolver_.resolve_range(words, *this); },
          [this](std::string_view word) { resolve_word(word); }, [] {});
      return;
    }
    for (std::size_t at = finish_open_word(text); at < text.size();) at += copy_range(text.substr(at));
  }

  void finish_scan() override {
    close_last();
    scanner_.finish([this](std::string_view word) { resolve_word(word); });
  }

  void resolve_word(std::string_view word) { resolver_.resolve_word(word, *this); }

  // A word may go on in the next call of scan(), but a short one rarely does: it stands at the end of the stream,
  // without a zero after it. The scanner holds any other open word.

  // Returns how many bytes at the start of `text` belong to the open word, if any.
  std::size_t finish_open_word(std::string_view text) {
    if (text.empty() || (last_bytes_ == 0 && !scanner_.has_open_word())) return 0;
    const std::size_t end = word_end(text);
    if (end == 0) {
      finish_scan();
    } else {
      reopen_last();
      scan_word(text, end);
    }
    return end;
  }

  // Scans the word at the start of `text`, which ends at `end` unless that is the end of `text`.
  void scan_word(std::string_view text, std::size_t end) {
    const auto take = [this](std::string_view word) { resolve_word(word); };
    scanner_.scan(text.substr(0, end), take);
    if (end != text.size()) scanner_.finish(take);
  }

  void close_last() {
    if (last_bytes_ == 0) return;
    *tokens_.end() = 0;
    tokens_.add(1, 0, 0);
    last_bytes_ = 0;
  }

  void reopen_last() {
    if (last_bytes_ == 0) return;
    tokens_.remove_last(last_bytes_);
    scanner_.scan({reinterpret_cast<const char*>(tokens_.end()), last_bytes_}, [](std::string_view) {});
    --counts_.length;
    --counts_.position;
    last_bytes_ = 0;
  }

  void cut_document() override { reopen_last(); }

  std::size_t word_end(std::string_view text) const {
    std::size_t end = 0;
    while (end != text.size() && is_word(text[end])) ++end;
    return end;
  }
  bool is_word(char c) const { return is_word_byte(static_cast<std::uint8_t>(c), words_of_); }

  // Copies words from the start of `text`. Returns how many bytes it took. Requires: no word is open.
  std::size_t copy_range(std::string_view text) {
    std::size_t bytes = std::min(text.size(), range_bytes_);
    std::size_t last = 0;  // bytes of the word at its end
    while (last != bytes && is_word(text[bytes - last - 1])) ++last;
    const bool stays = bytes == text.size() && last <= kShortTokenBytes && is_ascii(text.substr(bytes - last));
    if (!stays) bytes -= std::exchange(last, 0);
    if (bytes == 0) {
      const std::size_t end = word_end(text);
      scan_word(text, end);
      return end;
    }
    make_room(bytes + 1, bytes / 2 + 1);
    range_ = reinterpret_cast<const std::uint8_t*>(text.data());
    if (has_special_ || !pack_range(bytes)) copy_mixed(bytes);
    last_bytes_ = last;
    return bytes;
  }

  // Copies the words of a range, unless it has special ones: then it returns false.
  bool pack_range(std::size_t bytes) {
    const PackedTokens found = kernel_.pack_tokens(range_, bytes, tokens_.end());
    if (found.has_special) return false;
    add_tokens(found.bytes, found.count);
    return true;
  }

  // Copies the words of a range that may have special ones, which do not stay as they are. The next range has some,
  // too, if this one has.
  void copy_mixed(std::size_t bytes) {
    kernel_.mark_tokens(range_, bytes, lowered_, marks_);
    const std::span<const std::uint16_t> special = special_words(marks_, bytes, edges_);
    has_special_ = !special.empty();
    copied_ = 0;
    resolver_.resolve_range({lowered_, lowered_, special}, *this);
    copy_to(bytes);
  }

  // Copies the other words of the range up to `end`.
  void copy_to(std::size_t end) {
    const std::size_t begin = std::exchange(copied_, end), bytes = end - begin;
    if (bytes == 0) return;
    make_room(bytes + 1, bytes / 2 + 1);
    PackedTokens found{.bytes = bytes};
    if (kernel_.packs) {
      found = kernel_.pack_tokens(range_ + begin, bytes, tokens_.end());
    } else {
      found.count = words_between(marks_, begin, end);
      std::memcpy(tokens_.end(), lowered_ + begin, bytes);
    }
    if (found.count != 0) add_tokens(found.bytes, found.count);
  }

  void add_long(std::string_view term, const TermHash& hash) {
    const std::uint32_t position = counts_.position;
    append(term);  // may seal the chunk before it
    long_sums_.add(hash, options_.positions ? position_value(position) : 0);
  }

  void append(std::string_view term) {
    make_room(term.size() + 1, 1);
    std::uint8_t* const to = tokens_.end();
    std::memcpy(to, term.data(), term.size());
    to[term.size()] = 0;
    add_tokens(term.size() + 1, 1);
  }

  void make_room(std::size_t bytes, std::size_t tokens) {
    if (!tokens_.has_room(bytes, tokens)) seal();
    if (!tokens_.has_memory()) tokens_.take_memory();
  }

  void add_tokens(std::size_t bytes, std::size_t count) {
    tokens_.add(bytes, count, counts_.position);
    counts_.length += static_cast<std::uint32_t>(count);
    counts_.position += static_cast<std::uint32_t>(count);
  }

  DocumentSums close_occurrences() override { return std::exchange(long_sums_, {}); }

  ParsedChunk seal_occurrences(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths) override {
    return tokens_.seal(documents, lengths);
  }

  TermResolver resolver_;
  const WordBytes words_of_;
  WordScanner scanner_;
  const TokenKernel& kernel_;
  const std::size_t range_bytes_;
  const PackWordsFunction packer_;
  TokenBuffer tokens_;
  DocumentCounts counts_;
  std::size_t last_bytes_ = 0;  // of the token at the end of the stream that may go on in the next scan(); 0: none

  DocumentSums long_sums_;  // of the document's tokens above kShortTokenBytes in this chunk

  // A range that may have special words.
  bool has_special_ = false;  // the last one had some
  WordMarks marks_;
  std::size_t copied_ = 0;               // bytes
  const std::uint8_t* range_ = nullptr;  // its text
  std::uint8_t lowered_[kScanBytes + kScanPadding] = {};
  std::uint16_t edges_[kScanBytes + 2];
};

}  // namespace

std::unique_ptr<ChunkParser> make_token_parser(const ChunkParserSetup& setup) {
  return std::make_unique<TokenParser>(setup);
}

}  // namespace spillway
