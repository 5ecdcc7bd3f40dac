// Tests that documents which are cut between inputs give one length and one id when they are read in parallel.
#include "indexer/job/duplicates/placed_ids.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "merge/input/documents.hpp"

namespace spillway {
namespace {

constexpr std::size_t kBudget = std::size_t{64} << 20;

struct Part {
  std::uint32_t length = 0;
  bool has_id = false;
  std::string id = {};
};

class PartCursor : public DocumentCursor {
 public:
  explicit PartCursor(std::span<const Part> left) : left_(left) {}
  bool next() override {
    if (left_.empty()) return false;
    const Part& part = left_.front();
    document_ = {};
    document_.fields = part.has_id ? RunDocument::kId : 0;
    document_.length = part.length;
    document_.id = part.id;
    left_ = left_.subspan(1);
    return true;
  }
  const RunDocument& document() const override { return document_; }

 private:
  std::span<const Part> left_;
  RunDocument document_;
};

// An input of parts of documents, in two ranges; it has no lists.
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
    ranges.push_back({0, std::make_unique<PartCursor>(all.first(all.size() / 2))});
    ranges.push_back({all.size() / 2, std::make_unique<PartCursor>(all.subspan(all.size() / 2))});
    return ranges;
  }
  std::string name() const override { return "input " + std::to_string(identity_.number); }

 private:
  std::vector<Part> parts_;
  RunIdentity identity_;
  RunSummary summary_;
};

struct Found {
  std::vector<std::string> ids;  // a document without one has none
  std::vector<std::uint8_t> lengths;
  bool any_same = false;  // of the ids
  bool operator==(const Found&) const = default;
};

std::vector<const MergeInput*> pointers(const std::vector<PartInput>& inputs) {
  std::vector<const MergeInput*> all;
  for (const PartInput& input : inputs) all.push_back(&input);
  return all;
}

Found read_in_turn(const std::vector<PartInput>& inputs, const DroppedDocuments& dropped, std::size_t documents) {
  MemoryBudget budget(kBudget);
  LengthCodes codes(budget, documents);
  Found found;
  std::set<std::string> seen;
  for_each_document(pointers(inputs), {}, [&](std::uint32_t number, const RunDocument& document) {
    codes.set(number, document.length);
    const bool has_id = (document.fields & RunDocument::kId) != 0 && !dropped.contains(number);
    found.ids.emplace_back(has_id ? document.id : "none");
    found.any_same |= has_id && !seen.emplace(document.id).second;
    return ReadStep::kGoOn;
  });
  found.lengths.assign(codes.span().begin(), codes.span().end());
  return found;
}

Found read_in_parallel(const std::vector<PartInput>& inputs, const DroppedDocuments& dropped, std::size_t documents) {
  MemoryBudget budget(kBudget);
  LengthCodes codes(budget, documents);
  const auto all = pointers(inputs);
  PlacedIds placed(all, dropped, codes);
  if (!placed.can_read()) throw std::logic_error("the inputs cannot be read in parallel");
  std::vector<StringRef> references(documents);
  std::vector<std::uint64_t> memory(IdHashes::memory_bytes(documents) / sizeof(std::uint64_t) + 1);
  IdHashes hashes(documents, {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size() * sizeof(std::uint64_t)},
                  hash_id);
  placed.read(references, &hashes, {});
  Found found;
  found.any_same = hashes.may_repeat();
  for (const StringRef& id : references) {
    found.ids.emplace_back(id.data == nullptr ? "none" : id.view());
  }
  found.lengths.assign(codes.span().begin(), codes.span().end());
  return found;
}

// The test cuts random documents into random inputs; some inputs lie inside one document.
TEST(PlacedIds, AreThoseOfDocumentsThatAreReadInTurn) {
  std::mt19937 random(23);
  for (int round = 0; round < 200; ++round) {
    const std::size_t documents = 1 + random() % 12;
    std::vector<std::vector<Part>> parts_of_inputs(1);
    std::vector<bool> begins_inside{false};
    for (std::size_t document = 0; document != documents; ++document) {
      const std::size_t cuts = random() % 3 == 0 ? random() % 4 : 0;
      for (std::size_t part = 0; part <= cuts; ++part) {
        if (part != 0) {
          parts_of_inputs.emplace_back();
          begins_inside.push_back(true);
        }
        const bool has_id = random() % 3 != 0;
        parts_of_inputs.back().push_back(
            {static_cast<std::uint32_t>(random() % 500), has_id,
             has_id ? std::to_string(random() % 9 == 0 ? 0 : document) + "." + std::to_string(part) : ""});
      }
      if (document + 1 != documents && random() % 4 == 0) {
        parts_of_inputs.emplace_back();
        begins_inside.push_back(false);
      }
    }
    std::vector<PartInput> inputs;
    for (std::size_t i = 0; i != parts_of_inputs.size(); ++i) {
      inputs.emplace_back(i, parts_of_inputs[i], begins_inside[i],
                          i + 1 != begins_inside.size() && begins_inside[i + 1]);
    }
    MemoryBudget budget(kBudget);
    DroppedDocuments dropped(budget, documents);
    if (round % 2 == 1) dropped.drop(static_cast<std::uint32_t>(random() % documents));
    dropped.seal();
    ASSERT_EQ(read_in_parallel(inputs, dropped, documents), read_in_turn(inputs, dropped, documents)) << round;
  }
}

TEST(PlacedIds, RefuseADocumentWhosePartsAreTooLong) {
  std::vector<PartInput> inputs;
  inputs.emplace_back(0, std::vector<Part>{{0xFFFF'FFFF}}, false, true);
  inputs.emplace_back(1, std::vector<Part>{{1}}, true, false);
  EXPECT_THROW(read_in_parallel(inputs, DroppedDocuments(), 1), FormatError);
}

}  // namespace
}  // namespace spillway
