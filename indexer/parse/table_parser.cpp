#include "indexer/parse/table_parser.hpp"

#include <utility>

#include "indexer/chunk/position_folder.hpp"
#include "indexer/chunk/seal_postings.hpp"
#include "indexer/chunk/seal_table.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/term_resolver.hpp"
#include "io/base/error.hpp"
#include "text/analysis/analyzer.hpp"

namespace spillway {

namespace {

// Entries by which prefetching runs ahead.
constexpr std::size_t kAhead = 16;

// A term's position values below 2^48, times a hash below 2^61, stay within 128 bits when the products of all terms of
// a document, at most 2^18, are added up.
constexpr unsigned kSummedBits = 48;

template <ChunkForm kForm, Positions kPositions>
class TableParser final : public ChunkParser {
 public:
  explicit TableParser(const ChunkParserSetup& setup)
      : ChunkParser(setup, counts_),
        resolver_(setup, [this] { seal(); }),
        scanner_(options_.tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes),
        stream_memory_(setup.budget,
                       (limits_.stream_words + slack_words(limits_, kForm, kPositioned)) * sizeof(std::uint32_t),
                       "a chunk's occurrences"),
        stream_(stream_memory_.as<std::uint32_t>().data()),
        touched_memory_(setup.budget, touched_words(limits_, kFoldsPositions) * sizeof(std::uint32_t),
                        "a chunk's occurrences"),
        touched_(touched_memory_.as<std::uint32_t>().data()),
        positions_(setup.budget, limits_, kRangeTokens, kFoldsPositions) {
    stream_memory_.use_large_pages();
  }

  // The sink of the term resolver.

  std::size_t on_terms(const TokenKeys& keys, std::size_t i, std::span<const std::uint16_t> edges) {
    Counts counts = counts_;
    for (; 2 * i != edges.size() && resolver_.is_hit(keys, i); ++i) count(keys.guess[i], counts);
    counts_ = counts;
    return i;
  }
  void before_term(const std::uint16_t*) {}
  void on_term(std::uint32_t number) { count(number, counts_); }

  static constexpr bool kLooksUpTerms = true;

  void on_new_term(std::string_view term) {
    on_term(resolver_.table().number_of(resolver_.term_entry(term, is_ascii(term))));
    seal_if_full();
  }

  using ChunkParser::drop_overlong;
  using ChunkParser::pass_position;

  void seal_if_full() {
    const std::size_t words = kForm == ChunkForm::kPostings ? kPostingWords * counts_.touched : 0;
    if (counts_.stream_words + words >= limits_.stream_words) {
      seal();
    } else if constexpr (kFoldsPositions) {
      if (positions_.is_full(counts_.waiting)) seal();
    }
  }

 private:
  static constexpr bool kPositioned = kPositions == Positions::kStored;
  static constexpr bool kFoldsPositions = kPositioned && kForm == ChunkForm::kPostings;
  static constexpr std::size_t kPostingWords = kPositioned ? 4 : 3;  // at most

  // Counters that each occurrence changes. One struct, so that a loop over occurrences can hold them in registers; each
  // in 16 bytes of its own, as in DocumentCounts.
  struct Counts : DocumentCounts {
    alignas(16) std::size_t stream_words = 0;  // used
    alignas(16) std::size_t waiting = 0;       // occurrences of the document, in the chunk, with positions
    alignas(16) std::size_t touched = 0;       // terms of the document, in the chunk
  };

  void scan(std::string_view text) override {
    scanner_.scan_ranges(
        text, [this](const ScannedWords& words) { resolver_.resolve_range(words, *this); },
        [this](std::string_view word) { resolver_.resolve_word(word, *this); }, [this] { seal_if_full(); });
  }
  void finish_scan() override {
    scanner_.finish([this](std::string_view word) { resolver_.resolve_word(word, *this); });
    seal_if_full();
  }

  [[gnu::always_inline]] void count(std::uint32_t number, Counts& counts) {
    ++counts.length;
    if constexpr (kForm == ChunkForm::kTables) {
      stream_[counts.stream_words++] = number;
      if constexpr (kPositioned) stream_[counts.stream_words++] = counts.position;
    } else {
      // Without a branch, which would often be mispredicted: the number counts if it is the document's first.
      TableEntry& entry = resolver_.table()[number];
      touched_[counts.touched] = number;
      counts.touched += entry.frequency == 0 ? 1 : 0;
      if constexpr (kPositioned) {
        std::uint32_t* const occurrence = positions_.occurrences() + 2 * counts.waiting;
        occurrence[0] = number;
        occurrence[1] = counts.position;
        ++counts.waiting;
      }
      ++entry.frequency;
    }
    if constexpr (kPositioned) ++counts.position;
  }

  DocumentSums close_occurrences() override {
    if constexpr (kForm == ChunkForm::kTables) {
      return sum_of_occurrences();
    } else {
      return emit_postings();
    }
  }

  // Sums the document's occurrences in this chunk: the last ones of the stream.
  DocumentSums sum_of_occurrences() {
    DocumentSums sums;
    constexpr std::size_t kWords = kPositioned ? 2 : 1;
    for (std::size_t i = counts_.stream_words - kWords * counts_.length; i < counts_.stream_words; i += kWords) {
      sums.add(resolver_.table().state(stream_[i]).hash, kPositioned ? position_value(stream_[i + 1]) : 0);
    }
    return sums;
  }

  // Folding is over: writes the postings of the document's terms in this chunk.
  DocumentSums emit_postings() {
    TermTable& table = resolver_.table();
    DocumentSums sums;
    std::uint64_t occurrences = 0;
    if constexpr (kFoldsPositions) positions_.fold(table, {touched_, counts_.touched}, counts_.waiting);
    for (std::size_t i = 0; i < counts_.touched; ++i) {
      if (i + kAhead < counts_.touched) {
        table.prefetch(touched_[i + kAhead]);
        table.prefetch_state(touched_[i + kAhead]);
      }
      const std::uint32_t number = touched_[i];
      TermState& term = table.state(number);
      PositionFolder::List list;
      if constexpr (kFoldsPositions) {
        list = positions_.next_list(table[number]);
        const auto share = static_cast<unsigned __int128>(term.hash[1]) * list.weight;
        sums.positions += list.weight >> kSummedBits == 0 ? share : field61::reduce(share);
      } else {
        list.frequency = std::exchange(table[number].frequency, 0);
      }
      for (std::size_t lane = 0; lane < 2; ++lane) {
        sums.lanes[lane] += static_cast<unsigned __int128>(term.hash[lane]) * list.frequency;
      }
      occurrences += list.frequency;
      const std::size_t words =
          emit_posting(term, number, document_number() + 1, list.frequency, stream_ + counts_.stream_words);
      counts_.stream_words += words;
      if constexpr (kFoldsPositions) stream_[counts_.stream_words++] = list.bytes;
    }
    counts_.waiting = 0;
    counts_.touched = 0;
    if (occurrences != counts_.length) {
      throw FormatError(
          "a document's terms do not add up to its length; the memory of this machine or this program is "
          "at fault, and the index was not written");
    }
    return sums;
  }

  ParsedChunk seal_occurrences(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths) override {
    const std::span<const std::uint32_t> words(stream_, counts_.stream_words);
    const std::span<std::uint32_t> scratch = touched_memory_.as<std::uint32_t>();
    ParsedChunk chunk;
    if constexpr (kForm == ChunkForm::kTables) {
      chunk = seal_table(resolver_.table(), documents, {words, kPositions, lengths, scratch}, budget_);
    } else {
      chunk =
          seal_postings(resolver_.table(), documents, {words, positions_.distances(), kPositions, scratch}, budget_);
    }
    resolver_.clear();
    counts_.stream_words = 0;
    positions_.clear();
    return chunk;
  }

  TermResolver resolver_;
  WordScanner scanner_;
  Buffer stream_memory_;
  std::uint32_t* stream_;
  Buffer touched_memory_;
  std::uint32_t* touched_;    // kPostings: the terms of the document, by first occurrence; one more may follow the last
  PositionFolder positions_;  // kPostings with positions
  Counts counts_;
};

template <ChunkForm kForm>
std::unique_ptr<ChunkParser> make_parser(const ChunkParserSetup& setup) {
  if (setup.options.positions) return std::make_unique<TableParser<kForm, Positions::kStored>>(setup);
  return std::make_unique<TableParser<kForm, Positions::kNone>>(setup);
}

}  // namespace

std::unique_ptr<ChunkParser> make_table_parser(const ChunkParserSetup& setup) {
  return setup.form == ChunkForm::kPostings ? make_parser<ChunkForm::kPostings>(setup)
                                            : make_parser<ChunkForm::kTables>(setup);
}

}  // namespace spillway
