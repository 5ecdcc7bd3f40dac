// The files of a sort that can go on: what is written is read again, and every changed byte and every cut is refused.
#include <gtest/gtest.h>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "sort/lines/resume/commit.hpp"
#include "sort/lines/resume/description.hpp"
#include "sort/lines/resume/kept_file.hpp"
#include "sort/lines/resume/run_table.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

const std::string kPath = "/job/out.work/spillway-x";

SortDescription description() {
  SortDescription sort;
  sort.release = "1.2.3";
  sort.options = {{"-u", "no"}, {"the keys", "2,2 1n"}, {"-t", "\t"}};
  sort.inputs.add({"12 bytes, modified at 7 ns", "dir/with space\nand %"}, 12);
  return sort;
}

SortCommit commit() {
  SortCommit made;
  made.number = 3;
  made.job.fill(0xAB);
  made.seconds = 1'700'000'000;
  made.done = {1, 2, 3, 4};
  made.merge_steps = 5;
  made.runs = {{"spillway-run-0", 100, 10, {}}, {"spillway-run-7", 200, 20, {}}};
  made.runs[1].table_hash.fill(0xCD);
  return made;
}

// A run of several blocks, some of whose begins are long.
Run make_run(ScratchFile& file) {
  const LineOrder order;
  Run run;
  run.file = &file;
  BlockEncoder encoder{RecordOrder(order)};
  for (int block = 0; block < 20; ++block) {
    for (int i = 0; i < 5; ++i) {
      const std::string line = std::string(10 + 30 * (block / 7), 'x') + std::to_string(100 * (10 + block) + i);
      encoder.add({line, 0}, 0);
    }
    append_block(run, encoder.finish());
  }
  return run;
}

template <typename Read>
void expect_refused(const std::string& text, const Read& read, const std::string& where) {
  try {
    read(text);
    FAIL() << "accepted: " << where;
  } catch (const FormatError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find(kPath), std::string::npos) << words;
    EXPECT_NE(words.find("--restart"), std::string::npos) << words;
  }
}

template <typename Read>
void expect_all_damage_refused(const std::string& text, const Read& read) {
  ASSERT_NO_THROW(read(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int mask : {0x01, 0x20, 0x80, 0xFF}) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      expect_refused(damaged, read, "byte " + std::to_string(i));
    }
    expect_refused(text.substr(0, i), read, "cut to " + std::to_string(i));
  }
}

TEST(SortDescriptions, AreReadAsTheyWereWritten) {
  const SortDescription read = SortDescription::parse(description().serialize(), kPath);
  EXPECT_EQ(read.serialize(), description().serialize());
  EXPECT_EQ(read.difference_from(description()), "");
  EXPECT_EQ(read.options[2].second, "\t");
}

TEST(SortDescriptions, RefuseEveryDamage) {
  expect_all_damage_refused(description().serialize(),
                            [](const std::string& text) { SortDescription::parse(text, kPath); });
}

TEST(SortDescriptions, NameWhatDiffers) {
  const auto difference = [](const auto& change) {
    SortDescription now = description();
    change(now);
    return now.difference_from(description());
  };
  EXPECT_EQ(difference([](auto& sort) { sort.release = "2"; }), "the version of Spillway was 1.2.3 and is 2");
  EXPECT_EQ(difference([](auto& sort) { sort.options[0].second = "yes"; }), "-u was no and is yes");
  EXPECT_EQ(difference([](auto& sort) { sort.options[2].second = ","; }), "-t was \\x09 and is ,");
  EXPECT_EQ(difference([](auto& sort) { sort.options.pop_back(); }), "the number of options has changed");
  EXPECT_EQ(difference([](auto& sort) { sort.inputs.add({"x", "y"}, 1); }), "the number of inputs was 1 and is 2");
}

TEST(SortCommits, AreReadAsTheyWereWritten) {
  const SortCommit read = SortCommit::parse(commit().serialize(), kPath);
  EXPECT_EQ(read.serialize(), commit().serialize());
  EXPECT_EQ(read.done.offset, 2U);
  EXPECT_EQ(read.runs[1].table_hash, commit().runs[1].table_hash);
}

TEST(SortCommits, RefuseEveryDamage) {
  expect_all_damage_refused(commit().serialize(), [](const std::string& text) { SortCommit::parse(text, kPath); });
}

TEST(RunTables, AreReadAsTheyWereWritten) {
  testing::FaultyFileSystem files;
  const auto file = KeptFile::create(files, "/job/run");
  const spillway::Run run = make_run(*file);
  const auto table = write_run_table(run);
  const spillway::Run read = read_run_table(table, file->size(), kPath);
  EXPECT_EQ(write_run_table(read), table);
  EXPECT_EQ(read.further_bytes, run.further_bytes);
  ASSERT_EQ(read.blocks.size(), run.blocks.size());
  for (std::size_t i = 0; i < run.blocks.size(); ++i) {
    EXPECT_EQ(read.blocks[i].records_before, run.blocks[i].records_before);
    EXPECT_EQ(read.blocks[i].first_further, run.blocks[i].first_further);
  }
}

// The hash of a table keeps all damage out; what gets by it must not read beyond the table, or name bytes that the file
// does not have.
TEST(RunTables, NameNoBytesThatTheFileDoesNotHave) {
  testing::FaultyFileSystem files;
  const auto file = KeptFile::create(files, "/job/run");
  const auto table = write_run_table(make_run(*file));
  int refused = 0;
  const auto try_table = [&](std::span<const std::uint8_t> forged) {
    try {
      const spillway::Run run = read_run_table(forged, file->size(), kPath);
      for (const RunBlock& block : run.blocks) {
        EXPECT_LE(block.offset + block.stored_bytes, file->size());
        EXPECT_LE(block.raw_bytes, run.longest_raw);
      }
      for (BlockWalk walk(run); !walk.is_at_end(); walk.next()) EXPECT_LE(walk.first().size(), 4096U);
    } catch (const FormatError&) {
      ++refused;
    }
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (const int mask : {0x01, 0x40, 0x80, 0xFF}) {
      std::vector<std::uint8_t> forged = table;
      forged[i] = static_cast<std::uint8_t>(forged[i] ^ mask);
      try_table(forged);
    }
    try_table(std::span(table).first(i));
  }
  EXPECT_GT(refused, static_cast<int>(2 * table.size()));
  const std::uint64_t end = file->size() - KeptFile::kChecksumBytes;  // of the last piece
  EXPECT_NO_THROW(read_run_table(table, end, kPath));
  EXPECT_THROW(read_run_table(table, end - 1, kPath), FormatError);
}

TEST(KeptFiles, GiveBackWhatTheyTook) {
  testing::FaultyFileSystem files;
  const auto file = KeptFile::create(files, "/job/run");
  EXPECT_EQ(file->append(bytes_of("abc")), 0U);
  const std::uint64_t second = file->append(bytes_of("defgh"));
  file->finish(bytes_of("table"));
  const auto opened = KeptFile::open(files, "/job/run");
  for (const KeptFile* const one : {file.get(), opened.get()}) {
    std::vector<std::uint8_t> piece(5);
    one->read_at(second, piece);
    EXPECT_EQ(std::string(piece.begin(), piece.end()), "defgh");
    const auto end = one->read_end(file->size(), 5);
    EXPECT_EQ(std::string(end.begin(), end.end()), "table");
    EXPECT_THROW(one->read_end(file->size() + 1, 5), FormatError);
    EXPECT_THROW(one->read_at(second + 1, piece), FormatError) << "no piece begins there";
  }
}

TEST(KeptFiles, RefuseEveryDamageOfAPiece) {
  testing::FaultyFileSystem files;
  {
    const auto file = KeptFile::create(files, kPath.substr(0, 4) + "/run");
    file->append(bytes_of("abcdef"));
    file->append(bytes_of("abcdef"));
    file->finish({});
  }
  const std::string whole = files.get("/job/run");
  const std::size_t piece_bytes = whole.size() / 2;
  EXPECT_NE(whole.substr(0, piece_bytes), whole.substr(piece_bytes)) << "checksums are bound to their place";
  for (std::size_t i = piece_bytes; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    files.put("/job/run", damaged);
    const auto file = KeptFile::open(files, "/job/run");
    std::vector<std::uint8_t> piece(6);
    EXPECT_NO_THROW(file->read_at(0, piece));
    EXPECT_THROW(file->read_at(piece_bytes, piece), FormatError) << i;
  }
}

}  // namespace
}  // namespace spillway
