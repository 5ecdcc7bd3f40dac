// `spillway sort` as a program: options, messages, exit codes, and outputs that are inputs.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "tests/corpora/reader/packing.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;
using testing::ScratchDirectory;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasuresMemory = false;  // sanitizers take memory of their own
#else
constexpr bool kMeasuresMemory = true;
#endif

class SortCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name, std::ios::binary) << text;
    return scratch_ / name;
  }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  ProgramResult sort(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), "sort");
    return run_spillway(words, {.input = input});
  }
  ScratchDirectory scratch_;
};

TEST_F(SortCommand, SortsStandardInputAndFiles) {
  EXPECT_EQ(sort({}, "b\na\nc").out, "a\nb\nc\n");
  EXPECT_EQ(sort({"-", file("a", "y\nx")}, "z\nw").out, "w\nx\ny\nz\n");
}

TEST_F(SortCommand, BehavesAsSortUnderThatName) {
  std::filesystem::create_symlink(testing::program_path(), scratch_ / "sort");
  EXPECT_EQ(run_program({scratch_ / "sort", "-h"}, {.input = "1G\n2K\n"}).out, "2K\n1G\n");
  const ProgramResult refused = run_program({scratch_ / "sort", "-k", "0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "sort: field number is zero: invalid field specification '0'\n");
}

TEST_F(SortCommand, TakesOptionsAfterOperandsAndObsolescentKeys) {
  const std::string in = file("in", "a 2\nb 1\n");
  EXPECT_EQ(sort({in, "-k2"}).out, "b 1\na 2\n");
  EXPECT_EQ(sort({"+1", "-2", in}).out, "b 1\na 2\n");
  EXPECT_EQ(sort({"--rev", in}).out, "b 1\na 2\n");
  EXPECT_EQ(sort({"--p=1", "--un", "--out", scratch_ / "out", in}).exit_code, 0);  // and not additions
  EXPECT_EQ(content(scratch_ / "out"), "a 2\nb 1\n");
  EXPECT_EQ(sort({"--mem", "64M", in}).out, "a 2\nb 1\n");
}

TEST_F(SortCommand, RefusesWhatItCannotDoBeforeItReads) {
  const auto expect = [&](std::vector<std::string> words, const std::string& message) {
    const bool is_word = words.front().starts_with("--sort=");  // GNU sort has another code for such
    const ProgramResult result = sort(std::move(words));
    EXPECT_EQ(result.exit_code, is_word ? 1 : 2);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  expect({"/no/such/file"}, "cannot read: /no/such/file: No such file or directory");
  expect({"-o", "/no/such/directory/out", "/dev/null"}, "open failed: /no/such/directory/out");
  expect({"-nM"}, "options '-Mn' are incompatible");
  expect({"-o", "", "/dev/null"}, "open failed: ''");
  expect({"-t", "ab"}, "multi-character tab 'ab'");
  expect({"-S", "1x"}, "invalid suffix in -S argument '1x'");
  expect({"--sort=x"}, "invalid argument 'x' for '--sort'");
  expect({"--sorter=x", "/dev/null"}, "there is no string sorter 'x'");
  expect({"-c", "-o", "x"}, "options '-co' are incompatible");
  expect({"--no-such-option"}, "unrecognized option '--no-such-option'");
}

TEST_F(SortCommand, TakesLessMemoryThanWishedForWhereThereIsLess) {
  EXPECT_EQ(sort({"-S", "100T"}, "b\na\n").out, "a\nb\n");
  EXPECT_EQ(sort({"-S", "1b"}, "b\na\n").out, "a\nb\n");
}

TEST_F(SortCommand, ChecksTheOrder) {
  EXPECT_EQ(sort({"-c"}, "a\nb\nb\n").exit_code, 0);
  const ProgramResult disorder = sort({"-c"}, "a\nc\nb\n");
  EXPECT_EQ(disorder.exit_code, 1);
  EXPECT_NE(disorder.err.find("-:3: disorder: b\n"), std::string::npos) << disorder.err;
  EXPECT_EQ(sort({"-C", "-u"}, "a\na\n").exit_code, 1);
}

TEST_F(SortCommand, ReplacesAnInputAndKeepsItsMode) {
  const std::string path = file("in", "b\na\n");
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  std::filesystem::create_symlink(path, scratch_ / "link");
  ASSERT_EQ(sort({"-o", scratch_ / "link", path}).exit_code, 0);
  EXPECT_EQ(content(path), "a\nb\n");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch_ / "link"));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 2);
}

TEST_F(SortCommand, LeavesAnInputAloneThatItCannotReplace) {
  const std::string path = file("in", std::string(100000, 'b') + "\na\n");
  const ProgramResult result = run_spillway({"sort", "-o", path, path}, {.limits = {{RLIMIT_FSIZE, 4096}}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("write failed"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("about 100003 bytes"), std::string::npos) << result.err;
  EXPECT_EQ(content(path).size(), 100003u);
}

TEST_F(SortCommand, ReportsAFullDevice) {
  const ProgramResult result = run_spillway({"sort", file("in", "a\n")}, {.out_path = "/dev/full"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << result.err;
}

TEST_F(SortCommand, TellsWhatItCannotReadAsGnuSortDoes) {
  const auto message = [&](std::vector<std::string> words) { return sort(std::move(words)).err; };
  const std::string in = file("in", "a\n");
  EXPECT_EQ(message({scratch_.path()}), "spillway: sort: read failed: " + scratch_.path() + ": Is a directory\n");
  EXPECT_EQ(message({"-c", scratch_.path()}), message({scratch_.path()}));
  EXPECT_EQ(message({"--files0-from="}), "spillway: sort: open failed: '': No such file or directory\n");
  EXPECT_EQ(message({"-R", "--random-source=", in}), "spillway: sort: open failed: '': No such file or directory\n");
  EXPECT_EQ(run_program({"/bin/sh", "-c", "\"$1\" sort <&-", "sh", testing::program_path()}).err,
            "spillway: sort: stat failed: -: Bad file descriptor\n");
}

TEST_F(SortCommand, RaisesTheMemoryForALongLineUnlessItIsALimit) {
  const std::string line(40'000'000, 'x'), in = file("in", "z\n" + line + "\na\n");
  const ProgramResult raised = sort({"-S", "32M", in, "-o", scratch_ / "out"});
  EXPECT_EQ(raised.exit_code, 0);
  EXPECT_EQ(raised.err.find("warning: "), std::string("spillway: sort: ").size()) << raised.err;
  EXPECT_EQ(raised.err.find("warning: ", 30), std::string::npos) << raised.err;
  EXPECT_TRUE(content(scratch_ / "out") == "a\n" + line + "\nz\n");
  const ProgramResult refused = sort({"--memory", "32M", in});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--memory"), std::string::npos) << refused.err;
}

// The exit codes of a sort are those of GNU sort, also where those of Spillway differ.
TEST_F(SortCommand, EndsWithTwoWhereThereIsNoMemory) {
  if (!kMeasuresMemory) GTEST_SKIP() << "sanitizers need more address space";
  const std::string in = file("in", std::string(200'000'000, 'x') + "\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"sort", in}, {"sort", "-c", in}}) {
    const ProgramResult result = run_spillway(words, {.limits = {{RLIMIT_AS, std::size_t{200} << 20}}});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("sort: the system refused "), std::string::npos) << result.err;
  }
}

TEST_F(SortCommand, EndsBySigpipeWhateverTheOutputIsCalled) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"-o", "/dev/stdout"}}) {
    std::vector<std::string> all{"sort", file("in", "a\n")};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_spillway(all, {.close_out = true});
    EXPECT_EQ(result.signal, SIGPIPE) << result.err;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(SortCommand, LeavesStandardOutputToThoseWhoWriteAfterIt) {
  const std::string out = file("out", "old content");
  const std::string script = "exec >>\"$3\"; printf 'b\\na\\n' | \"$1\" sort -o /dev/stdout; echo after";
  EXPECT_EQ(run_program({"/bin/sh", "-c", script, "sh", testing::program_path(), "-", out}).exit_code, 0);
  EXPECT_EQ(content(out), "a\nb\nafter\n");
}

TEST_F(SortCommand, ChecksLongLines) {
  EXPECT_EQ(sort({"-c"}, std::string(5'000'000, 'a') + "\n" + std::string(5'000'000, 'a') + "b\n").exit_code, 0);
  EXPECT_EQ(sort({"-C"}, std::string(5'000'000, 'a') + "b\n" + std::string(5'000'000, 'a') + "\n").exit_code, 1);
}

TEST_F(SortCommand, ShowsTheKeysOfMuchTextThatIsInOrder) {
  std::string text, shown;
  for (unsigned i = 1'000'000; i < 1'200'000; ++i) {
    text += std::to_string(i) + "\n";
    shown += std::to_string(i) + "\n_______\n";
  }
  const ProgramResult result = sort({"--debug", file("in", text)});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out == shown);
}

class SortMerge : public SortCommand {
 protected:
  // Writes `count` sorted files of `lines` lines each and returns their names, each ended by a zero byte, and all
  // lines.
  std::pair<std::string, std::vector<std::string>> many_files(std::size_t count, std::size_t lines) const {
    std::string names;
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::vector<std::string> own;
      for (std::uint32_t line = 0; line < lines; ++line) {
        own.push_back(std::to_string((i * 977 + line) * 2654435761U % 1'000'003));
      }
      std::ranges::sort(own);
      all.insert(all.end(), own.begin(), own.end());
      names += file("in" + std::to_string(i), joined(own)) + '\0';
    }
    std::ranges::sort(all);
    return {names, all};
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
};

TEST_F(SortMerge, TakesThousandsOfInputsWithFewDescriptors) {
  const auto [names, all] = many_files(3000, 3);
  const ProgramResult result =
      run_spillway({"sort", "-m", "--files0-from=-", "-S", "32M", "-T", scratch_.path(), "-o", scratch_ / "out"},
                   {.input = names, .limits = {{RLIMIT_NOFILE, 64}}, .measure_memory = kMeasuresMemory});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(content(scratch_ / "out") == joined(all));
  EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105);
}

TEST_F(SortMerge, LosesNoLineOfInputsThatAreNotSorted) {
  std::vector<std::string> words{"-m", "--batch-size=2", "--block-bytes=16K", "-T", scratch_.path()}, all;
  for (std::uint32_t i = 0; i < 7; ++i) {
    std::vector<std::string> lines;
    for (std::uint32_t line = 0; line < 4000; ++line) lines.push_back(std::to_string((i + line * 7) * 2654435761U));
    all.insert(all.end(), lines.begin(), lines.end());
    words.push_back(file("in" + std::to_string(i), joined(lines)));
  }
  std::ranges::sort(all);
  for (const std::string option : {"-s", "-r", "-n"}) {
    words.push_back(option);
    std::istringstream merged(sort(words).out);
    std::vector<std::string> lines;
    for (std::string line; std::getline(merged, line);) lines.push_back(line);
    std::ranges::sort(lines);
    EXPECT_TRUE(lines == all) << option;
  }
}

TEST_F(SortMerge, ReadsAllOfAnInputBeforeItOverwritesIt) {
  std::vector<std::string> lines;
  for (unsigned i = 1'000'000; i < 1'300'000; ++i) lines.push_back(std::to_string(i));
  const std::string text = joined(lines), path = file("in", text), other = file("other", "0\n2\n");
  ASSERT_EQ(sort({"-m", "-o", path, other, path}).exit_code, 0);
  EXPECT_TRUE(content(path) == "0\n" + text + "2\n");
  file("in", text);
  // What standard output writes to is overwritten in place.
  const std::string script = "\"$1\" sort -m \"$2\" \"$3\" 1<>\"$3\"";
  ASSERT_EQ(run_program({"/bin/sh", "-c", script, "sh", testing::program_path(), other, path}).exit_code, 0);
  EXPECT_TRUE(content(path) == "0\n" + text + "2\n");
}

TEST_F(SortMerge, ReadsLongLinesAndStandardInputOnce) {
  const std::string line(5'000'000, 'm');
  EXPECT_TRUE(sort({"-m", file("a", "a\n" + line + "\nz"), "-", "-", "-S", "32M"}, "b\n" + line + "x\n").out ==
              "a\nb\n" + line + "\n" + line + "x\nz\n");
  const ProgramResult refused = sort({"-m", file("b", std::string(40'000'000, 'x')), "--memory", "32M"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--memory"), std::string::npos) << refused.err;
  EXPECT_EQ(sort({"-m"}, "").out, "");
}

TEST_F(SortCommand, UnpacksInputsByTheirContent) {
  const std::string packed = file("gzip", testing::gzip_member("b\nd") + testing::gzip_member("\n"));
  const std::string framed = file("zstd", testing::zstd_frame("a\ne\n")), plain = file("plain", "c");
  const std::string input = testing::gzip_member("f\n");
  for (const std::string option : {"--unpack=auto", "-s", "-m"}) {
    EXPECT_EQ(sort({option, packed, framed, plain, "-"}, input).out, "a\nb\nc\nd\ne\nf\n") << option;
    EXPECT_EQ(sort({option, "-"}, "f\n").out, "f\n") << option;
  }
  EXPECT_EQ(sort({"-c", packed}).exit_code, 0);
  EXPECT_EQ(sort({"-C"}, testing::gzip_member("b\na\n")).exit_code, 1);
  EXPECT_EQ(sort({"--unpack", "never", packed}).out.substr(0, 2), "\x1F\x8B");
  std::filesystem::create_symlink(testing::program_path(), scratch_ / "sort");
  EXPECT_EQ(run_program({scratch_ / "sort", packed}).out.substr(0, 2), "\x1F\x8B");
  EXPECT_EQ(run_program({scratch_ / "sort", "--unpack=auto", packed}).out, "b\nd\n");
}

TEST_F(SortCommand, RefusesPackedInputThatIsDamaged) {
  std::string text;
  for (unsigned i = 0; i < 100'000; ++i) text += std::to_string(1'000'000 + i) + "\n";
  const std::string gzip = testing::gzip_member(text), zstd = testing::zstd_frame(text, {.checksum = true});
  const auto changed = [](std::string bytes) {
    bytes[bytes.size() / 2] ^= '\x55';
    return bytes;
  };
  for (const std::string& damaged : {gzip.substr(0, gzip.size() - 5), zstd.substr(0, zstd.size() / 2), changed(gzip),
                                     changed(zstd), gzip + "garbage"}) {
    const std::string in = file("in", damaged);
    for (const std::string option : {"-s", "-m", "--block-bytes=64K"}) {
      const ProgramResult result = sort({option, in, "-o", scratch_ / "out", "-T", scratch_.path()});
      EXPECT_EQ(result.exit_code, 2) << option;
      EXPECT_NE(result.err.find(in + ": byte "), std::string::npos) << result.err;
      EXPECT_FALSE(std::filesystem::exists(scratch_ / "out")) << option;
    }
    EXPECT_EQ(sort({in, "-o", in}).exit_code, 2);
    EXPECT_TRUE(content(in) == damaged);
  }
  EXPECT_EQ(sort({"-c", file("in", gzip.substr(0, gzip.size() - 5))}).exit_code, 2);
}

TEST_F(SortCommand, KeepsItsMemoryWhileItUnpacks) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  std::string text;
  for (unsigned i = 0; i < 700'000; ++i) text += std::to_string(1'000'000'000 + i) + " and more text in the line\n";
  std::vector<std::string> words{"sort", "--memory", "64M", "-T", scratch_.path(), "-o", scratch_ / "out"};
  for (const std::string name : {"a", "b", "c", "d", "e"}) words.push_back(file(name, testing::zstd_frame(text)));
  for (const std::string option : {"-r", "-m"}) {
    words.push_back(option);
    const ProgramResult result = run_spillway(words, {.measure_memory = true});
    words.pop_back();
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(std::filesystem::file_size(scratch_ / "out"), 5 * text.size()) << option;
    EXPECT_LE(result.peak_resident_bytes, (std::size_t{64} << 20) / 100 * 105) << option;
  }
}

TEST_F(SortCommand, CountsLinesWithEqualKeys) {
  const std::string in = file("in", "b 2\na 1\nc 2\na 1\n");
  EXPECT_EQ(sort({"--count", in}).out, "      2 a 1\n      1 b 2\n      1 c 2\n");
  EXPECT_EQ(sort({"--count", "-k2", "-r", in}).out, "      2 b 2\n      2 a 1\n");
  EXPECT_EQ(sort({"--count", "-u", "-z"}, std::string("a\0a\0", 4)).out, std::string("      2 a\0", 10));
  EXPECT_EQ(sort({"--count", "-m", in, in, "-s"}).exit_code, 0);
  EXPECT_EQ(sort({"--count"}).out, "");
  EXPECT_EQ(sort({"--count", "-c", in}).exit_code, 2);
  EXPECT_EQ(sort({"--count", "--debug", in}).exit_code, 2);
}

TEST_F(SortCommand, CountsTheSameOutOfCore) {
  std::string text;
  std::map<std::string, std::size_t> counts;
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    const std::string line = std::to_string(i * 2654435761U % 5003 / (1 + i % 7));
    text += line + "\n";
    ++counts[line];
  }
  std::string expected;
  for (const auto& [line, count] : counts) {
    const std::string number = std::to_string(count);
    expected += std::string(7 - number.size(), ' ') + number + " " + line + "\n";
  }
  const std::string in = file("in", text);
  EXPECT_TRUE(sort({"--count", in}).out == expected);
  EXPECT_TRUE(sort({"--count", "--block-bytes=16K", "--batch-size=3", "-T", scratch_.path(), in}).out == expected);
}

TEST_F(SortCommand, PacksItsOutput) {
  std::string text, reversed;
  for (unsigned i = 1'000'000; i < 1'300'000; ++i) text += std::to_string(i) + "\n";
  for (unsigned i = 1'300'000; i-- > 1'000'000;) reversed += std::to_string(i) + "\n";
  const std::string in = file("in", text), out = scratch_ / "out.zst";
  for (const std::string option : {"-s", "-m", "--block-bytes=64K"}) {
    ASSERT_EQ(sort({"--output-compress=zstd", option, in, "-o", out, "-T", scratch_.path()}).exit_code, 0);
    EXPECT_LT(std::filesystem::file_size(out), text.size() / 4) << option;
    EXPECT_TRUE(sort({"-r", out}).out == reversed) << option;
  }
  EXPECT_EQ(sort({"-c", out}).exit_code, 0);
  EXPECT_EQ(sort({"--output-compress=zstd"}, "").out.substr(0, 4), "\x28\xB5\x2F\xFD");
  EXPECT_EQ(sort({"--output-compress=zstd", "--count"}, "a\n").exit_code, 0);
  for (const std::string option : {"-s", "-m", "--block-bytes=64K"}) {
    ASSERT_EQ(sort({"--output-compress=gzip", option, in, "-o", out, "-T", scratch_.path()}).exit_code, 0);
    EXPECT_LT(std::filesystem::file_size(out), text.size() / 3) << option;
    EXPECT_TRUE(run_program({"/bin/sh", "-c", "gzip -dc \"$1\"", "sh", out}).out == text) << option;
  }
  EXPECT_EQ(sort({"-c", out}).exit_code, 0);
  EXPECT_EQ(sort({"--output-compress=gzip"}, "").out.size(), 20u);  // a member without text
  EXPECT_EQ(sort({"--unpack=auto"}, sort({"--output-compress=gzip", "--head=1"}, "b\na\n").out).out, "a\n");
  EXPECT_EQ(sort({"--output-compress=x"}).exit_code, 2);
}

// Input of the shapes that take more memory than most, and the options that they are sorted with.
struct Shape {
  std::string name;
  std::function<std::string(std::uint32_t number)> line;
  std::size_t bytes;
  std::vector<std::string> options = {};
};

std::string scrambled(std::uint32_t number) {
  std::string digits = std::to_string(number * 2654435761U);
  return digits.insert(0, 10 - digits.size(), '0');
}

// Bytes that do not compress.
std::string noise(std::uint32_t number, std::size_t bytes) {
  std::mt19937 random(number);
  std::string text(bytes, ' ');
  for (char& byte : text) byte = static_cast<char>('!' + random() % 94);
  return text;
}

std::vector<Shape> memory_shapes() {
  const auto text = [](std::uint32_t number) { return scrambled(number) + " of " + scrambled(number / 7); };
  return {
      {"a prefix of 40 bytes", [](std::uint32_t number) { return std::string(40, 'p') + scrambled(number); },
       120 << 20},
      {"a prefix of 5000 bytes", [](std::uint32_t number) { return std::string(5000, 'p') + scrambled(number); },
       80 << 20},
      {"no text", [](std::uint32_t) { return std::string(); }, 60 << 20},
      {"1 byte", [](std::uint32_t number) { return std::string(1, scrambled(number).back()); }, 60 << 20},
      {"versions", text, 60 << 20, {"-V"}},
      {"20 KB", [](std::uint32_t number) { return noise(number, 20'000); }, 80 << 20},
      {"1 KB", [](std::uint32_t number) { return noise(number, 1000); }, 80 << 20},
      {"one key", [](std::uint32_t number) { return "k " + noise(number, 100); }, 80 << 20, {"-k1,1"}},
      {"one stable key", [](std::uint32_t number) { return "k " + noise(number, 100); }, 80 << 20, {"-s", "-k1,1"}},
      {"8 keys", text, 30 << 20, {"-k1V", "-k1.1V", "-k1.2V", "-k1.3V", "-k1.4V", "-k1f", "-k1d", "-k1i"}},
  };
}

TEST_F(SortCommand, KeepsItsMemoryWhateverTheLinesAre) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  for (const Shape& shape : memory_shapes()) {
    std::string text;
    for (std::uint32_t number = 1; text.size() < shape.bytes; ++number) text += shape.line(number) + "\n";
    const std::string in = file("in", text), out = scratch_ / "out";
    std::vector<std::string> words{"sort", "--memory", "32M", "--parallel", "2", "-T", scratch_.path(), in, "-o", out};
    words.insert(words.end(), shape.options.begin(), shape.options.end());
    const ProgramResult result = run_spillway(words, {.measure_memory = true});
    ASSERT_EQ(result.exit_code, 0) << shape.name << result.err;
    EXPECT_EQ(std::filesystem::file_size(out), text.size()) << shape.name;
    EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105) << shape.name;
    words = {"-c", out};
    words.insert(words.end(), shape.options.begin(), shape.options.end());
    EXPECT_EQ(sort(words).exit_code, 0) << shape.name;
  }
}

// Each thread of the merge has a block of each of many runs, and blocks differ in size.
TEST_F(SortCommand, KeepsItsMemoryWhereManyThreadsMergeManyRuns) {
  if (!kMeasuresMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  std::string text;
  for (std::uint32_t number = 1; text.size() < 150 << 20; ++number) {
    text += "/usr/share/doc/package-" + scrambled(number).substr(0, 5) + "/files/" + scrambled(number / 7) + "/name-" +
            scrambled(number) + ".gz\n";
  }
  const std::string in = file("in", text), out = scratch_ / "out";
  for (const char* const option : {"-R", "-V"}) {
    const ProgramResult result =
        run_spillway({"sort", "--memory", "32M", "--parallel", "4", "-T", scratch_.path(), option, in, "-o", out},
                     {.measure_memory = true});
    ASSERT_EQ(result.exit_code, 0) << option << result.err;
    EXPECT_EQ(std::filesystem::file_size(out), text.size()) << option;
    EXPECT_LE(result.peak_resident_bytes, (std::size_t{32} << 20) / 100 * 105) << option;
  }
}

TEST_F(SortCommand, SpillsWithinItsMemoryAndLeavesNoFiles) {
  std::string text;
  for (unsigned i = 0; i < 1'500'000; ++i) text += std::to_string(i * 2654435761U) + " and more text in the line\n";
  const std::string in = file("in", text), out = scratch_ / "out";
  const ProgramResult result =
      run_spillway({"sort", "-S", "40M", "-T", scratch_.path(), in, "-o", out}, {.measure_memory = kMeasuresMemory});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sort({"-c", out}).exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(out), text.size());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 2);
  EXPECT_LE(result.peak_resident_bytes, (std::size_t{40} << 20) / 100 * 105);
}

TEST_F(SortCommand, SortsPastThePageCache) {
  std::string text;
  for (unsigned i = 0; i < 300'000; ++i) text += std::to_string(i * 2654435761U) + " and more text\n";
  text += "a line without an end";
  const std::string in = file("in", text), out = scratch_ / "out", expected = sort({in}).out;
  for (const std::string option : {"-s", "--block-bytes=1M", "--head=300001", "--memory=40M", "--parallel=7"}) {
    const ProgramResult result = sort({"--direct-io", option, in, "-o", out, "-T", scratch_.path()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(testing::read_bytes(out) == expected) << option;
  }
  EXPECT_EQ(sort({"--direct-io", "-m", out, out, "-u", "-o", in}).exit_code, 0);
  EXPECT_TRUE(testing::read_bytes(in) == expected);
  EXPECT_EQ(sort({"--direct-io", in, "-o", in}).exit_code, 0);
  EXPECT_TRUE(testing::read_bytes(in) == expected);
  EXPECT_TRUE(sort({"--direct-io"}, "b\na\n").out == "a\nb\n");
  EXPECT_EQ(sort({"--direct-io", "-c", in}).exit_code, 2);
}

}  // namespace
}  // namespace spillway
