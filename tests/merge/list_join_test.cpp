#include "merge/list_join.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "io/error.hpp"
#include "io/run_reader.hpp"
#include "io/varint.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using testing::encode_postings;
using testing::SamplePosting;
using List = std::map<std::uint32_t, std::uint64_t>;  // document -> frequency
using Lists = std::map<std::string, List>;

// Parts with the bytes that they view.
struct Parts {
  std::vector<std::vector<std::uint8_t>> bytes;
  std::vector<ListPart> parts;

  // Postings in source numbering, written as counted from `base`.
  void add(const std::vector<SamplePosting>& postings, std::uint32_t base) {
    std::vector<SamplePosting> local = postings;
    ListPart part;
    for (SamplePosting& posting : local) {
      part.last_document = posting.document;
      part.occurrence_count += posting.frequency;
      posting.document -= base;
    }
    part.document_count = static_cast<std::uint32_t>(postings.size());
    part.base = base;
    bytes.push_back(encode_postings(local));
    parts.push_back(part);
  }
  std::vector<ListPart>& view() {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].postings = bytes[i];
    return parts;
  }
};

List list_of(const std::vector<SamplePosting>& postings) {
  List list;
  for (const SamplePosting& posting : postings) list[posting.document] += posting.frequency;
  return list;
}

// What came out: the blocks, read back by the layout of io/run_format.hpp.
class Joined {
 public:
  explicit Joined(std::size_t block_bytes = kMinRunBlockBytes)
      : joiner_(
            block_bytes, false, [this](TermBlock&& block) { blocks.push_back(std::move(block)); },
            [this](const TermPiece& piece) { seen_.push_back(decode(piece)); }) {}

  ListJoiner& joiner() { return joiner_; }
  void finish() { joiner_.finish(); }

  Lists read() const {
    Lists lists;
    std::size_t entries = 0;
    std::string last_term;
    for (const TermBlock& block : blocks) {
      const std::uint8_t* at = block.payload.data();
      const std::uint8_t* const end = at + block.payload.size();
      const std::size_t first_entry = entries;
      std::uint64_t postings = 0, occurrences = 0;
      std::string term;
      while (at != end) {
        const TermPiece piece = read_entry(&at, end, term);
        EXPECT_LE(last_term, term);
        last_term = term;
        const Entry entry = decode(piece);
        List& list = lists[term];
        for (const auto& [document, frequency] : entry.second) {
          EXPECT_TRUE(list.empty() || list.rbegin()->first < document) << "document " << document << " again";
          list[document] = frequency;
        }
        EXPECT_LT(entries, seen_.size());
        EXPECT_EQ(seen_.at(entries), entry) << "the entry that was shown";
        postings += piece.document_count;
        occurrences += piece.occurrence_count;
        ++entries;
      }
      EXPECT_EQ(block.entry_count, entries - first_entry);
      EXPECT_EQ(block.posting_count, postings);
      EXPECT_EQ(block.occurrence_count, occurrences);
    }
    EXPECT_EQ(entries, seen_.size());
    return lists;
  }
  std::size_t entry_count() const { return seen_.size(); }

  std::vector<TermBlock> blocks;

 private:
  using Entry = std::pair<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

  static std::uint64_t read_number(const std::uint8_t** at, const std::uint8_t* end) {
    std::uint64_t number = 0;
    if (!read_varint(at, end, &number)) throw FormatError("a block ends inside a number");
    return number;
  }

  static TermPiece read_entry(const std::uint8_t** at, const std::uint8_t* end, std::string& term) {
    term.resize(read_number(at, end));
    const std::uint64_t suffix_bytes = read_number(at, end);
    term.append(reinterpret_cast<const char*>(*at), suffix_bytes);
    *at += suffix_bytes;
    TermPiece piece;
    piece.term = term;
    piece.document_count = static_cast<std::uint32_t>(read_number(at, end));
    piece.occurrence_count = piece.document_count + read_number(at, end);
    piece.last_document = static_cast<std::uint32_t>(read_number(at, end));
    const std::uint64_t bytes = read_number(at, end);
    piece.postings = {*at, bytes};
    *at += bytes;
    return piece;
  }

  static Entry decode(const TermPiece& piece) {
    std::vector<std::uint32_t> documents, frequencies;
    decode_postings(piece, "entry", documents, frequencies);
    Entry entry{std::string(piece.term), {}};
    for (std::size_t i = 0; i < documents.size(); ++i) entry.second.emplace_back(documents[i], frequencies[i]);
    return entry;
  }

  std::vector<Entry> seen_;
  ListJoiner joiner_;
};

TEST(ListJoiner, JoinsPartsInDocumentOrder) {
  Joined joined;
  Parts parts;
  parts.add({{0, 1}, {3, 2}}, 0);
  parts.add({{10, 5}}, 10);
  parts.add({{11, 1}, {500, 7}}, 11);
  joined.joiner().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{0, 1}, {3, 2}, {10, 5}, {11, 1}, {500, 7}}}}));
  EXPECT_EQ(joined.entry_count(), 1U);
}

TEST(ListJoiner, AddsTheFrequenciesOfABorderDocument) {
  Joined joined;
  Parts parts;
  parts.add({{2, 1}, {9, 1}}, 0);
  parts.add({{9, 2}, {12, 1}}, 9);
  joined.joiner().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{2, 1}, {9, 3}, {12, 1}}}}));
}

TEST(ListJoiner, AddsADocumentThatIsAllOfSeveralParts) {
  Joined joined;
  Parts parts;
  parts.add({{4, 1}, {7, 3}}, 2);
  for (int i = 0; i < 5; ++i) parts.add({{7, 100}}, 7);
  parts.add({{7, 1}, {8, 1}}, 7);
  parts.add({{8, 1}}, 8);
  joined.joiner().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{4, 1}, {7, 504}, {8, 2}}}}));
}

TEST(ListJoiner, KeepsNeighboursThatAreNotTheSameDocumentApart) {
  Joined joined;
  Parts parts;
  parts.add({{7, 1}}, 7);
  parts.add({{8, 1}}, 7);  // the border document does not hold the term in this part
  joined.joiner().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{7, 1}, {8, 1}}}}));
}

TEST(ListJoiner, CarriesFrequenciesAndDocumentsUpToTheirLimits) {
  Joined joined;
  Parts parts;
  parts.add({{0, 0x7FFFFFFF}}, 0);
  parts.add({{0, 0x80000000}, {1, 0xFFFFFFFF}, {0xFFFFFFFE, 1}}, 0);
  joined.joiner().write("term", parts.view());
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", {{0, 0xFFFFFFFF}, {1, 0xFFFFFFFF}, {0xFFFFFFFE, 1}}}}));
}

TEST(ListJoiner, CutsAGiantPartIntoEntriesThatFitTheirBlocks) {
  for (const std::size_t first_terms : {0, 1, 40}) {
    Joined joined;
    Lists expected;
    for (std::size_t i = 0; i < first_terms; ++i) {
      Parts small;
      small.add({{1, 1}}, 0);
      const std::string term = "a" + std::string(i, 'b');
      joined.joiner().write(term, small.view());
      expected[term] = {{1, 1}};
    }
    std::vector<SamplePosting> postings;
    for (std::uint32_t i = 0; i < 50000; ++i) postings.push_back({3 * i, 1 + i % 3});
    Parts parts;
    parts.add(postings, 0);
    expected["z"] = list_of(postings);
    joined.joiner().write("z", parts.view());
    joined.finish();
    EXPECT_EQ(joined.read(), expected);
    EXPECT_GT(joined.blocks.size(), 50000U / kMinRunBlockBytes);
    for (const TermBlock& block : joined.blocks) {
      EXPECT_LE(block.payload.size(), TermBlockBuilder::max_block_bytes(kMinRunBlockBytes));
    }
  }
}

TEST(ListJoiner, TakesTermsThatAreNearlyAsLongAsABlock) {
  for (const std::size_t term_bytes :
       {std::size_t{1}, std::size_t{255}, std::size_t{3000}, std::size_t{4090}, std::size_t{65535}}) {
    Joined joined;
    std::vector<SamplePosting> postings;
    for (std::uint32_t i = 0; i < 8000; ++i) postings.push_back({i * 1000, 1 + i});
    Parts parts;
    parts.add(postings, 0);
    const std::string term(term_bytes, 't');
    const Lists expected{{term, list_of(postings)}};
    joined.joiner().write(term, parts.view());
    joined.finish();
    EXPECT_EQ(joined.read(), expected) << term_bytes;
  }
}

TEST(ListJoiner, ContinuesATermOverSeveralCalls) {
  Joined joined;
  List expected;
  for (std::uint32_t call = 0; call < 300; ++call) {
    Parts parts;
    for (std::uint32_t i = 0; i < 5; ++i) {
      const std::uint32_t document = call * 1000 + i * 10;
      parts.add({{document, 2}, {document + 1, 1}}, document);
      expected[document] = 2;
      expected[document + 1] = 1;
    }
    joined.joiner().write("term", parts.view());
  }
  joined.finish();
  EXPECT_EQ(joined.read(), (Lists{{"term", expected}}));
}

TEST(ListJoiner, HandsOutNothingForNothing) {
  Joined joined;
  joined.finish();
  EXPECT_TRUE(joined.blocks.empty());
}

// Random cuts of random lists, often with a border document in two and more parts.
TEST(ListJoiner, EqualsTheNaiveJoinOnRandomParts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    Joined joined(kMinRunBlockBytes << (random() % 3));
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
      joined.joiner().write(term, parts.view());
    }
    joined.finish();
    ASSERT_EQ(joined.read(), expected) << "seed " << seed;
  }
}

// However lists are cut into parts, the blocks are the same bytes where an entry is not cut.
TEST(ListJoiner, MakesTheSameBytesOfOnePartAndOfMany) {
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
    Joined a, b;
    a.joiner().write("term", one.view());
    b.joiner().write("term", many.view());
    a.finish();
    b.finish();
    ASSERT_EQ(a.blocks.size(), 1U);
    ASSERT_EQ(b.blocks.size(), 1U);
    ASSERT_EQ(a.blocks[0].payload, b.blocks[0].payload) << "seed " << seed;
  }
}

// Short lists and such as do not fit a block, with and without somebody who sees entries.
TEST(ListJoiner, MakesTheSameBytesOfAWholeListAsOfItsOnlyPart) {
  for (const bool sees : {false, true}) {
    std::mt19937_64 random(19);
    std::vector<TermBlock> of_parts, of_wholes;
    std::size_t seen = 0;
    ListJoiner::SeeEntry see;
    if (sees) see = [&](const TermPiece& piece) { seen += piece.postings.size(); };
    ListJoiner parts(kMinRunBlockBytes, false, [&](TermBlock&& block) { of_parts.push_back(std::move(block)); });
    ListJoiner wholes(
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

TEST(JoinedEntry, TakesNoPartThatDoesNotBeginBehindTheOneBefore) {
  Parts parts;
  parts.add({{3, 1}, {5, 2}}, 0);
  parts.add({{5, 1}, {9, 1}}, 2);
  parts.add({{6, 1}, {9, 1}}, 6);
  parts.add({{4, 1}}, 0);
  const std::vector<ListPart>& list = parts.view();
  const auto takes = [&](std::initializer_list<std::size_t> order) {
    JoinedEntry entry;
    return std::all_of(order.begin(), order.end(), [&](std::size_t i) { return entry.add(list[i]); });
  };
  EXPECT_TRUE(takes({0, 2}));
  EXPECT_TRUE(takes({3, 1}));
  EXPECT_FALSE(takes({0, 1})) << "a border document";
  EXPECT_FALSE(takes({0, 3})) << "a document that is passed";
  ListPart low = list[0], cut = list[0];
  low.last_document = 2;
  cut.postings = cut.postings.first(0);
  EXPECT_FALSE(JoinedEntry().add(low));
  EXPECT_FALSE(JoinedEntry().add(cut));
}

TEST(JoinedEntry, CountsWhatItsPartsHoldAndForgetsIt) {
  Parts parts;
  parts.add({{0, 1}, {300, 700}}, 0);
  parts.add({{20000, 1}}, 19000);
  JoinedEntry entry;
  for (int i = 0; i < 2; ++i) {
    entry.clear();
    for (const ListPart& part : parts.view()) ASSERT_TRUE(entry.add(part));
    EXPECT_EQ(entry.joints().size(), 2U);
    EXPECT_EQ(entry.head().document_count, 3U);
    EXPECT_EQ(entry.head().occurrence_count, 702U);
    EXPECT_EQ(entry.head().last_document, 20000U);
    EXPECT_EQ(entry.posting_bytes(), encode_postings({{0, 1}, {300, 700}, {20000, 1}}).size());
  }
}

// Lists of every length from one posting on, in blocks that they fill to their last byte.
TEST(ListJoiner, WritesAJoinedEntryAsItsPartsOrNotAtAll) {
  std::mt19937_64 random(3);
  Joined of_parts, of_entries;
  Lists expected;
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    Parts parts;
    std::uint32_t document = 0;
    for (std::size_t p = 1 + random() % 6; p != 0; --p) {
      std::vector<SamplePosting> postings;
      for (std::size_t left = 1 + random() % (i % 50 == 0 ? 900 : 12); left != 0; --left) {
        document += 1 + static_cast<std::uint32_t>(random() % (random() % 5 == 0 ? 1U << 22 : 40));
        postings.push_back({document, 1 + static_cast<std::uint32_t>(random() % 2 * (random() % 300))});
      }
      parts.add(postings, postings.front().document - static_cast<std::uint32_t>(random() % 2));
      expected[std::to_string(10000 + i)].merge(list_of(postings));
    }
    const std::string term = std::to_string(10000 + i);
    JoinedEntry entry;
    for (const ListPart& part : parts.view()) ASSERT_TRUE(entry.add(part));
    if (!of_entries.joiner().write(term, entry)) {
      ++refused;
      of_entries.joiner().write(term, parts.view());
    }
    of_parts.joiner().write(term, parts.view());
  }
  of_parts.finish();
  of_entries.finish();
  EXPECT_GT(refused, 10U);
  ASSERT_EQ(of_entries.read(), expected);
  ASSERT_EQ(of_entries.blocks.size(), of_parts.blocks.size());
  for (std::size_t i = 0; i < of_parts.blocks.size(); ++i) {
    ASSERT_EQ(of_entries.blocks[i].payload, of_parts.blocks[i].payload) << i;
  }
}

TEST(ListJoiner, RefusesAListThatEndsInsideAPosting) {
  for (const std::vector<std::uint8_t>& bytes :
       {std::vector<std::uint8_t>{}, {0x80}, {0x02}, {0x02, 0x80}, {0x03, 0x80, 0x80}}) {
    Joined joined;
    ListPart broken;
    broken.postings = bytes;
    broken.document_count = 2;
    broken.occurrence_count = 2;
    broken.last_document = 9;
    Parts good;
    good.add({{9, 1}}, 9);
    std::vector<ListPart> parts{broken, good.view()[0]};
    EXPECT_THROW(
        {
          joined.joiner().write("term", parts);
          joined.finish();
          joined.read();
        },
        FormatError);
  }
}

}  // namespace
}  // namespace spillway
