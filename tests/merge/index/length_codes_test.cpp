#include "merge/index/length_codes.hpp"

#include "io/base/error.hpp"
#include "io/postings/list_encoder.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class LengthCodesTest : public MergeTest {};

TEST_F(LengthCodesTest, AreThoseOfTheKeptDocumentsHoweverTheRunsWereCut) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SampleRunOptions options;
    options.documents = 1 + random() % 300;
    options.terms = 100;
    options.largest_frequency = 60;
    const SampleRun whole = make_source(seed, options);
    DroppedDocuments dropped(budget_, whole.documents.size());
    std::vector<std::uint8_t> expected;
    for (std::uint32_t d = 0; d < whole.documents.size(); ++d) {
      if (seed % 3 != 0 && random() % 4 == 0) {
        dropped.drop(d);
      } else {
        expected.push_back(length_code(whole.documents[d].length));
      }
    }
    dropped.seal();
    const Runs runs = cut(whole, 1 + random() % 9, random);
    const LengthCodes codes = read_length_codes(inputs(runs), dropped, budget_);
    EXPECT_EQ(std::vector<std::uint8_t>(codes.span().begin(), codes.span().end()), expected);
  }
}

TEST_F(LengthCodesTest, ArePaidForAndRefuseADocumentThatTheSourceDoesNotHave) {
  MemoryBudget budget(1000);
  LengthCodes codes(budget, 700);
  EXPECT_EQ(budget.used_bytes(), 700u);
  EXPECT_THROW(codes.set(700, 1), std::logic_error);
  EXPECT_THROW(LengthCodes(budget, 301), BudgetError);
}

}  // namespace
}  // namespace spillway::testing
