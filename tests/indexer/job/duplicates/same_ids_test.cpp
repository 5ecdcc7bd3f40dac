#include "indexer/job/duplicates/same_ids.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Documents 0 to 3 are of the index. The ids in order: a 0 5, b 1, c 2 4 6, d 7 8.
class SameIdsTest : public ::testing::Test {
 protected:
  void decide(DuplicateIds policy, const AppendedTo& appended_to) {
    SameIds same(policy, appended_to);
    same.on_duplicate = [&](std::string_view, std::uint32_t, std::uint32_t number) { duplicates_.push_back(number); };
    same.on_known = [&](std::string_view, std::uint32_t kept, std::uint32_t number) {
      EXPECT_LT(kept, appended_to.document_count);
      known_.push_back(number);
    };
    same.on_replaced = [&](std::uint32_t number) { replaced_.push_back(number); };
    for (const auto& [id, numbers] : ids_) {
      for (const std::uint32_t number : numbers) same.take(id, number);
    }
    same.finish();
  }
  std::string refusal(DuplicateIds policy, const AppendedTo& appended_to) {
    try {
      decide(policy, appended_to);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::vector<std::pair<std::string, Numbers>> ids_{{"a", {0, 5}}, {"b", {1}}, {"c", {2, 4, 6}}, {"d", {7, 8}}};
  Numbers duplicates_, known_, replaced_;
};

TEST_F(SameIdsTest, KeepsTheFirstWhereNothingIsAppended) {
  decide(DuplicateIds::kFirst, {});
  EXPECT_EQ(duplicates_, (Numbers{5, 4, 6, 8}));
  EXPECT_TRUE(known_.empty() && replaced_.empty());
}

TEST_F(SameIdsTest, ReplacesKnownDocumentsByTheFirstAppendedOne) {
  decide(DuplicateIds::kFirst, {4, KnownIds::kReplace});
  EXPECT_EQ(replaced_, (Numbers{0, 2}));
  EXPECT_EQ(duplicates_, (Numbers{6, 8}));
  EXPECT_TRUE(known_.empty());
}

TEST_F(SameIdsTest, SkipsKnownIdsUnderEveryPolicy) {
  decide(DuplicateIds::kFirst, {4, KnownIds::kSkip});
  EXPECT_EQ(known_, (Numbers{5, 4, 6}));
  EXPECT_EQ(duplicates_, (Numbers{8}));
  known_.clear();
  duplicates_.clear();
  decide(DuplicateIds::kKeep, {4, KnownIds::kSkip});
  EXPECT_EQ(known_, (Numbers{5, 4, 6}));
  EXPECT_TRUE(duplicates_.empty() && replaced_.empty());
}

TEST_F(SameIdsTest, RefusesAllKnownIdsTogether) {
  const std::string words = refusal(DuplicateIds::kFirst, {4, KnownIds::kRefuse});
  EXPECT_NE(words.find("3 documents have ids that are in the index already: \"a\" (document 2 of the input), "
                       "\"c\" (document 1 of the input), \"c\" (document 3 of the input);"),
            std::string::npos)
      << words;
  EXPECT_EQ(refusal(DuplicateIds::kKeep, {4, KnownIds::kRefuse}), "accepted");
  EXPECT_TRUE(duplicates_ == (Numbers{8}) && known_.empty() && replaced_.empty());
}

TEST_F(SameIdsTest, RefusesDuplicatesOfTheInputByItsOwnNumbers) {
  EXPECT_NE(refusal(DuplicateIds::kFail, {4, KnownIds::kSkip}).find("documents 4 and 5 of the input"),
            std::string::npos);
  EXPECT_NE(refusal(DuplicateIds::kFail, {})
                .find("documents 1 and 6 of the input have the same id \"a\": mend the "
                      "input, or choose --duplicate-ids first or keep"),
            std::string::npos);
}

TEST_F(SameIdsTest, MayDropNothingWhereDuplicatesAreKept) {
  EXPECT_TRUE(SameIds::may_drop(DuplicateIds::kFirst, {}));
  EXPECT_TRUE(SameIds::may_drop(DuplicateIds::kFail, {}));
  EXPECT_FALSE(SameIds::may_drop(DuplicateIds::kKeep, {}));
  EXPECT_FALSE(SameIds::may_drop(DuplicateIds::kKeep, {4, KnownIds::kRefuse}));
  EXPECT_TRUE(SameIds::may_drop(DuplicateIds::kKeep, {4, KnownIds::kSkip}));
}

}  // namespace
}  // namespace spillway
