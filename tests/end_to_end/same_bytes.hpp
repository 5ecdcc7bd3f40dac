// A fixture: one input, indexed plainly by the CPU; every other way of indexing it must give the same bytes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/end_to_end/indexing.hpp"

namespace spillway::testing {

// One input, indexed once plainly; every other way must give the same bytes.
class SameBytes : public ::testing::Test {
 protected:
  void set_corpus(const std::string& content, CorpusFormat format) {
    content_ = content;
    format_ = format;
    write_bytes(scratch_ / "in", content);
    reference_ = job({scratch_ / "in"});
    reference_.threads = 1;
    reference_.mode = IndexMode::kCpu;
    report_ = run_job(reference_);
    expected_ = bytes_of(reference_.output);
    std::filesystem::remove_all(reference_.output);
  }
  void set_random_corpus(std::uint64_t seed, std::size_t count, bool duplicates = true) {
    RandomDocuments shape;
    shape.count = count;
    shape.words = 50;
    shape.long_document_words = 1500;
    shape.longest_token_bytes = 270;
    documents_ = random_corpus(seed, shape, duplicates);
    set_corpus(jsonl_of(documents_), CorpusFormat::kJsonl);
  }

  // Makes 14 documents of 8,000 words: each takes many blocks of a few KiB.
  void set_long_documents(std::uint64_t seed) {
    RandomDocuments shape;
    shape.count = 14;
    shape.words = shape.long_document_words = 8000;
    shape.longest_token_bytes = 270;
    documents_ = random_corpus(seed, shape, true);
    set_corpus(jsonl_of(documents_), CorpusFormat::kJsonl);
  }

  // Texts of every size, one of them of several text blocks.
  void set_corpus_with_texts(std::uint64_t seed) {
    content_options_.store = StorePolicy::kText;
    RandomDocuments shape;
    shape.count = 150;
    shape.long_document_words = 1500;
    documents_ = random_corpus(seed, shape, true);
    std::string text = documents_[10].text;
    while (text.size() < 400000) text += documents_[text.size() % documents_.size()].text + " more\n";
    documents_[10].text = text;
    set_corpus(jsonl_of(documents_), CorpusFormat::kJsonl);
  }

  IndexOptions job(const std::vector<std::string>& inputs) const {
    IndexOptions options = index_job(inputs, scratch_ / "index");
    options.corpus.format = format_;
    options.content = content_options_;
    options.dedup = dedup_;
    return options;
  }

  IndexReport expect_same(const IndexOptions& options) {
    const IndexReport report = run_job(options);
    EXPECT_TRUE(same_index(expected_, options.output)) << report.plan;
    EXPECT_EQ(report.documents, report_.documents);
    EXPECT_EQ(report.records_in, report_.records_in);
    std::filesystem::remove_all(options.output);
    return report;
  }

  ScratchDirectory scratch_;
  std::string content_;
  CorpusFormat format_ = CorpusFormat::kJsonl;
  ContentOptions content_options_;
  Dedup dedup_ = Dedup::kNone;
  Documents documents_;
  IndexOptions reference_;
  IndexReport report_;
  std::map<std::string, std::string> expected_;
};

}  // namespace spillway::testing
