#include "io/format/content_options.hpp"

#include <gtest/gtest.h>

#include <set>

#include "io/base/error.hpp"

namespace spillway {
namespace {

ContentOptions unusual() {
  ContentOptions options;
  options.tokenizer = Tokenizer::kAscii;
  options.stop_words = "a\nand\nthe\n";
  options.stemmer = "porter";
  options.max_term_bytes = 65535;
  options.max_document_bytes = 1;
  options.positions = true;
  options.store = StorePolicy::kText;
  options.duplicate_ids = DuplicateIds::kFail;
  options.stemmer_version = "2.2.0";
  options.zstd_version = "1.5.4";
  return options;
}

TEST(ContentOptions, ComeBackAsTheyWere) {
  for (const ContentOptions& options : {ContentOptions{}, unusual()}) {
    EXPECT_EQ(ContentOptions::parse(options.serialize(), "here"), options);
  }
}

TEST(ContentOptions, GiveAnotherJobForEveryChange) {
  std::set<Hash128> jobs{ContentOptions{}.job()};
  const auto expect_new = [&](auto change) {
    ContentOptions options;
    change(options);
    EXPECT_TRUE(jobs.insert(options.job()).second);
  };
  expect_new([](ContentOptions& o) { o.tokenizer = Tokenizer::kAscii; });
  expect_new([](ContentOptions& o) { o.stop_words = "a\n"; });
  expect_new([](ContentOptions& o) { o.stemmer = "a\n"; });
  expect_new([](ContentOptions& o) { ++o.max_term_bytes; });
  expect_new([](ContentOptions& o) { ++o.max_document_bytes; });
  expect_new([](ContentOptions& o) { o.positions = true; });
  expect_new([](ContentOptions& o) { o.store = StorePolicy::kNone; });
  expect_new([](ContentOptions& o) { o.duplicate_ids = DuplicateIds::kKeep; });
  expect_new([](ContentOptions& o) { o.icu_version = "1"; });
  expect_new([](ContentOptions& o) { o.stemmer_version = "1"; });
  expect_new([](ContentOptions& o) { o.zstd_version = "1"; });
  EXPECT_EQ(ContentOptions{}.job(), ContentOptions{}.job());
}

TEST(ContentOptions, RefuseBytesThatAreCutLongerOrUnknown) {
  const std::string bytes = unusual().serialize();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(ContentOptions::parse(bytes.substr(0, size), "here"), FormatError) << size;
  }
  EXPECT_THROW(ContentOptions::parse(bytes + "x", "here"), FormatError);
  for (std::size_t at = 0; at < 8; ++at) {
    std::string changed = bytes;
    changed[at] = 77;
    EXPECT_THROW(ContentOptions::parse(changed, "here"), FormatError) << at;
  }
  std::string huge = bytes;
  huge[24 + 3] = '\xFF';  // the length of the stop words
  EXPECT_THROW(ContentOptions::parse(huge, "here"), FormatError);
}

}  // namespace
}  // namespace spillway
