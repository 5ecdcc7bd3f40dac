#include "indexer/chunk_parser.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "indexer/analyzer.hpp"
#include "indexer/chunk_sealer.hpp"
#include "indexer/chunk_sizes.hpp"
#include "indexer/document_strings.hpp"
#include "indexer/position_folder.hpp"
#include "io/error.hpp"
#include "io/run_reader.hpp"
#include "io/run_writer.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

// Actions of a token entry that name no term.
constexpr std::uint32_t kListAction = 0x80000000U;  // with the offset of its list of actions
constexpr std::uint32_t kStoppedAction = 0xFFFFFFFFU;
constexpr std::uint32_t kOverlongAction = 0xFFFFFFFEU;

// Tokens between the title and the text: no phrase reaches over it.
constexpr std::uint32_t kFieldGap = 100;

// Entries whose memory is asked for before it is needed.
constexpr std::size_t kAhead = 8;

template <ChunkForm kForm, Positions kPositions>
class Parser final : public ChunkParser {
 public:
  explicit Parser(const ChunkParserSetup& setup)
      : options_(setup.options),
        limits_(setup.limits),
        deliver_(setup.deliver),
        observer_(setup.observer),
        scanner_(options_.tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes),
        filter_(options_),
        words_memory_(setup.budget.reserve(word_cache_bytes(limits_), "words of scripts without spaces")),
        words_(word_cache_bytes(limits_)),
        table_(setup.budget, limits_.table_entries, arena_bytes(options_, limits_)),
        load_keys_(window_kernels(WordBytes::kWithHighBytes).load_keys),
        stream_memory_(setup.budget,
                       (limits_.stream_words + slack_words(limits_, kForm, kPositioned)) * sizeof(std::uint32_t),
                       "a chunk's occurrences"),
        stream_(stream_memory_.as<std::uint32_t>().data()),
        touched_memory_(setup.budget, touched_words(limits_, kFoldsPositions) * sizeof(std::uint32_t),
                        "a chunk's occurrences"),
        touched_(touched_memory_.as<std::uint32_t>().data()),
        positions_(setup.budget, limits_, kWindowTokens, kFoldsPositions),
        budget_(setup.budget),
        tokens_are_terms_(filter_.is_identity() && options_.max_term_bytes >= 16),
        token_space_(tokens_are_terms_ ? KeySpace::kTerm : KeySpace::kToken),
        space_bit_(tokens_are_terms_ ? 0 : TermTable::kSpaceBit) {}

  void begin(const DocumentFields& fields, const SourcePlace&) override {
    if (documents_.size() >= limits_.document_bytes || document_number_ >= limits_.max_documents) seal();
    figures_.fields_cut += strings_.keep(fields, options_.store);
    has_stored_ids_ |= !fields.id.empty();
    figures_.repaired += fields.repaired ? 1 : 0;
    figures_.fields_cut += fields.title_in_text && options_.store != StorePolicy::kNone ? 1 : 0;
    open_ = true;
    counts_.length = 0;
    counts_.position = 0;
    if (fields.has_title) {
      scan(fields.title);
      finish_scan();
      if (counts_.position != 0) counts_.position += kFieldGap;
    }
  }

  void text(std::string_view piece) override {
    if (stores_text_) keep_text(piece);
    scan(piece);
  }

  void end() override {
    finish_scan();
    if (stores_text_) append_text_piece({{}, true}, texts_);
    strings_.append_to(documents_, counts_.length);
    if (document_number_ == 0 && first_document_open_) continued_length_ = counts_.length;
    close_document();
    open_ = false;
    ++document_number_;
    ++figures_.documents;
  }

  void finish_task() override {
    if (document_number_ != 0) seal();
  }

  const ParseFigures& figures() const override { return figures_; }

  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) override {
    observer_.skip(reason, place, detail);
  }
  void consumed(std::uint64_t input_bytes) override { observer_.consumed(input_bytes); }

 private:
  static constexpr bool kPositioned = kPositions == Positions::kStored;
  static constexpr bool kFoldsPositions = kPositioned && kForm == ChunkForm::kPostings;
  static constexpr std::size_t kPostingWords = kPositioned ? 4 : 3;  // at most

  // What every occurrence counts: together, so that a loop over occurrences can hold them in registers. Apart in
  // memory: loads of two at once, which the compiler would make of neighbours, stall behind stores of one (half of the
  // time of take_batch() on text with many words).
  struct Counts {
    alignas(16) std::size_t stream_words = 0;  // used
    alignas(16) std::size_t waiting = 0;       // occurrences of the document, in the chunk, with positions
    alignas(16) std::size_t touched = 0;       // terms of the document, in the chunk
    alignas(16) std::uint32_t length = 0;      // tokens of the document, in the chunk
    alignas(16) std::uint32_t position = 0;    // of the next token, with positions
  };

  void scan(std::string_view piece) {
    scanner_.scan_windows(
        piece, [this](const WindowRuns& runs) { take_window(runs); }, [this](std::string_view run) { take_run(run); },
        [this] { seal_if_full(); });
  }
  void finish_scan() {
    scanner_.finish([this](std::string_view run) { take_run(run); });
    seal_if_full();
  }

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

  template <bool kTokensAreTerms>
  void take_batch(const WindowRuns& runs, std::span<const std::uint16_t> edges) {
    TokenKeys keys;
    const SlotTable slots = table_.slot_table(kTokensAreTerms ? KeySpace::kTerm : KeySpace::kToken);
    load_keys_(runs.lowered, edges, slots, keys);
    const std::size_t count = edges.size() / 2;
    for (std::size_t i = 0; i < count; ++i) table_.prefetch(keys.guess[i]);
    std::uint32_t clears = table_.clear_count();
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (kTokensAreTerms) {
        i = take_hits(keys, i, count);
        if (i == count) break;
      }
      const TermTable::ShortKey key = key_of<kTokensAreTerms>(keys, i);
      constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
      if (!kTokensAreTerms && table_.is_entry(keys.guess[i], key)) {
        act(table_[keys.guess[i]].action);
      } else if (key.low != 0 && ((key.low | key.high) & kHighBits) == 0) {
        take_short(key);
      } else {
        const std::uint16_t begin = edges[2 * i];
        take_run({reinterpret_cast<const char*>(runs.text) + begin, std::size_t{edges[2 * i + 1]} - begin});
      }
      if (table_.clear_count() != clears) {
        std::fill(keys.guess + i, keys.guess + count, 0);
        clears = table_.clear_count();
      }
    }
  }

  template <bool kTokensAreTerms>
  static TermTable::ShortKey key_of(const TokenKeys& keys, std::size_t i) {
    return {keys.low[i], keys.high[i], keys.bytes[i] | (kTokensAreTerms ? 0 : TermTable::kSpaceBit)};
  }

  // Tokens that are terms, from the i-th on, as long as the guesses are right. Returns where that ends.
  std::size_t take_hits(const TokenKeys& keys, std::size_t i, std::size_t count) {
    Counts counts = counts_;
    for (; i != count && table_.is_entry(keys.guess[i], key_of<true>(keys, i)); ++i) occur(keys.guess[i], counts);
    counts_ = counts;
    return i;
  }

  void take_run(std::string_view run) {
    lower_.assign(run);
    std::uint8_t all = 0;
    for (char& c : lower_) {
      all |= static_cast<std::uint8_t>(c);
      c = static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0));
    }
    if (all >= 0x80) {
      take_raw_run(lower_);
      return;
    }
    if (run.size() > options_.max_term_bytes) {
      drop_overlong();
      return;
    }
    TableEntry* entry = table_.find(lower_, token_space_);
    if (entry == nullptr) entry = tokens_are_terms_ ? &insert_term(lower_, true) : &insert_token(lower_);
    take_entry(*entry);
  }

  void take_short(const TermTable::ShortKey& key) {
    TableEntry* entry = table_.find(key);
    if (entry == nullptr) {
      const std::string_view text = short_text(key);
      entry = tokens_are_terms_ ? &insert_term(text, true) : &insert_token(text);
    }
    take_entry(*entry);
  }

  // An occurrence of a key of the space in which ASCII tokens are looked up.
  void take_entry(const TableEntry& entry) {
    if (tokens_are_terms_) {
      occur(table_.number_of(entry));
    } else {
      act(entry.action);
    }
  }

  std::string_view short_text(const TermTable::ShortKey& key) {
    std::memcpy(short_text_, &key.low, 8);
    std::memcpy(short_text_ + 8, &key.high, 8);
    return {short_text_, key.tagged_bytes & ~TermTable::kSpaceBit};
  }

  // A run that is not pure ASCII, its ASCII letters lowered, which changes no token: NFKC_Casefold does so first. The
  // slow path, remembered by the run's bytes if it is short.
  void take_raw_run(std::string_view run) {
    if (run.size() <= kMaxRememberedBytes) {
      if (tokens_are_terms_) {
        const TableEntry* term = table_.find(run, KeySpace::kTerm);
        if (term != nullptr && TermTable::is_proved(*term)) {
          occur(table_.number_of(*term));
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
    words_.split(run, [this](std::string_view token) {
      std::string_view term;
      switch (filter_.apply(token, &term)) {
        case TokenFate::kKept: {
          TableEntry* entry = table_.find(term, KeySpace::kTerm);
          occur(table_.number_of(entry != nullptr ? *entry : insert_term(term, is_ascii(term))));
          seal_if_full();
          break;
        }
        case TokenFate::kOverlong:
          drop_overlong();
          break;
        case TokenFate::kStopped:
          pass_position();
          break;
      }
    });
  }

  // nullptr where the run has too many tokens to be remembered.
  const TableEntry* remember_run(std::string_view run) {
    std::vector<std::string> terms;
    std::vector<TokenFate> fates;
    std::size_t bytes = run.size();
    words_.split(run, [&](std::string_view token) {
      std::string_view term;
      fates.push_back(filter_.apply(token, &term));
      terms.emplace_back(fates.back() == TokenFate::kKept ? term : std::string_view());
      bytes += terms.back().size();
    });
    const auto entries = static_cast<std::uint32_t>(terms.size()) + 1;
    if (terms.size() > kMaxListTerms || !table_.could_hold(bytes, entries)) return nullptr;
    make_room(bytes, entries);
    if (tokens_are_terms_ && terms.size() == 1 && terms[0] == run) {
      TableEntry& term = table_[action_of(fates[0], run)];
      TermTable::set_proved(term, true);
      return &term;  // whose action is its own number
    }
    std::vector<std::uint32_t> actions;
    for (std::size_t i = 0; i < terms.size(); ++i) actions.push_back(action_of(fates[i], terms[i]));
    TableEntry& entry = table_.insert(run, KeySpace::kToken);
    if (actions.size() == 1) {
      entry.action = actions[0];
    } else {
      entry.action = kListAction | static_cast<std::uint32_t>(lists_.size());
      lists_.push_back(static_cast<std::uint32_t>(actions.size()));
      lists_.insert(lists_.end(), actions.begin(), actions.end());
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
    if (!table_.has_room(key_bytes, entries)) seal();
  }

  void act(std::uint32_t action) {
    if (action < kListAction) {
      occur(action);
    } else if (action == kOverlongAction) {
      drop_overlong();
    } else if (action == kStoppedAction) {
      pass_position();
    } else {
      const std::uint32_t* list = lists_.data() + (action & ~kListAction);
      for (std::uint32_t i = 1; i <= list[0]; ++i) act(list[i]);
    }
  }

  void occur(std::uint32_t number) { occur(number, counts_); }

  [[gnu::always_inline]] void occur(std::uint32_t number, Counts& counts) {
    ++counts.length;
    if constexpr (kForm == ChunkForm::kOccurrences) {
      stream_[counts.stream_words++] = number;
      if constexpr (kPositioned) stream_[counts.stream_words++] = counts.position;
    } else {
      // Without a branch, which would often be mispredicted: the number counts if it is the document's first.
      TableEntry& entry = table_[number];
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

  // Every token takes a position, kept or not.
  void pass_position() {
    if constexpr (kPositioned) ++counts_.position;
  }

  void drop_overlong() {
    ++figures_.overlong_tokens;
    pass_position();
  }

  void seal_if_full() {
    const std::size_t words = kForm == ChunkForm::kPostings ? kPostingWords * counts_.touched : 0;
    if (counts_.stream_words + words >= limits_.stream_words) {
      seal();
    } else if constexpr (kFoldsPositions) {
      if (positions_.is_full(counts_.waiting)) seal();
    }
  }

  // A chunk ends where its texts would be too many: a text may be cut anywhere.
  void keep_text(std::string_view piece) {
    if (texts_.capacity() == 0) texts_.reserve(max_text_bytes(options_, limits_));
    while (!piece.empty()) {
      if (texts_.size() >= limits_.text_bytes) seal();
      const std::string_view part = piece.substr(0, limits_.text_bytes - texts_.size());
      append_text_piece({part, false}, texts_);
      piece.remove_prefix(part.size());
    }
  }

  // Adds to the chunk what of the document is in it.
  void close_document() {
    if constexpr (kForm == ChunkForm::kOccurrences) {
      lengths_.push_back(counts_.length);
      add_to_sum(sum_of_occurrences());
    } else {
      add_to_sum(emit_postings());
    }
    occurrence_count_ += counts_.length;
    counts_.length = 0;
  }

  void add_to_sum(const TermHash& hashes) { sum_.add(hashes, document_power(document_number_)); }
  void add_to_position_sum(std::uint64_t positions) {
    if constexpr (kPositioned) {
      const std::uint64_t share = field61::multiply(positions, document_power(document_number_));
      sum_.positions = field61::add(sum_.positions, share);
    }
  }

  // Of the document's tokens in this chunk, which are the last of the stream.
  TermHash sum_of_occurrences() {
    unsigned __int128 sums[2] = {0, 0};
    unsigned __int128 positions = 0;
    constexpr std::size_t kWords = kPositioned ? 2 : 1;
    for (std::size_t i = counts_.stream_words - kWords * counts_.length; i < counts_.stream_words; i += kWords) {
      const TermHash& hash = table_.state(stream_[i]).hash;
      sums[0] += hash[0];
      sums[1] += hash[1];
      if constexpr (kPositioned) {
        positions += static_cast<unsigned __int128>(hash[1]) * position_value(stream_[i + 1]);
      }
    }
    add_to_position_sum(field61::reduce(positions));
    return {field61::reduce(sums[0]), field61::reduce(sums[1])};
  }

  // Folding is over: the postings of the document's terms in this chunk.
  TermHash emit_postings() {
    unsigned __int128 sums[2] = {0, 0};
    std::uint64_t occurrences = 0, positions = 0;
    if constexpr (kFoldsPositions) positions_.fold(table_, {touched_, counts_.touched}, counts_.waiting);
    for (std::size_t i = 0; i < counts_.touched; ++i) {
      if (i + kAhead < counts_.touched) {
        table_.prefetch(touched_[i + kAhead]);
        table_.prefetch_state(touched_[i + kAhead]);
      }
      const std::uint32_t number = touched_[i];
      TermState& term = table_.state(number);
      PositionFolder::List list;
      if constexpr (kFoldsPositions) {
        list = positions_.next_list(table_[number]);
        const auto share = static_cast<unsigned __int128>(term.hash[1]) * list.weight;
        positions = field61::add(positions, field61::reduce(share));
      } else {
        list.frequency = std::exchange(table_[number].frequency, 0);
      }
      for (std::size_t lane = 0; lane < 2; ++lane) {
        sums[lane] += static_cast<unsigned __int128>(term.hash[lane]) * list.frequency;
      }
      occurrences += list.frequency;
      const std::size_t words =
          emit_posting(term, number, document_number_ + 1, list.frequency, stream_ + counts_.stream_words);
      counts_.stream_words += words;
      if constexpr (kFoldsPositions) stream_[counts_.stream_words++] = list.bytes;
    }
    counts_.waiting = 0;
    counts_.touched = 0;
    add_to_position_sum(positions);
    if (occurrences != counts_.length) {
      throw FormatError(
          "a document's terms do not add up to its length; the memory of this machine or this program is "
          "at fault, and the index was not written");
    }
    return {field61::reduce(sums[0]), field61::reduce(sums[1])};
  }

  // Hands out the chunk. An open document goes on as the first of the next.
  void seal() {
    const std::uint32_t open_length = counts_.length;
    open_strings_.clear();
    if (open_) {
      strings_.append_to(open_strings_, 0);  // u8 fields, varint 0, strings
      close_document();
      ++document_number_;
    }
    ChunkContents contents;
    contents.form = kForm;
    contents.stream = {stream_, counts_.stream_words};
    contents.cursors = touched_memory_.as<std::uint32_t>();
    contents.positions = kPositions;
    contents.distances = positions_.distances();
    contents.documents = documents_;
    contents.texts = texts_;
    contents.lengths = lengths_;
    if (open_) contents.open_strings = std::span<const std::uint8_t>(open_strings_).subspan(2);
    ParsedChunk chunk = seal_chunk(table_, contents, budget_);
    chunk.document_count = document_number_;
    chunk.occurrence_count = occurrence_count_;
    chunk.first_document_open = first_document_open_;
    chunk.last_document_open = open_;
    chunk.has_stored_ids = has_stored_ids_;
    chunk.sum = sum_;
    chunk.open_fields = strings_.fields();
    chunk.open_length = open_length;
    chunk.continued_length = continued_length_;
    start_chunk();
    ++figures_.chunks;
    deliver_(std::move(chunk));
  }

  void start_chunk() {
    table_.clear();
    lists_.clear();
    counts_.stream_words = 0;
    positions_.clear();
    documents_.clear();
    texts_.clear();
    lengths_.clear();
    sum_ = OccurrenceSum{};
    occurrence_count_ = 0;
    document_number_ = 0;
    first_document_open_ = open_;
    has_stored_ids_ = false;
    continued_length_ = 0;
    if (open_) strings_.clear_fields();
  }

  const ContentOptions& options_;
  const ChunkLimits limits_;
  Deliver deliver_;
  ParseObserver& observer_;
  RunScanner scanner_;
  TermFilter filter_;
  Reservation words_memory_;
  UnicodeWords words_;
  TermTable table_;
  LoadKeysFunction load_keys_;
  Buffer stream_memory_;
  std::uint32_t* stream_;
  Buffer touched_memory_;
  std::uint32_t* touched_;  // kPostings: the terms of the document, by first occurrence; one may stand behind the last
  PositionFolder positions_;  // kPostings with positions
  MemoryBudget& budget_;
  const bool tokens_are_terms_;
  const KeySpace token_space_;
  const std::uint32_t space_bit_;  // of the key space in which ASCII tokens are looked up

  Counts counts_;

  // The chunk.
  std::vector<std::uint32_t> lists_;  // of actions, each with its length before it
  std::vector<std::uint8_t> documents_, open_strings_, texts_;
  const bool stores_text_ = options_.store == StorePolicy::kText;
  std::vector<std::uint32_t> lengths_;
  std::uint32_t continued_length_ = 0;
  OccurrenceSum sum_;
  std::uint64_t occurrence_count_ = 0;
  std::uint32_t document_number_ = 0;
  bool first_document_open_ = false;
  bool has_stored_ids_ = false;

  // The document.
  bool open_ = false;
  DocumentStrings strings_;

  std::string lower_;
  char short_text_[16] = {};
  ParseFigures figures_;
};

template <ChunkForm kForm>
std::unique_ptr<ChunkParser> make_parser(const ChunkParserSetup& setup) {
  if (setup.options.positions) return std::make_unique<Parser<kForm, Positions::kStored>>(setup);
  return std::make_unique<Parser<kForm, Positions::kNone>>(setup);
}

}  // namespace

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup) {
  if (setup.form == ChunkForm::kTokens) throw std::logic_error("no parser leaves tokens yet");
  return setup.form == ChunkForm::kPostings ? make_parser<ChunkForm::kPostings>(setup)
                                            : make_parser<ChunkForm::kOccurrences>(setup);
}

}  // namespace spillway
