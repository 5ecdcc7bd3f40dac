#include "indexer/parse/json_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "corpora/json/string.hpp"
#include "corpora/records/jsonl.hpp"
#include "tests/corpora/json/json_samples.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"
#include "text/scan/token_hash.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

bool is_letter(char c) { return is_word_byte(static_cast<std::uint8_t>(c), WordBytes::kAlphanumeric); }

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : text) {
    if (is_letter(c)) {
      if (!open) words.emplace_back();
      words.back().push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c));
    }
    open = is_letter(c);
  }
  return words;
}

std::string packed(const std::vector<std::string>& words) {
  std::string bytes;
  for (const std::string& word : words) bytes.append(word).push_back('\0');
  return bytes;
}

// The text of escaped JSON; nullopt if it is none.
std::optional<std::string> unescaped(std::string_view escaped) {
  const std::string in = std::string(escaped) + "\"" + std::string(kRecordPadding, '\n');
  std::string out(in.size() + kRecordPadding, '\0');
  std::uint64_t high = 0;
  const UnescapedString end = unescape_string_sse2(in.data(), out.data(), high);
  if (end.next != in.data() + escaped.size() + 1) return std::nullopt;
  return out.substr(0, static_cast<std::size_t>(end.out - out.data()));
}

// Whether a part of the string may be refused: something in it is not simple.
bool has_reason(std::string_view escaped) {
  const std::string_view seen = escaped.substr(0, kMostPartBytes);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (static_cast<unsigned char>(seen[i]) >= 0x80 || static_cast<unsigned char>(seen[i]) < 0x20) return true;
    if (seen[i] != '\\') continue;
    if (++i != seen.size() && std::string_view("\"\\/fnrt").find(seen[i]) == std::string_view::npos) return true;
  }
  const std::optional<std::string> text =
      unescaped(seen.substr(0, seen.ends_with('\\') ? seen.size() - 1 : seen.size()));
  return !text || std::ranges::any_of(words_in(*text), [](const std::string& word) { return word.size() > 16; });
}

class JsonWords : public ::testing::Test {
 protected:
  void SetUp() override {
    if (pack_ == nullptr) GTEST_SKIP() << "no AVX-512 with VBMI2 and VPOPCNTDQ here";
  }

  // Packs the string part by part, and checks each against its text. Returns the bytes that were taken.
  std::size_t check(const std::string& escaped) {
    const std::string in = escaped + "\"" + std::string(kRecordPadding, '\n');
    std::string out(kMostPartBytes + kRecordPadding, '\0');
    std::size_t at = 0;
    for (;;) {
      const PackedPart part = pack_(in.data() + at, out.data());
      if (part.next == nullptr) {
        EXPECT_TRUE(has_reason(std::string_view(escaped).substr(at))) << escaped.substr(at);
        return at;
      }
      const auto end = static_cast<std::size_t>(part.next - in.data());
      EXPECT_EQ(part.ends_string, end == in.size() - kRecordPadding);
      const std::string_view taken = std::string_view(in).substr(at, end - at - (part.ends_string ? 1 : 0));
      EXPECT_LE(taken.size(), kMostPartBytes);
      const std::optional<std::string> text = unescaped(taken);
      if (!text) {
        ADD_FAILURE() << "took " << taken;
        return at;
      }
      const std::vector<std::string> words = words_in(*text);
      EXPECT_EQ(part.count, words.size()) << taken;
      EXPECT_EQ(out.substr(0, static_cast<std::size_t>(part.out - out.data())), packed(words)) << taken;
      for (const std::string& word : words) EXPECT_LE(word.size(), kShortTokenBytes);
      if (part.ends_string) return end - 1;
      EXPECT_FALSE(!text->empty() && is_letter(text->back()) && is_letter(in[end])) << "cut a word: " << taken;
      EXPECT_GT(end, at);
      if (end == at || HasFailure()) return at;
      at = end;
    }
  }

  const PackWordsFunction pack_ = json_words_packer();
};

TEST_F(JsonWords, TakesWordsOfEveryLengthAtEveryPlace) {
  for (std::size_t before = 0; before < kMostPartBytes + 70; ++before) {
    for (std::size_t length = 0; length < 20; ++length) {
      const std::string string = std::string(before, ' ') + std::string(length, 'X') + ".y";
      EXPECT_EQ(check(string) == string.size(), length <= kShortTokenBytes) << before << " " << length;
      if (length <= kShortTokenBytes) check(std::string(before, '-') + std::string(length, 'a'));
    }
  }
}

TEST_F(JsonWords, TakesEscapesAtEveryPlace) {
  for (std::size_t before = 0; before < 140; ++before) {
    for (const std::string escape :
         {"\\n", "\\t", "\\\"", "\\\\", "\\\\n", "\\/", "\\f", "\\r", "\\\\\\\"", "\\n\\n"}) {
      const std::string string = std::string(before, '.') + "a" + escape + "b" + escape;
      EXPECT_EQ(check(string), string.size()) << string;
    }
    for (const std::string escape : {"\\u0041", "\\b", "\\x", "\\N", "\\", "\\\n", "\x01", "\t", "\x80", "\xC3\xA9"}) {
      EXPECT_EQ(check(std::string(before, '.') + "a" + escape + "b"), 0U) << before << escape;
    }
  }
}

TEST_F(JsonWords, CutsLongStringsBetweenWords) {
  for (std::size_t length = 1000; length < 1100; ++length) {
    std::string string;
    while (string.size() < 3 * length) string += string.size() % length < 20 ? "\\n" : "word ";
    EXPECT_EQ(check(string), string.size());
  }
  // A part ends in a block of 64 bytes where a word does.
  EXPECT_EQ(check(std::string(kMostPartBytes - 64, ' ') + std::string(16, 'a') + std::string(2000, '\\')),
            kMostPartBytes - 64 + 16 + 2000);
}

TEST_F(JsonWords, AgreesWithTheUnescapedText) {
  static const char* const kFragments[] = {"a",          "Word ",   "x1",   ", ",       "\\n",
                                           "\\t",        "\\\"",    "\\\\", "\\/",      "-",
                                           "0123456789", "\\u0041", "\\b",  "\xC3\xA9", "seventeenletters",
                                           "\\q",        "\x1F"};
  std::mt19937_64 random(5);
  std::size_t whole = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t most = random() % 4 == 0 ? std::size(kFragments) : 11;
    std::string string;
    for (std::size_t i = random() % (round % 20 == 0 ? 900 : 60); i > 0; --i) string += kFragments[random() % most];
    ++(check(string) == string.size() ? whole : refused);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(whole, 10000U);
  EXPECT_GT(refused, 2000U);
}

// JSON lines as chunks of tokens, with and without packing.
class PackedChunks : public ::testing::TestWithParam<bool> {
 protected:
  struct Result {
    std::vector<std::string> tokens;
    std::vector<std::uint32_t> positions;  // of the tokens
    JoinedChunks chunks;
    std::uint64_t skips = 0, overlong = 0;
  };

  std::unique_ptr<ChunkParser> make_parser(bool packs, ChunkParser::Deliver deliver = {}) {
    return make_chunk_parser({.form = ChunkForm::kTokens,
                              .options = options_,
                              .limits = limits_,
                              .budget = budget_,
                              .observer = observer_,
                              .deliver = std::move(deliver),
                              .hashes_texts = hashes_,
                              .packs_json = packs});
  }
  bool packs() { return make_parser(true)->word_packer() != nullptr; }

  Result parse(const std::string& lines, bool packs) {
    Result result;
    observer_ = {};
    std::vector<ParsedChunk> chunks;
    const auto parser = make_parser(packs, [&](ParsedChunk&& chunk) {
      add_tokens(chunk.tokens(), result);
      chunks.push_back(std::move(chunk));
    });
    const std::string padded = lines + std::string(kRecordPadding, '\n');
    std::vector<char> scratch(padded.size() + kRecordPadding);
    FieldedDocument document(scratch);
    JsonlParser jsonl(corpus_, scratch, document);
    jsonl.parse_block(std::string_view(padded).substr(0, lines.size()), {"input", 0}, *parser);
    parser->finish_task();
    ParseSetting setting{.form = ChunkForm::kTokens, .options = options_, .limits = limits_};
    tabulate(chunks, setting, budget_);
    result.chunks = join_chunks(chunks);
    result.skips = observer_.skips;
    result.overlong = parser->stats().overlong_tokens;
    return result;
  }

  // The same results with and without packing. Returns them.
  Result check(const std::string& lines) {
    const Result expected = parse(lines, false);
    Result found = parse(lines, true);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_EQ(found.positions, expected.positions);
    EXPECT_EQ(found.chunks.lists, expected.chunks.lists);
    EXPECT_EQ(found.chunks.documents, expected.chunks.documents);
    EXPECT_EQ(found.chunks.sum, expected.chunks.sum);
    EXPECT_EQ(found.skips, expected.skips);
    EXPECT_EQ(found.overlong, expected.overlong);
    return found;
  }

  static void add_tokens(const ChunkTokens& content, Result& result) {
    const std::size_t first = result.tokens.size();
    std::string token;
    for (const std::uint8_t byte : content.tokens) {
      if (byte != 0) {
        token.push_back(static_cast<char>(byte));
      } else if (!token.empty()) {
        result.tokens.push_back(std::exchange(token, {}));
      }
    }
    EXPECT_TRUE(token.empty());
    for (std::size_t i = 0; i < content.position_runs.size(); ++i) {
      const PositionRun& run = content.position_runs[i];
      const std::size_t end = i + 1 == content.position_runs.size() ? result.tokens.size() - first
                                                                    : content.position_runs[i + 1].first_token;
      for (std::size_t t = run.first_token; t < end; ++t) {
        result.positions.push_back(run.position_of(static_cast<std::uint32_t>(t)));
      }
    }
  }

  ContentOptions options_ = [] {
    ContentOptions options;
    options.positions = GetParam();
    return options;
  }();
  ChunkLimits limits_;
  CorpusOptions corpus_;
  bool hashes_ = false;
  QuietObserver observer_;
  MemoryBudget budget_{kTestBudget};
};

TEST_P(PackedChunks, AreTheSameForRandomRecords) {
  JsonSamples samples(3);
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += samples.next() + "\n";
  const Result result = check(lines);
  EXPECT_GT(result.chunks.documents.size(), 3000U);
  EXPECT_GT(result.skips, 3000U);
}

TEST_P(PackedChunks, AreTheSameForLongTexts) {
  std::mt19937_64 random(7);
  static const char* const kWords[] = {"one ",
                                       "two,",
                                       "Three\\n",
                                       "caf\xC3\xA9 ",
                                       "averyverylongidentifier ",
                                       "\\u00e9t\\u00e9 ",
                                       "x",
                                       "\\\"quoted\\\" ",
                                       "\xE6\x97\xA5\xE6\x9C\xAC ",
                                       "4\\t"};
  std::string lines;
  for (int document = 0; document < 60; ++document) {
    lines += "{\"id\":\"" + std::to_string(document) + "\",\"title\":\"Title\",\"text\":\"";
    const bool plain = document % 3 == 0;
    for (std::size_t i = random() % 8000; i > 0; --i) {
      const std::size_t rare = plain || random() % 300 != 0 ? 3 : std::size(kWords);
      lines += kWords[random() % (document % 3 == 2 ? std::size(kWords) : rare)];
    }
    lines += document % 2 == 0 ? "end\",\"url\":\"u\"}\n" : "end.\"}\n";
  }
  const Result result = check(lines);
  EXPECT_EQ(result.chunks.documents.size(), 60U);
  EXPECT_GT(result.tokens.size(), 100000U);
  limits_.token_bytes = 5000;
  check(lines);
}

TEST_P(PackedChunks, KeepTheWordsOfTheTextThatCounts) {
  // The last of two texts, the first of two names, and a title after the text.
  const Result result = check(R"({"id":"1","text":"lost words","text":"kept words","contents":"other","title":"A title"}
{"id":"2","text":12,"title":"B"}
{"id":"3","text":"","title":"C"}
{"id":"4","text":"broken \x","title":"D"}
{"id":"5","text":"cut
)");
  EXPECT_EQ(result.tokens, (std::vector<std::string>{"a", "title", "kept", "words", "b", "12", "c"}));
  std::vector<std::uint32_t> lengths;
  for (const StoredEntry& entry : result.chunks.documents) lengths.push_back(entry.length);
  EXPECT_EQ(lengths, (std::vector<std::uint32_t>{4, 2, 1}));
  EXPECT_EQ(result.skips, 2U);
  corpus_.fields = {{"id"}, {"text"}, {"text", "body"}, {}, {}};  // the text is the title, too
  EXPECT_EQ(check("{\"id\":1,\"text\":\"a b\"}\n{\"id\":2,\"body\":\"c\"}\n").tokens,
            (std::vector<std::string>{"a", "b", "a", "b", "c"}));
}

// Escapes count as the bytes that they stand for.
TEST_P(PackedChunks, JudgeTheLengthOfTheText) {
  corpus_.max_document_bytes = 100;
  const std::string start = "{\"id\":\"1\",\"text\":\"", end = "\"}\n";
  std::string escapes;
  for (int i = 0; i < 99; ++i) escapes += "\\n";
  EXPECT_EQ(check(start + escapes + "x" + end).tokens, (std::vector<std::string>{"x"}));
  EXPECT_EQ(check(start + escapes + "xy" + end).skips, 1U);
}

TEST_P(PackedChunks, AreNotMadeWhereTheTextItselfIsNeeded) {
  EXPECT_EQ(packs(), json_words_packer() != nullptr);
  hashes_ = true;
  EXPECT_FALSE(packs());
  hashes_ = false;
  options_.store = StorePolicy::kText;
  EXPECT_FALSE(packs());
  options_.store = StorePolicy::kMeta;
  options_.stemmer = "english";
  EXPECT_FALSE(packs());
  options_.stemmer = "none";
  limits_.token_bytes = 3000;  // an empty chunk has less room than packed words may take
  EXPECT_FALSE(packs());
}

INSTANTIATE_TEST_SUITE_P(Positions, PackedChunks, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "stored" : "none"; });

}  // namespace
}  // namespace spillway
