#include "indexer/parse/token_parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/term_resolver.hpp"
#include "indexer/parse/token_buffer.hpp"
#include "io/format/index.hpp"
#include "text/scan/token_kernels.hpp"
#include "text/scan/window_runs.hpp"

namespace spillway {

namespace {

template <Positions kPositions>
class TokenParser final : public ChunkParser, private TermResolver<TokenParser<kPositions>> {
  using Lookup = TermResolver<TokenParser<kPositions>>;
  friend Lookup;

 public:
  explicit TokenParser(const ChunkParserSetup& setup)
      : ChunkParser(setup, counts_),
        Lookup(setup),
        words_of_(setup.options.tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes),
        scanner_(words_of_),
        mark_tokens_(token_kernel(words_of_)),
        window_bytes_(token_window_bytes(setup.limits)),
        tokens_(setup) {}

 private:
  void scan(std::string_view piece) override {
    if (!this->tokens_are_terms_) {
      scanner_.scan_windows(
          piece, [this](const WindowRuns& runs) { this->take_window(runs); },
          [this](std::string_view run) { this->take_run(run); }, [] {});
      return;
    }
    for (std::size_t at = finish_open_run(piece); at < piece.size();) at += copy_window(piece.substr(at));
  }

  void finish_scan() override {
    close_last();
    scanner_.finish([this](std::string_view run) { this->take_run(run); });
  }

  // Words that go on over the borders of pieces. A short one at the end of a piece stands at the end of the stream,
  // without a zero behind it, since it hardly ever goes on; others are with the scanner.

  // Bytes at the piece's start that belong to the run that was open, if any.
  std::size_t finish_open_run(std::string_view piece) {
    if (piece.empty() || (last_bytes_ == 0 && !scanner_.has_open_run())) return 0;
    const std::size_t end = run_end(piece);
    if (end == 0) {
      finish_scan();
    } else {
      reopen_last();
      scan_run(piece, end);
    }
    return end;
  }

  // A run at the start of a piece that ends at `end`, if that is not the piece's end.
  void scan_run(std::string_view piece, std::size_t end) {
    const auto take = [this](std::string_view run) { this->take_run(run); };
    scanner_.scan(piece.substr(0, end), take);
    if (end != piece.size()) scanner_.finish(take);
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
    if constexpr (kPositions == Positions::kStored) --counts_.position;
    last_bytes_ = 0;
  }

  void cut_document() override { reopen_last(); }

  std::size_t run_end(std::string_view text) const {
    std::size_t end = 0;
    while (end != text.size() && is_word(text[end])) ++end;
    return end;
  }
  bool is_word(char c) const { return is_word_byte(static_cast<std::uint8_t>(c), words_of_); }

  // Copies words from the start of `text`, where none is open, on; returns how many bytes it took.
  std::size_t copy_window(std::string_view text) {
    std::size_t bytes = std::min(text.size(), window_bytes_);
    std::size_t last = 0;  // bytes of the run at its end
    while (last != bytes && is_word(text[bytes - last - 1])) ++last;
    const bool stays = bytes == text.size() && last <= kShortTokenBytes && is_ascii(text.substr(bytes - last));
    if (!stays) bytes -= std::exchange(last, 0);
    if (bytes == 0) {
      const std::size_t end = run_end(text);
      scan_run(text, end);
      return end;
    }
    make_room(bytes + 1, bytes / 2 + 1);
    const auto* const from = reinterpret_cast<const std::uint8_t*>(text.data());
    const WindowTokens found = mark_tokens_(from, bytes, tokens_.end(), marks_);
    if (found.has_special) {
      copy_mixed(bytes);
    } else {
      add_tokens(bytes, found.count);
    }
    last_bytes_ = last;
    return bytes;
  }

  // Of a window that was written at the end of the stream, but has words that do not stay as they are.
  void copy_mixed(std::size_t bytes) {
    std::memcpy(window_, tokens_.end(), bytes);
    copied_ = 0;
    this->take_window({window_, window_, special_runs(marks_, bytes, edges_)});
    copy_to(bytes);
  }

  void copy_to(std::size_t end) {
    const std::size_t begin = std::exchange(copied_, end);
    const std::size_t count = words_between(marks_, begin, end);
    if (count == 0) return;
    make_room(end - begin + 1, count);
    std::memcpy(tokens_.end(), window_ + begin, end - begin);
    add_tokens(end - begin, count);
  }

  // For the look-up.

  std::size_t on_terms(const TokenKeys& keys, std::size_t i, std::span<const std::uint16_t> edges) {
    for (; 2 * i != edges.size() && this->is_hit(keys, i); ++i) {
      approach(edges.data() + 2 * i);
      occur(keys.guess[i]);
    }
    return i;
  }

  // Between two runs of special words another word takes three bytes: it stands between others.
  void approach(const std::uint16_t* edges) {
    if (copied_ == 0 || edges[0] - copied_ > 2) copy_to(edges[0]);
    copied_ = edges[1];
  }

  void occur(std::uint32_t number) {
    const TableEntry& entry = table_[number];
    const std::string_view term = table_.key_of(entry);
    if (term.size() > kShortTokenBytes) {
      add_long(term, table_.state(number).hash);
      return;
    }
    make_room(term.size() + 1, 1);
    std::uint8_t* const to = tokens_.end();
    std::memcpy(to, entry.key, sizeof entry.key);
    to[term.size()] = 0;
    add_tokens(term.size() + 1, 1);
  }

  static constexpr bool kLooksUpWords = false;

  void occur_once(std::string_view term) {
    if (term.size() > kShortTokenBytes) {
      add_long(term, hash_term(term));
    } else {
      append(term);
    }
  }

  void add_long(std::string_view term, const TermHash& hash) {
    const std::uint32_t position = counts_.position;
    append(term);  // may seal the chunk before it
    long_sums_.add(hash, kPositions == Positions::kStored ? position_value(position) : 0);
  }

  void append(std::string_view term) {
    make_room(term.size() + 1, 1);
    std::uint8_t* const to = tokens_.end();
    std::memcpy(to, term.data(), term.size());
    to[term.size()] = 0;
    add_tokens(term.size() + 1, 1);
  }

  // Every token takes a position, kept or not.
  void pass_position() {
    if constexpr (kPositions == Positions::kStored) ++counts_.position;
  }

  void drop_overlong() {
    count_overlong();
    pass_position();
  }

  // The table only remembers: what is in the stream does not need it.
  void empty_table() { this->clear_table(); }

  // The chunk.

  void make_room(std::size_t bytes, std::size_t tokens) {
    if (!tokens_.has_room(bytes, tokens)) seal();
    if (!tokens_.has_memory()) tokens_.take_memory();
  }

  void add_tokens(std::size_t bytes, std::size_t count) {
    tokens_.add(bytes, count, counts_.position);
    counts_.length += static_cast<std::uint32_t>(count);
    if constexpr (kPositions == Positions::kStored) counts_.position += static_cast<std::uint32_t>(count);
  }

  DocumentSums close_occurrences() override { return std::exchange(long_sums_, {}); }

  ParsedChunk seal_occurrences(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths) override {
    return tokens_.seal(documents, lengths);
  }

  using Lookup::table_;

  const WordBytes words_of_;
  WordScanner scanner_;
  const MarkTokensFunction mark_tokens_;
  const std::size_t window_bytes_;
  TokenBuffer tokens_;
  DocumentCounts counts_;
  std::size_t last_bytes_ = 0;  // of the token at the end of the stream that may go on in the next piece; 0: none

  DocumentSums long_sums_;  // of the document's tokens above kShortTokenBytes in this chunk

  // A window with special runs.
  WindowMarks marks_;
  std::size_t copied_ = 0;  // up to here
  std::uint8_t window_[kWindowBytes + kWindowPadding] = {};
  std::uint16_t edges_[kWindowBytes + 2];
};

}  // namespace

std::unique_ptr<ChunkParser> make_token_parser(const ChunkParserSetup& setup) {
  if (setup.options.positions) return std::make_unique<TokenParser<Positions::kStored>>(setup);
  return std::make_unique<TokenParser<Positions::kNone>>(setup);
}

}  // namespace spillway
