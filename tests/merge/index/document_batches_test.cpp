// Tests that documents which several threads encode give the bytes of documents that are appended one after the other.
#include "merge/index/document_batches.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "merge/cursor/ordered_ranges.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/documents.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

using testing::FaultKind;
using testing::FaultyFileSystem;

struct Part {
  std::uint8_t fields = 0;
  std::uint32_t length = 0;
  std::string id = {}, title = {}, url = {};
};

class PartCursor : public DocumentCursor {
 public:
  explicit PartCursor(std::span<const Part> left) : left_(left) {}
  bool next() override {
    if (left_.empty()) return false;
    document_ = {};
    document_.fields = left_.front().fields;
    document_.length = left_.front().length;
    document_.id = left_.front().id;
    document_.title = left_.front().title;
    document_.url = left_.front().url;
    left_ = left_.subspan(1);
    return true;
  }
  const RunDocument& document() const override { return document_; }

 private:
  std::span<const Part> left_;
  RunDocument document_;
};

// An input of documents, in ranges that begin at `firsts`. It has no lists.
class PartInput : public MergeInput {
 public:
  PartInput(std::uint64_t number, std::vector<Part> parts, bool begins_inside, bool ends_inside)
      : parts_(std::move(parts)) {
    identity_.number = number;
    identity_.first_document_open = begins_inside;
    identity_.last_document_open = ends_inside;
    summary_.document_count = parts_.size();
    for (const Part& part : parts_) summary_.occurrence_count += part.length;
  }
  const RunIdentity& identity() const override { return identity_; }
  const RunSummary& summary() const override { return summary_; }
  std::vector<TermSample> term_samples() const override { return {}; }
  std::unique_ptr<TermCursor> terms(std::string, std::string) const override { return nullptr; }
  std::unique_ptr<DocumentCursor> documents() const override { return std::make_unique<PartCursor>(parts_); }
  std::vector<DocumentRange> document_ranges() const override {
    const std::span<const Part> all = parts_;
    std::vector<DocumentRange> ranges;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::size_t end = i + 1 == firsts.size() ? all.size() : firsts[i + 1];
      ranges.push_back({firsts[i], std::make_unique<PartCursor>(all.subspan(firsts[i], end - firsts[i])), 100});
    }
    if (overlaps) ranges.back() = {firsts.back(), std::make_unique<PartCursor>(all), 100};
    return ranges;
  }
  std::string name() const override { return "input " + std::to_string(identity_.number); }

  std::vector<std::size_t> firsts{0};
  bool overlaps = false;  // the last range has more documents than it should

 private:
  std::vector<Part> parts_;
  RunIdentity identity_;
  RunSummary summary_;
};

class DocumentBatches : public ::testing::Test {
 protected:
  using Files = std::map<std::string, std::string>;

  Part random_part() {
    Part part;
    part.length = static_cast<std::uint32_t>(random_() % 300);
    if (random_() % 20 == 0) return part;
    part.fields = RunDocument::kId;
    part.id = "document-" + std::to_string(random_() % 100000);
    if (random_() % 2 == 0) {
      part.fields |= RunDocument::kTitle | RunDocument::kTextHash;  // an index has no hashes
      part.title = std::string(random_() % 40, 't') + std::to_string(random_());
    }
    if (random_() % 3 == 0) {
      part.fields |= RunDocument::kUrl;
      part.url = "http://example.org/" + std::to_string(random_());
    }
    return part;
  }

  // Some documents are cut between inputs, also between more than two.
  void make_inputs(std::size_t count, std::size_t most_documents) {
    bool begins_inside = false;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Part> parts(1 + random_() % most_documents);
      const bool is_bare = random_() % 4 == 0;  // its documents have lengths only
      for (Part& part : parts) {
        part = random_part();
        if (is_bare) part = {.fields = 0, .length = part.length};
      }
      const bool ends_inside = i + 1 != count && random_() % 2 == 0;
      PartInput& input =
          *owned_.emplace_back(std::make_unique<PartInput>(i, std::move(parts), begins_inside, ends_inside));
      begins_inside = ends_inside;
      for (std::size_t at = 0; (at += 1 + random_() % 100) < input.summary().document_count;)
        input.firsts.push_back(at);
      inputs_.push_back(&input);
    }
  }

  void drop_some() {
    std::uint32_t documents = 0;
    for_each_document(inputs_, {}, [&](std::uint32_t number, const RunDocument&) {
      documents = number + 1;
      return ReadStep::kGoOn;
    });
    dropped_ = DroppedDocuments(budget_, documents);
    for (std::uint32_t number = 0; number < documents; ++number) {
      if (random_() % 9 == 0) dropped_.drop(number);
    }
    dropped_.seal();
  }

  DocumentMergeJob job(IndexWriter& writer, unsigned threads, const StopCheck& check) {
    return {.inputs = inputs_,
            .dropped = dropped_,
            .writer = writer,
            .budget = budget_,
            .threads = threads,
            .check = check};
  }

  // Writes an index of the documents, and of a term that occurs where lengths say so.
  Files index_of(unsigned threads) {
    const std::string path = "/index-" + std::to_string(next_index_++);
    IndexWriter writer(files_, path, {});
    const StopCheck check;
    if (threads == 1) {
      merge_documents(inputs_, dropped_, writer, budget_);
    } else {
      EXPECT_TRUE(merge_document_batches(job(writer, threads, check)));
    }
    std::vector<std::uint32_t> documents, frequencies;
    std::vector<std::uint8_t> codes;
    std::uint32_t source_documents = 0;
    for_each_document(inputs_, {}, [&](std::uint32_t number, const RunDocument& document) {
      source_documents = number + 1;
      if (dropped_.contains(number)) return ReadStep::kGoOn;
      if (document.length != 0) documents.push_back(static_cast<std::uint32_t>(codes.size()));
      if (document.length != 0) frequencies.push_back(document.length);
      if ((document.fields & RunDocument::kId) != 0) writer.append_id_order(static_cast<std::uint32_t>(codes.size()));
      codes.push_back(length_code(document.length));
      return ReadStep::kGoOn;
    });
    ListEncoder encoder(codes);
    encoder.begin("term");
    encoder.add(documents, frequencies);
    encoder.end();
    writer.append_lists(encoder.take());
    writer.finish({source_documents, {}, {}});
    Files files;
    for (const std::string& name : files_.list(path)) files[name] = files_.get(path + "/" + name);
    return files;
  }

  std::mt19937 random_{29};
  FaultyFileSystem files_;
  MemoryBudget budget_{std::size_t{1} << 30};
  std::vector<std::unique_ptr<PartInput>> owned_;
  std::vector<const MergeInput*> inputs_;
  DroppedDocuments dropped_;
  int next_index_ = 0;
};

TEST_F(DocumentBatches, AreTheBytesOfDocumentsInTurn) {
  for (const std::size_t most_documents : {1, 3, 70, 700}) {
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE(std::to_string(most_documents) + " documents, round " + std::to_string(round));
      owned_.clear();
      inputs_.clear();
      dropped_ = {};
      make_inputs(2 + random_() % 9, most_documents);
      if (round % 2 == 0) drop_some();
      const Files expected = index_of(1);
      for (const unsigned threads : {2U, 5U}) EXPECT_TRUE(index_of(threads) == expected) << threads << " threads";
    }
  }
}

// A batch ends after 8,192 documents or more.
TEST_F(DocumentBatches, MayBeManyOfOneInput) {
  make_inputs(3, 40000);
  const Files expected = index_of(1);
  EXPECT_TRUE(index_of(4) == expected);
}

TEST_F(DocumentBatches, AreNotMadeWhereMemoryIsShortOrAnInputHasNoRanges) {
  make_inputs(4, 300);
  IndexWriter writer(files_, "/index", {});
  const StopCheck check;
  EXPECT_FALSE(merge_document_batches(job(writer, 1, check)));
  {
    const Reservation all = budget_.reserve(budget_.free_bytes() - 1000, "a test");
    EXPECT_FALSE(merge_document_batches(job(writer, 4, check)));
  }
  owned_[2]->firsts.clear();
  EXPECT_FALSE(merge_document_batches(job(writer, 4, check)));
}

TEST_F(DocumentBatches, EndWithTheErrorOfOneThread) {
  make_inputs(20, 700);
  IndexWriter writer(files_, "/index", {});
  std::atomic<int> calls = 0;
  const StopCheck fails = [&] {
    if (++calls == 30) throw std::runtime_error("stop");
  };
  EXPECT_THROW(merge_document_batches(job(writer, 4, fails)), std::runtime_error);
  IndexWriter other(files_, "/other", {});
  const StopCheck stops = [] { throw OrderStopped{}; };
  EXPECT_THROW(merge_document_batches(job(other, 4, stops)), OrderStopped);
}

TEST_F(DocumentBatches, RefuseRangesThatOverlap) {
  make_inputs(3, 500);
  owned_[1]->firsts = {0, owned_[1]->summary().document_count - 1};
  owned_[1]->overlaps = true;
  IndexWriter writer(files_, "/index", {});
  const StopCheck check;
  EXPECT_THROW(merge_document_batches(job(writer, 3, check)), FormatError);
}

TEST_F(DocumentBatches, EndWithTheErrorOfTheWriter) {
  make_inputs(6, 40000);
  IndexWriter writer(files_, "/index", {});
  files_.inject({.kind = FaultKind::kNoSpace, .at = 3});
  const StopCheck check;
  EXPECT_THROW(merge_document_batches(job(writer, 3, check)), IoError);
  EXPECT_EQ(files_.faults_fired(), 1U);
}

TEST(EncodedDocuments, AreAppendedInWholeGroupsOnly) {
  FaultyFileSystem files;
  IndexWriter writer(files, "/index", {});
  EncodedDocuments few;
  few.append({});
  EXPECT_THROW(writer.append_documents(few), std::logic_error);
  EncodedDocuments group;
  for (std::size_t i = 0; i < kDocumentGroup; ++i) group.append({});
  writer.append_documents(group);
  writer.append_document({});
  EXPECT_THROW(writer.append_documents(group), std::logic_error);
}

}  // namespace
}  // namespace spillway
