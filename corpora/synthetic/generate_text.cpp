#include "corpora/synthetic/generate_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "corpora/synthetic/fixed_math.hpp"
#include "corpora/synthetic/ordered_blocks.hpp"
#include "corpora/synthetic/string_writing.hpp"
#include "corpora/synthetic/zipf_words.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// Approximate size of the blocks that one thread makes at a time. Changing it changes the text of every seed.
constexpr double kBlockBytes = 1 << 20;
constexpr double kAssumedWordBytes = 6;
constexpr std::int64_t kLog2E = 6196328019;  // log2(e), fixed-point

void require(bool good, const std::string& what) {
  if (!good) throw UsageError("generated text: " + what);
}

void check(const GenerateTextOptions& options) {
  require(options.total_bytes != 0 || options.documents != 0, "give a number of bytes or of documents");
  require(options.vocabulary >= 1 && options.vocabulary < std::uint64_t{1} << 32,
          "the vocabulary must have 1 to 4294967295 words");
  require(options.exponent >= 0 && options.exponent <= 16, "the exponent must be 0 to 16");
  require(options.shift >= 0 && options.shift <= 1e6, "the shift must be 0 to 1000000");
  require(options.mean_words >= 1 && options.mean_words <= static_cast<double>(kMaxGeneratedWords),
          "the mean length must be 1 to " + std::to_string(kMaxGeneratedWords) + " words");
  require(options.spread >= 0 && options.spread <= 4, "the spread must be 0 to 4");
  require(options.title_words <= 1000, "a title has at most 1000 words");
}

// Makes numbered blocks of documents. A block depends on its number alone. Thread-safe.
class BlockMaker {
 public:
  explicit BlockMaker(const GenerateTextOptions& options)
      : options_(options),
        words_(options.vocabulary, to_fixed(options.exponent), to_fixed(options.shift)),
        mean_words_(to_fixed(options.mean_words)),
        spread_(to_fixed(options.spread)),
        block_documents_(std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(kBlockBytes / (kAssumedWordBytes * options.mean_words)))) {}

  struct Block {
    std::vector<char> bytes;
    std::vector<std::size_t> ends;  // where its documents end
  };

  std::uint64_t block_documents() const { return block_documents_; }

  void make(std::uint64_t number, Block& block) const {
    block.ends.clear();
    SplitMix random = random_of(options_.seed, number);
    char* out = block.bytes.data();
    for (std::uint64_t i = 0; i < block_documents_; ++i) {
      const std::uint64_t words = document_words(random);
      out = with_room(block, out, (words + options_.title_words) * (ZipfWords::kWordRoom + 1) + 128);
      out = options_.format == GeneratedFormat::kJsonl
                ? write_jsonl(number * block_documents_ + i + 1, words, random, out)
                : write_words(words, random, out);
      *out++ = '\n';
      block.ends.push_back(static_cast<std::size_t>(out - block.bytes.data()));
    }
  }

 private:
  static char* with_room(Block& block, char* out, std::uint64_t bytes) {
    const auto used = static_cast<std::size_t>(out - block.bytes.data());
    if (block.bytes.size() - used < bytes) block.bytes.resize(used + used / 2 + static_cast<std::size_t>(bytes));
    return block.bytes.data() + used;
  }

  std::uint64_t document_words(SplitMix& random) const {
    std::uint64_t mean = static_cast<std::uint64_t>(mean_words_);
    if (options_.distribution == LengthDistribution::kLognormal) {
      const auto product = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<__int128_t>(a) * b >> kFractionBits);
      };
      const std::int64_t logarithm = product(spread_, random.normal()) - product(spread_, spread_) / 2;
      std::int64_t power = product(logarithm, kLog2E);
      unsigned doublings = 0;
      for (; power > 0; power -= kFixedOne) ++doublings;
      const __uint128_t scaled = static_cast<__uint128_t>(fixed_exp2(power)) * mean >> (62 - std::min(doublings, 62u));
      mean = static_cast<std::uint64_t>(std::min<__uint128_t>(scaled, kMaxGeneratedWords << kFractionBits));
    }
    return std::max<std::uint64_t>(1, (mean + kFixedOne / 2) >> kFractionBits);
  }

  // Writes words with single spaces between them.
  char* write_words(std::uint64_t count, SplitMix& random, char* out) const {
    for (std::uint64_t i = 0; i < count; ++i) out = words_.write_sample(random, out);
    return out - 1;
  }

  char* write_jsonl(std::uint64_t number, std::uint64_t words, SplitMix& random, char* out) const {
    out = put("{\"id\":\"", out);
    out = put_number(number, out);
    if (options_.title_words > 0) {
      out = put("\",\"title\":\"", out);
      out = write_words(options_.title_words, random, out);
    }
    out = put("\",\"text\":\"", out);
    const std::uint64_t line = options_.words_per_line == 0 ? words : options_.words_per_line;
    for (; words > line; words -= line) {
      out = write_words(line, random, out);
      out = put("\\n", out);
    }
    out = write_words(words, random, out);
    return put("\"}", out);
  }

  GenerateTextOptions options_;
  ZipfWords words_;
  std::int64_t mean_words_, spread_;
  std::uint64_t block_documents_;
};

// Writes blocks up to the limits of the options.
class LimitedOutput {
 public:
  LimitedOutput(const GenerateTextOptions& options, const std::function<void(std::string_view)>& write)
      : options_(options), write_(write) {}

  // Returns false at a limit.
  bool write(const BlockMaker::Block& block) {
    std::uint64_t documents = block.ends.size();
    if (options_.documents != 0) documents = std::min(documents, options_.documents - made_.documents);
    if (options_.total_bytes != 0) {
      const std::uint64_t left = options_.total_bytes - made_.bytes;
      const auto first_beyond = std::upper_bound(block.ends.begin(), block.ends.end(), left);
      documents = std::min(documents, static_cast<std::uint64_t>(first_beyond - block.ends.begin()));
    }
    const std::size_t bytes = documents == 0 ? 0 : block.ends[static_cast<std::size_t>(documents) - 1];
    if (bytes > 0) write_({block.bytes.data(), bytes});
    made_.bytes += bytes;
    made_.documents += documents;
    return documents == block.ends.size() && made_.documents != options_.documents;
  }
  const GeneratedText& made() const { return made_; }

 private:
  const GenerateTextOptions& options_;
  const std::function<void(std::string_view)>& write_;
  GeneratedText made_;
};

}  // namespace

GeneratedText generate_text(const GenerateTextOptions& options, const std::function<void(std::string_view)>& write) {
  check(options);
  const BlockMaker maker(options);
  LimitedOutput output(options, write);
  write_in_order<BlockMaker::Block>(
      options.threads, [&](std::uint64_t number, BlockMaker::Block& block) { maker.make(number, block); },
      [&](const BlockMaker::Block& block) { return output.write(block); });
  return output.made();
}

}  // namespace spillway
