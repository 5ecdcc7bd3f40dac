#include "merge/run/postings_concatenator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/base/error.hpp"
#include "tests/merge/run/concatenated_lists.hpp"

namespace spillway {
namespace {

using testing::ConcatenatedLists;
using testing::encode_postings;
using testing::List;
using testing::list_of;
using testing::Lists;
using testing::Parts;
using testing::SamplePosting;

TEST(PostingsConcatenator, JoinsPartsInDocumentOrder) {
  ConcatenatedLists joined;
  Parts parts;
  parts.add({{0, 1}, {3, 2}}, 0);
  parts.add({{10, 5}}, 10);
  parts.add({{11, 1}, {500, 7}}, 11);
  joined.concatenator().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{0, 1}, {3, 2}, {10, 5}, {11, 1}, {500, 7}}}}));
  EXPECT_EQ(joined.entry_count(), 1U);
}

TEST(PostingsConcatenator, AddsTheFrequenciesOfABorderDocument) {
  ConcatenatedLists joined;
  Parts parts;
  parts.add({{2, 1}, {9, 1}}, 0);
  parts.add({{9, 2}, {12, 1}}, 9);
  joined.concatenator().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{2, 1}, {9, 3}, {12, 1}}}}));
}

TEST(PostingsConcatenator, AddsADocumentThatIsAllOfSeveralParts) {
  ConcatenatedLists joined;
  Parts parts;
  parts.add({{4, 1}, {7, 3}}, 2);
  for (int i = 0; i < 5; ++i) parts.add({{7, 100}}, 7);
  parts.add({{7, 1}, {8, 1}}, 7);
  parts.add({{8, 1}}, 8);
  joined.concatenator().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{4, 1}, {7, 504}, {8, 2}}}}));
}

TEST(PostingsConcatenator, KeepsNeighboursThatAreNotTheSameDocumentApart) {
  ConcatenatedLists joined;
  Parts parts;
  parts.add({{7, 1}}, 7);
  parts.add({{8, 1}}, 7);  // the border document does not hold the term in this part
  joined.concatenator().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{7, 1}, {8, 1}}}}));
}

TEST(PostingsConcatenator, CarriesFrequenciesAndDocumentsUpToTheirLimits) {
  ConcatenatedLists joined;
  Parts parts;
  parts.add({{0, 0x7FFFFFFF}}, 0);
  parts.add({{0, 0x80000000}, {1, 0xFFFFFFFF}, {0xFFFFFFFE, 1}}, 0);
  joined.concatenator().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{0, 0xFFFFFFFF}, {1, 0xFFFFFFFF}, {0xFFFFFFFE, 1}}}}));
}

TEST(PostingsConcatenator, CutsAGiantPartIntoEntriesThatFitTheirBlocks) {
  for (const std::size_t first_terms : {0, 1, 40}) {
    ConcatenatedLists joined;
    Lists expected;
    for (std::size_t i = 0; i < first_terms; ++i) {
      Parts small;
      small.add({{1, 1}}, 0);
      const std::string term = "a" + std::string(i, 'b');
      joined.concatenator().write(term, small.view());
      expected[term] = {{1, 1}};
    }
    std::vector<SamplePosting> postings;
    for (std::uint32_t i = 0; i < 50000; ++i) postings.push_back({3 * i, 1 + i % 3});
    Parts parts;
    parts.add(postings, 0);
    expected["z"] = list_of(postings);
    joined.concatenator().write("z", parts.view());
    joined.finish();
    EXPECT_EQ(joined.read(), expected);
    EXPECT_GT(joined.blocks.size(), 50000U / kMinRunBlockBytes);
    for (const TermBlock& block : joined.blocks) {
      EXPECT_LE(block.payload.size(), TermBlockBuilder::max_block_bytes(kMinRunBlockBytes));
    }
  }
}

TEST(PostingsConcatenator, TakesTermsThatAreNearlyAsLongAsABlock) {
  for (const std::size_t term_bytes :
       {std::size_t{1}, std::size_t{255}, std::size_t{3000}, std::size_t{4090}, std::size_t{65535}}) {
    ConcatenatedLists joined;
    std::vector<SamplePosting> postings;
    for (std::uint32_t i = 0; i < 8000; ++i) postings.push_back({i * 1000, 1 + i});
    Parts parts;
    parts.add(postings, 0);
    const std::string term(term_bytes, 't');
    const Lists expected{{term, list_of(postings)}};
    joined.concatenator().write(term, parts.view());
    joined.finish();
    EXPECT_EQ(joined.read(), expected) << term_bytes;
  }
}

TEST(PostingsConcatenator, ContinuesATermOverSeveralCalls) {
  ConcatenatedLists joined;
  List expected;
  for (std::uint32_t call = 0; call < 300; ++call) {
    Parts parts;
    for (std::uint32_t i = 0; i < 5; ++i) {
      const std::uint32_t document = call * 1000 + i * 10;
      parts.add({{document, 2}, {document + 1, 1}}, document);
      expected[document] = 2;
      expected[document + 1] = 1;
    }
    joined.concatenator().write("term", parts.view());
  }
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", expected}}));
}

TEST(PostingsConcatenator, HandsOutNothingForNothing) {
  ConcatenatedLists joined;
  joined.finish();
  EXPECT_TRUE(joined.blocks.empty());
}

// Random cuts of random lists, often with a border document in two and more parts.
TEST(PostingsConcatenator, EqualsTheNaiveJoinOnRandomParts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    ConcatenatedLists joined(kMinRunBlockBytes << (random() % 3));
    Lists expected;
    const std::size_t terms = 1 + random() % 30;
    for (std::size_t t = 0; t < terms; ++t) {
      const std::string term = "t" + std::to_string(1000 + t) + std::string(random() % 50, 'x');
      Parts parts;
      List& list = expected[term];
      std::uint32_t document = static_cast<std::uint32_t>(random() % 100);
      const std::size_t part_count = 1 + random() % 12;
      for (std::size_t p = 0; p < part_count; ++p) {
        const std::uint32_t base = document - static_cast<std::uint32_t>(random() % (document + 1));
        std::vector<SamplePosting> postings;
        const std::size_t count = random() % 8 == 0 ? 1 + random() % 5000 : 1 + random() % 4;
        for (std::size_t i = 0; i < count; ++i) {
          const auto frequency = static_cast<std::uint32_t>(random() % 3 == 0 ? 1 + random() % 1000 : 1);
          postings.push_back({document, frequency});
          list[document] += frequency;
          document += 1 + static_cast<std::uint32_t>(random() % (random() % 4 == 0 ? 10000 : 3));
        }
        parts.add(postings, base);
        if (random() % 2 == 0) document = postings.back().document;  // the next part begins with the same one
      }
      joined.concatenator().write(term, parts.view());
    }
    joined.finish();
    ASSERT_EQ(joined.read(), expected) << "seed " << seed;
  }
}

// The bytes of an entry that is not cut do not depend on how its list was divided among the inputs.
TEST(PostingsConcatenator, MakesTheSameBytesOfOnePartAndOfMany) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<SamplePosting> postings;
    for (std::uint32_t document = 0; postings.size() < 200; document += 1 + static_cast<std::uint32_t>(random() % 9)) {
      postings.push_back({document, 1 + static_cast<std::uint32_t>(random() % 3)});
    }
    Parts one, many;
    one.add(postings, 0);
    for (std::size_t at = 0; at < postings.size();) {
      const std::size_t count = std::min<std::size_t>(postings.size() - at, 1 + random() % 20);
      const auto begin = postings.begin() + static_cast<std::ptrdiff_t>(at);
      many.add({begin, begin + static_cast<std::ptrdiff_t>(count)}, at == 0 ? 0 : postings[at - 1].document + 1);
      at += count;
    }
    ConcatenatedLists a, b;
    a.concatenator().write("term", one.view());
    b.concatenator().write("term", many.view());
    a.finish();
    b.finish();
    ASSERT_EQ(a.blocks.size(), 1U);
    ASSERT_EQ(b.blocks.size(), 1U);
    ASSERT_EQ(a.blocks[0].payload, b.blocks[0].payload) << "seed " << seed;
  }
}

// Some lists are short, others do not fit a block; entries are reported or not.
TEST(PostingsConcatenator, MakesTheSameBytesOfAWholeListAsOfItsOnlyPart) {
  for (const bool sees : {false, true}) {
    std::mt19937_64 random(19);
    std::vector<TermBlock> of_parts, of_wholes;
    std::size_t seen = 0;
    PostingsConcatenator::SeeEntry see;
    if (sees) see = [&](const RunEntry& fragment) { seen += fragment.postings.size(); };
    PostingsConcatenator parts(kMinRunBlockBytes, false,
                               [&](TermBlock&& block) { of_parts.push_back(std::move(block)); });
    PostingsConcatenator wholes(
        kMinRunBlockBytes, false, [&](TermBlock&& block) { of_wholes.push_back(std::move(block)); }, see);
    for (int i = 0; i < 300; ++i) {
      std::vector<SamplePosting> postings;
      std::uint32_t document = 0;
      const std::size_t count = 1 + random() % (i % 10 == 0 ? 3000 : 20);
      for (std::size_t k = 0; k < count; ++k) {
        document += 1 + static_cast<std::uint32_t>(random() % 1000);
        postings.push_back({document, 1 + static_cast<std::uint32_t>(random() % 3)});
      }
      Parts list;
      list.add(postings, 0);
      const std::string number = std::to_string(1000 + i);
      const std::string term = number.substr(0, 3) + std::string(i / 10 % 4 * 7, 'x') + number;
      wholes.write_whole(term, list.view()[0]);
      parts.write(term, list.view());
    }
    parts.finish();
    wholes.finish();
    EXPECT_GT(of_parts.size(), 3U);
    ASSERT_EQ(of_wholes.size(), of_parts.size());
    for (std::size_t i = 0; i < of_parts.size(); ++i) {
      EXPECT_TRUE(of_wholes[i].payload == of_parts[i].payload) << i;
      EXPECT_EQ(of_wholes[i].first_term, of_parts[i].first_term);
      EXPECT_EQ(of_wholes[i].posting_count, of_parts[i].posting_count);
      EXPECT_EQ(of_wholes[i].occurrence_count, of_parts[i].occurrence_count);
    }
    EXPECT_EQ(seen != 0, sees);
  }
}

TEST(PostingsConcatenator, RefusesAListThatEndsInsideAPosting) {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{}, {0x80}, {0x02}, {0x02, 0x80}, {0x03, 0x80, 0x80}}) {
    ConcatenatedLists joined;
    ListFragment broken;
    broken.postings = bytes;
    broken.document_count = 2;
    broken.occurrence_count = 2;
    broken.last_document = 9;
    Parts good;
    good.add({{9, 1}}, 9);
    std::vector<ListFragment> parts{broken, good.view()[0]};
    EXPECT_THROW(
        {
          joined.concatenator().write("term", parts);
          joined.finish();
          joined.read();
        },
        FormatError);
  }
}

}  // namespace
}  // namespace spillway
