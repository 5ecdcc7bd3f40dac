#include "tools/options/append.hpp"

#include <gtest/gtest.h>

#include "io/file/posix_file_system.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/commands/commands.hpp"

namespace spillway {
namespace {

class AppendOptions : public ::testing::Test {
 protected:
  AppendOptions() {
    testing::SampleIndex sample = testing::make_sample(10, 5, 1);
    sample.options.stop_words = "the\n";
    sample.options.stemmer = "porter";
    content_ = sample.options;
    testing::write_sample(posix_file_system(), index_, sample);
  }
  IndexOptions parse(std::vector<std::string> words) {
    words.insert(words.begin(), {index_, "a.jsonl", "b.jsonl"});
    return append_options(parse_arguments(append_command(), words), posix_file_system());
  }

  testing::ScratchDirectory scratch_;
  const std::string index_ = scratch_ / "index";
  ContentOptions content_;
};

TEST_F(AppendOptions, ComeFromTheIndexAndTheWords) {
  const IndexOptions options = parse({"--memory", "256M", "--threads", "3", "--mode", "cpu", "--format", "jsonl",
                                      "--max-error-rate", "5%", "--temp-dir", "/tmp", "--resumable"});
  EXPECT_EQ(options.inputs, (std::vector<std::string>{"a.jsonl", "b.jsonl"}));
  EXPECT_EQ(options.output, index_);
  EXPECT_EQ(options.content, content_);
  EXPECT_EQ(options.append, KnownIds::kRefuse);
  EXPECT_TRUE(options.force);
  EXPECT_EQ(options.memory_bytes, 256u << 20);
  EXPECT_EQ(options.threads, 3u);
  EXPECT_EQ(options.mode, IndexMode::kCpu);
  EXPECT_EQ(options.corpus.format, CorpusFormat::kJsonl);
  EXPECT_EQ(options.corpus.max_document_bytes, content_.max_document_bytes);
  EXPECT_DOUBLE_EQ(options.max_error_rate, 0.05);
  EXPECT_EQ(options.temp_directories, std::vector<std::string>{"/tmp"});
  EXPECT_TRUE(options.resume.resumable);
}

TEST_F(AppendOptions, SayWhatHappensToKnownIds) {
  EXPECT_EQ(parse({"--replace"}).append, KnownIds::kReplace);
  EXPECT_EQ(parse({"--skip-known"}).append, KnownIds::kSkip);
  EXPECT_THROW(parse({"--replace", "--skip-known"}), UsageError);
  EXPECT_FALSE(parse({"--replace"}).replace_urls);
  EXPECT_TRUE(parse({"--replace", "--replace-url"}).replace_urls);
  EXPECT_THROW(parse({"--replace-url", "--skip-known"}), UsageError);
}

TEST_F(AppendOptions, MayRepeatThoseOfTheIndex) {
  EXPECT_EQ(parse({"--stem", "porter", "--max-term-bytes", "255"}).content, content_);
  EXPECT_THROW(parse({"--stem", "none"}), UsageError);
  EXPECT_THROW(parse({"--stop", "none"}), UsageError);
}

}  // namespace
}  // namespace spillway
