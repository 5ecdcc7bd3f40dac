#include "merge/input/index.hpp"

#include "io/base/error.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class IndexInputTest : public MergeTest {
 protected:
  static IndexMergeOptions one_thread() { return {1, 1 << 20, {}, {}}; }

  // Makes an index of a source of 800 documents and drops every `stride`th (0: none).
  void make_index(std::size_t stride) {
    SampleRunOptions options;
    options.documents = 800;
    options.terms = 3000;
    whole_ = make_source(stride, options);
    dropped_ = stride == 0 ? DroppedDocuments() : DroppedDocuments(budget_, whole_.documents.size());
    for (std::uint32_t i = 0; stride != 0 && i < whole_.documents.size(); i += static_cast<std::uint32_t>(stride)) {
      dropped_.drop(i);
    }
    dropped_.seal();
    Runs runs;
    runs.push_back(write(whole_, {}));
    merge_to_index(runs, dropped_, one_thread());
  }

  SampleRun whole_;
  DroppedDocuments dropped_;
};

TEST_F(IndexInputTest, StandsForTheRunThatMadeTheIndex) {
  for (const std::size_t stride : {0, 1, 3, 50}) {
    SCOPED_TRACE(stride);
    make_index(stride);
    const IndexReader reader(files_, last_index());
    const IndexInput input(reader);
    EXPECT_EQ(input.summary().document_count, whole_.documents.size());
    EXPECT_EQ(input.may_have_dropped(), stride != 0);
    // Every posting gives its share of the sum that the index carries.
    const MergeInput* inputs[] = {&input};
    IndexWriter writer(files_, last_index() + "-again", options_);
    const LengthCodes codes = read_length_codes(inputs, dropped_, budget_);
    merge_documents(inputs, dropped_, writer, budget_);
    const IndexMergeResult result = merge_lists(inputs, dropped_, codes.span(), writer, {4, 4096, {}, {}});
    EXPECT_EQ(result.posting_count, reader.counts().postings);
    EXPECT_EQ(result.dropped_sum, ContentChecksum{}) << "a dropped document had postings";
  }
}

TEST_F(IndexInputTest, SamplesTermsInOrderAndEvenly) {
  make_index(0);
  const IndexReader reader(files_, last_index());
  const std::vector<TermSample> samples = IndexInput(reader).term_samples();
  ASSERT_GE(samples.size(), 64u);
  ASSERT_LE(samples.size(), 2048u);
  std::vector<std::size_t> ranks;
  std::vector<std::string> terms;
  for (const auto& [term, postings] : whole_.terms) terms.push_back(term);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i != 0) {
      ASSERT_LT(samples[i - 1].first_term, samples[i].first_term);
    }
    ranks.push_back(
        static_cast<std::size_t>(std::lower_bound(terms.begin(), terms.end(), samples[i].first_term) - terms.begin()));
  }
  for (std::size_t i = 1; i < ranks.size(); ++i) EXPECT_LT(ranks[i] - ranks[i - 1], terms.size() / 10);
  EXPECT_LT(ranks.front(), terms.size() / 10);
  EXPECT_GT(ranks.back(), terms.size() * 9 / 10);
}

TEST_F(IndexInputTest, RefusesToLoseTheHolesOfAnIndex) {
  make_index(3);
  const IndexReader reader(files_, last_index());
  const IndexInput input(reader);
  const MergeInput* inputs[] = {&input};
  IndexWriter writer(files_, last_index() + "-again", options_);
  EXPECT_THROW(merge_documents(inputs, {}, writer, budget_), std::logic_error);
}

}  // namespace
}  // namespace spillway::testing
