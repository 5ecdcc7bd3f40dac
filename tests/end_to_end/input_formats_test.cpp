// One collection in several formats gives one index.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/tar/tar_files.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/corpora_path.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

class InputFormats : public ::testing::Test {
 protected:
  std::map<std::string, std::string> index_of(const std::string& input, CorpusOptions corpus = {}) {
    const std::string output = directory_ / ("index" + std::to_string(count_++));
    IndexOptions options = index_job({input}, output);
    options.corpus = std::move(corpus);
    EXPECT_GT(run_job(options).documents, 0u);
    return bytes_of(output);
  }

  const ScratchDirectory directory_;
  int count_ = 0;
};

std::string trec_of(const Documents& documents) {
  std::string bytes;
  for (const OracleDocument& document : documents) {
    bytes += "<DOC>\n<DOCNO>" + document.id + "</DOCNO>\n<URL>" + document.url + "</URL><TITLE>" + document.title +
             "</TITLE>\n<TEXT>" + document.text + "</TEXT>\n</DOC>\n";
  }
  return bytes;
}

std::string tsv_of(const Documents& documents) {
  std::string bytes;
  for (const OracleDocument& document : documents) {
    bytes += document.id + "\t" + document.title + "\t" + document.text + "\t" + document.url + "\n";
  }
  return bytes;
}

// Returns documents without characters that would be markup, entities or columns in any format.
Documents plain_documents() {
  Documents documents = random_corpus(3, {}, true);
  for (OracleDocument& document : documents) {
    for (std::string* text : {&document.title, &document.text, &document.url}) {
      std::string kept;
      for (const char c : *text) kept += std::string_view("<>&\t\n\r").find(c) == std::string_view::npos ? c : ' ';
      *text = "x" + kept + "x";
    }
    document.date.clear();
  }
  return documents;
}

TEST_F(InputFormats, JsonlTrecAndTsvGiveTheSameIndex) {
  const Documents documents = plain_documents();
  write_bytes(directory_ / "jsonl", jsonl_of(documents));
  write_bytes(directory_ / "trec", trec_of(documents));
  write_bytes(directory_ / "tsv", tsv_of(documents));
  const auto expected = index_of(directory_ / "jsonl");
  // A space inside a trec field stands for any stretch of them.
  CorpusOptions tsv;
  tsv.format = CorpusFormat::kTsv;
  tsv.tsv_fields = {{"1"}, {"2"}, {"3"}, {"4"}, {}};
  EXPECT_EQ(index_of(directory_ / "tsv", tsv), expected);
  const auto trec = index_of(directory_ / "trec");
  for (const char* const file : {"terms", "postings", "bounds", "lengths", "ids", "id_order", "dropped"}) {
    EXPECT_EQ(trec.at(file), expected.at(file)) << file;
  }
}

TEST_F(InputFormats, ATarFileGivesOneIndexHoweverItIsPacked) {
  std::string tar;
  for (int i = 0; i < 200; ++i) {
    tar +=
        tar_member("site/" + std::to_string(1000 + i) + ".html",
                   "<!doctype html><title>T" + std::to_string(i) + "</title><p>page number " + std::to_string(i * 7));
  }
  tar += tar_end();
  write_bytes(directory_ / "pages.tar", tar);
  write_bytes(directory_ / "pages.tar.gz", gzip_member(tar));
  write_bytes(directory_ / "pages.tar.zst", zstd_frame(tar));
  std::filesystem::create_directories(directory_ / "tars");
  write_bytes(directory_ / "tars/pages.tar", tar);
  std::filesystem::create_directories(directory_ / "tree/site");
  for (int i = 0; i < 200; ++i) {
    write_bytes(directory_ / ("tree/site/" + std::to_string(1000 + i) + ".html"),
                "<!doctype html><title>T" + std::to_string(i) + "</title><p>page number " + std::to_string(i * 7));
  }
  const auto expected = index_of(directory_ / "tree");
  for (const char* const input : {"pages.tar", "pages.tar.gz", "pages.tar.zst", "tars"}) {
    EXPECT_EQ(index_of(directory_ / input), expected) << input;
  }
  const std::string from_file = directory_ / "file.index", from_stream = directory_ / "stream.index";
  EXPECT_EQ(run_spillway({"index", directory_ / "pages.tar", "-o", from_file}).exit_code, 0);
  const ProgramResult made =
      run_spillway({"index", "-", "--format", "tar", "-o", from_stream}, {.input = gzip_member(tar)});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(bytes_of(from_stream), bytes_of(from_file));
}

TEST_F(InputFormats, RealTrecCollectionsGiveTheIndexesOfTheirJsonl) {
  const std::string retrieval = SPILLWAY_CORPORA_OR_SKIP() + "/retrieval";
  EXPECT_EQ(index_of(retrieval + "/vaswani/doc-text.trec.zst"), index_of(retrieval + "/vaswani/docs.jsonl.zst"));
  CorpusOptions with_text;
  with_text.trec_fields.text = {"text"};
  with_text.format = CorpusFormat::kTrec;
  EXPECT_EQ(index_of(retrieval + "/cranfield/cran.all.1400.xml.zst", with_text),
            index_of(retrieval + "/cranfield/docs.jsonl.zst"));
}

}  // namespace
}  // namespace spillway
