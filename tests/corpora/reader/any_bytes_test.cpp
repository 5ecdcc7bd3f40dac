// Reads random bytes as every format: nothing crashes, and buffers, tasks and threads make no difference.
#include <gtest/gtest.h>

#include <random>

#include "tests/corpora/json/json_samples.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/trec_samples.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

class AnyBytes : public ::testing::TestWithParam<CorpusFormat> {
 protected:
  std::string plain() {
    std::string bytes = random_() % 3 == 0 ? std::string(kByteOrderMark) : "";
    for (std::size_t lines = 1 + random_() % 30; lines > 0; --lines) {
      switch (GetParam()) {
        case CorpusFormat::kTrec:
          bytes += trec_samples_.next();
          break;
        case CorpusFormat::kTsv:
          bytes += std::to_string(lines) + "\t" + samples_.next();
          break;
        default:
          bytes += samples_.next();
      }
      bytes += random_() % 5 == 0 ? "\r\n" : "\n";
    }
    return bytes;
  }

  std::string packed(const std::string& bytes) {
    std::string stored;
    const auto kind = random_() % 3;
    for (std::size_t at = 0; at < bytes.size() || stored.empty();) {
      const std::string_view fragment = std::string_view(bytes).substr(at, 1 + random_() % 500);
      stored += kind == 0 ? std::string(fragment) : kind == 1 ? gzip_member(fragment) : zstd_frame(fragment);
      at += std::max<std::size_t>(1, fragment.size());
    }
    return stored;
  }

  void damage(std::string& bytes) {
    for (auto i = random_() % 4; i > 0 && bytes.size() > 40; --i) {
      const std::size_t at = 20 + random_() % (bytes.size() - 20);
      switch (random_() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random_());
          break;
        case 1:
          bytes.resize(at);
          break;
        default:
          bytes.erase(at, 1 + random_() % 10);
      }
    }
  }

  std::mt19937_64 random_{29};
  JsonSamples samples_{31};
  TrecSamples trec_samples_{37};
};

TEST_P(AnyBytes, AreReadAlikeInEveryWay) {
  std::size_t documents = 0, skips = 0;
  for (int round = 0; round < 150; ++round) {
    std::string stored = packed(plain());
    damage(stored);
    try {
      const auto whole = read_input(stored, setup_of(GetParam()));
      documents += whole.documents.size();
      skips += whole.skips.size();
      expect_same_documents(read_input(stored, setup_of(GetParam(), 64, 2, 100)), whole);
      expect_same_documents(read_input(stored, setup_of(GetParam(), 333, 1, 7)), whole);
    } catch (const BudgetError&) {  // a damaged zstd header may ask for any window
    }
    ASSERT_FALSE(HasFatalFailure()) << round;
  }
  EXPECT_GT(documents, 0u);
  EXPECT_GT(skips, 0u);
}

std::string format_name(const ::testing::TestParamInfo<CorpusFormat>& test) {
  return std::string(corpus_format_name(test.param));
}

INSTANTIATE_TEST_SUITE_P(Formats, AnyBytes,
                         ::testing::Values(CorpusFormat::kAuto, CorpusFormat::kJsonl, CorpusFormat::kLines,
                                           CorpusFormat::kText, CorpusFormat::kTrec, CorpusFormat::kTsv),
                         format_name);

}  // namespace
}  // namespace spillway
