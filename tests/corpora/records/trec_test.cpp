#include "corpora/records/trec.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/trec_samples.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadResult read_trec(std::string_view bytes) { return read_input(bytes, setup_of(CorpusFormat::kTrec)); }

TEST(TrecRecords, ReadsFields) {
  const auto result = read_trec(
      "<DOC>\n<DOCNO> AP-1 </DOCNO>\n<HEADLINE>\nBig\n <B>News</B>\n</HEADLINE>\n<URL>http://a/?x=1&amp;y</URL>\n"
      "<DATE>1990</DATE>\n<AUTHOR>Ann</AUTHOR><TEXT>\nOne &lt; two.\n</TEXT>\n</DOC>\n");
  ASSERT_EQ(result.documents.size(), 1u);
  const ReadDocument& document = result.documents[0];
  EXPECT_EQ(document.id, "AP-1");
  EXPECT_EQ(document.title, "Big News");
  EXPECT_EQ(document.url, "http://a/?x=1&y");
  EXPECT_EQ(document.date, "1990");
  EXPECT_EQ(document.text, "Ann\nOne < two.\n\n");
  EXPECT_TRUE(document.has_title && document.has_url && document.has_date);
  EXPECT_FALSE(document.repaired);
  EXPECT_TRUE(result.skips.empty());
}

TEST(TrecRecords, NamesAreInAnyCaseAndLinesMayEndInCrlf) {
  const auto result = read_trec("<doc>\r\n<DocNo>1</docNO>\r\nwords\r\n</Doc>\r\n<DOC><docno>2</docno></DOC>");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"words\r\n", ""}));
  EXPECT_EQ(result.documents[1].offset, 40u);
}

TEST(TrecRecords, TheFirstTitleThatIsThereIsTheTitleAndOthersAreText) {
  const auto result =
      read_trec("<DOC><DOCNO>1</DOCNO><HEADLINE>second</HEADLINE><TITLE>first</TITLE><TITLE>again</TITLE>words</DOC>");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].title, "first");
  EXPECT_EQ(result.documents[0].text, "second again words");
}

TEST(TrecRecords, FollowsTheNamesGiven) {
  ReadSetup setup = setup_of(CorpusFormat::kTrec);
  setup.options.trec_fields = {{"Num"}, {"h"}, {"BODY", "note"}, {}, {}};
  const auto result = read_input(
      "<DOC><num>n</num><h>t</h>out<body>one <p>two</p></body>out<note>three</note><docno>x</docno></DOC>"
      "<DOC><num>m</num>nothing</DOC>",
      setup);
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].id, "n");
  EXPECT_EQ(result.documents[0].title, "t");
  EXPECT_EQ(result.documents[0].text, "one two three");
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kMissingText});
}

TEST(TrecRecords, ResolvesEntitiesAndLeavesUnknownOnes) {
  const auto result = read_trec(
      "<DOC><DOCNO>A&amp;B</DOCNO>&eacute;&#233;&#xE9;&Eacute; &quot;AT&T&quot; &hyph; &amp &#0; &#xD800;&;</DOC>");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].id, "A&B");
  EXPECT_EQ(result.documents[0].text, "\u00E9\u00E9\u00E9\u00C9 \"AT&T\" &hyph; &amp \uFFFD \uFFFD&;");
  EXPECT_TRUE(result.documents[0].repaired);
}

TEST(TrecRecords, OnlyMarkupIsMarkup) {
  const auto result = read_trec("<DOC><DOCNO>1</DOCNO>a<b c < d<5 e</ f<!-- <x> no -- > -->g<?p i?>h<!X>i <" +
                                std::string(5000, 'z') + "> j</DOC>");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].text, "a<b c < d<5 e</ fghi <" + std::string(5000, 'z') + "> j");
}

TEST(TrecRecords, RepairsBrokenUtf8) {
  const auto result = read_trec("<DOC><DOCNO>\xFF</DOCNO>\xC3<b>\xA9</b></DOC><DOC><DOCNO>2</DOCNO>\xC3\xA9</DOC>");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"\uFFFD", "2"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"\uFFFD \uFFFD", "\u00E9"}));
  EXPECT_TRUE(result.documents[0].repaired);
  EXPECT_FALSE(result.documents[1].repaired);
}

TEST(TrecRecords, ANewDocumentClosesTheOldWhichIsCountedAsRepaired) {
  const auto result =
      read_trec("<DOC><DOCNO>1</DOCNO>one\n<DOC><DOCNO>2</DOCNO>two <DOC> three</DOC>\n<DOC><DOCNO>3</DOCNO>3</DOC>");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one\n", "two ", "3"}));
  EXPECT_TRUE(result.documents[0].repaired && result.documents[1].repaired);
  EXPECT_FALSE(result.documents[2].repaired);
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kMissingId});
}

TEST(TrecRecords, DocumentsMayHaveAttributes) {
  const auto result = read_trec(
      "<DOC id=\"a\" type='story'><DOCNO>1</DOCNO>one</DOC>\n<doc\n n=2><DOCNO>2</DOCNO>two</DOC><DOC/><DOCNO>3</DOCNO>"
      "three</DOC><DOC ><DOCNO>4</DOCNO>four <DOCNO>5</DOCNO> <DOCS>five</DOCS></DOC>");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_TRUE(result.skips.empty());
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two", "three", "four 5 five"}));
}

TEST(TrecRecords, TextOfNoDocumentIsCounted) {
  const auto result = read_trec(
      "<?xml version='1.0'?>\n<docs>\n<DOC><DOCNO>1</DOCNO>a</DOC>\n<x>\n<DOC><DOCNO>2</DOCNO>b</DOC> stray <DOC>"
      "<DOCNO>3</DOCNO>c</DOC></docs>");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kOutsideDocument});
  EXPECT_EQ(result.skips[0].offset, 91u);
  EXPECT_EQ(read_trec("words").reasons(), std::vector<SkipReason>{SkipReason::kOutsideDocument});
}

TEST(TrecRecords, SkipsWithTheReason) {
  const auto reason = [](const std::string& bytes) {
    const auto result = read_trec(bytes);
    EXPECT_TRUE(result.documents.empty()) << bytes;
    return result.reasons();
  };
  using Reasons = std::vector<SkipReason>;
  EXPECT_EQ(reason("<DOC>words</DOC>"), Reasons{SkipReason::kMissingId});
  EXPECT_EQ(reason("<DOC><DOCNO> \n</DOCNO>words</DOC>"), Reasons{SkipReason::kMissingId});
  EXPECT_EQ(reason("<DOC><DOCNO>1 words</DOC>"), Reasons{SkipReason::kMissingId});
  EXPECT_EQ(reason("<DOC><DOCNO>" + std::string(65536, 'i') + "</DOCNO></DOC>"), Reasons{SkipReason::kIdTooLong});
  EXPECT_EQ(reason("<DOC><DOCNO>1</DOCNO>words"), Reasons{SkipReason::kDocumentTruncated});
  EXPECT_EQ(reason("<DOC>"), Reasons{SkipReason::kDocumentTruncated});
}

TEST(TrecRecords, WhatCountsForTheLimitIsTitleAndText) {
  ReadSetup setup = setup_of(CorpusFormat::kTrec, 64);
  setup.options.max_document_bytes = 10;
  const auto result = read_input(
      "<DOC><DOCNO>1</DOCNO><TITLE>12345</TITLE><p><p><p>67890</DOC><DOC><DOCNO>2</DOCNO>12345678901</DOC>", setup);
  EXPECT_EQ(result.ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
}

TEST(TrecRecords, PutsALongTitleIntoTheText) {
  const std::string title(65536, 't');
  const auto result = read_trec("<DOC><DOCNO>1</DOCNO><TITLE>" + title + "</TITLE>x</DOC>");
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_FALSE(result.documents[0].has_title);
  EXPECT_EQ(result.documents[0].text, title + "\nx");
}

// Long documents of plain and compressed files are streamed.
TEST(TrecRecords, DocumentsLongerThanABuffer) {
  const std::string words = "words of <i>a</i> long &amp; ";
  std::string text, plain;
  for (int i = 0; i < 120000; ++i) text += words;
  const std::string bytes = "<DOC><DOCNO>1</DOCNO>" + text + "</DOC>\n<DOC><DOCNO>2</DOCNO>b</DOC>\n";
  const auto expected = read_input(bytes, setup_of(CorpusFormat::kTrec, std::size_t{64} << 20));
  ASSERT_EQ(expected.ids(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(expected.documents[0].text.substr(0, 40), "words of a long & words of a long & word");
  for (const std::size_t buffer_bytes : {64u, 1000u, 1u << 20}) {
    expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kTrec, buffer_bytes, 2)), expected);
    expect_same_documents(read_input(gzip_member(bytes), setup_of(CorpusFormat::kTrec, buffer_bytes, 2)), expected);
    expect_same_documents(read_input(zstd_frame(bytes), setup_of(CorpusFormat::kTrec, buffer_bytes, 2)), expected);
  }
}

// The documents do not depend on the cuts into tasks, buffers, members and threads.
TEST(TrecRecords, EveryCuttingGivesTheSame) {
  TrecSamples samples(5);
  std::size_t documents = 0, skips = 0;
  for (int round = 0; round < 25; ++round) {
    const std::string bytes = samples.next_file();
    const auto whole = read_trec(bytes);
    documents += whole.documents.size();
    skips += whole.skips.size();
    for (const std::size_t buffer_bytes : {64u, 65u, 66u, 67u, 68u, 69u, 100u, 1u << 16}) {
      for (const std::size_t task : {1u, 2u, 5u, 33u, 64u, 1000u}) {
        expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kTrec, buffer_bytes, 1, task)), whole);
        if (HasFatalFailure()) return;
      }
      std::string packed;
      for (std::size_t at = 0; at < bytes.size(); at += 97)
        packed += gzip_member(std::string_view(bytes).substr(at, 97));
      expect_same_documents(read_input(packed, setup_of(CorpusFormat::kTrec, buffer_bytes, 3)), whole);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(documents, 50u);
  EXPECT_GT(skips, 20u);
}

TEST(TrecRecords, AreRecognised) {
  EXPECT_EQ(read_input("<DOC><DOCNO>1</DOCNO>a</DOC>").ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(read_input("\xEF\xBB\xBF \n<doc>\n<docno>1</docno>a</doc>").ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(read_input(gzip_member("<Doc><docno>1</docno>a</doc>")).ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(read_input("<DOCS><DOC>").documents.at(0).text, "<DOCS><DOC>");
}

// A fault drops the document that it cut; the rest of a cut document is not a document.
TEST(TrecRecords, AFaultDropsWhatItCut) {
  std::string text;
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) text += std::to_string(random()) + (i % 100 == 99 ? "\n" : " ");
  std::string lost = gzip_member("<DOC><DOCNO>2</DOCNO>" + text + "</DOC>");
  for (std::size_t i = 0; i < 16; ++i) lost[lost.size() / 2 + i] = static_cast<char>(0xFF);
  const std::string stored =
      gzip_member("<DOC><DOCNO>1</DOCNO>a</DOC>\n") + lost + gzip_member("rest</DOC><DOC><DOCNO>3</DOCNO>c</DOC>");
  for (const std::size_t buffer_bytes : {64u, 1u << 20}) {
    const auto result = read_input(stored, setup_of(CorpusFormat::kTrec, buffer_bytes));
    EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "3"}));
    EXPECT_EQ(result.reasons(), (std::vector<SkipReason>{SkipReason::kGzipCorrupt, SkipReason::kOutsideDocument}));
  }
}

}  // namespace
}  // namespace spillway
