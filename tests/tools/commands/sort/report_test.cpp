// `spillway sort --json` and `--progress`.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/places.hpp"
#include "tests/tools/commands/sort/sort_command.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_program;

class SortReports : public testing::SortCommandTest {
 protected:
  static std::string numbers(unsigned count) {
    std::string text;
    for (unsigned i = count; i-- != 0;) text += std::to_string(i * 2654435761U) + "\n";
    return text;
  }
  json report() const { return json::parse(content(scratch_ / "report")); }
};

TEST_F(SortReports, TellWhatWasDone) {
  const std::string text = numbers(50'000), in = file("in", text);
  const ProgramResult result = sort({in, "-o", scratch_ / "out", "--json", scratch_ / "report", "--memory=64M"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json found = report();
  EXPECT_EQ(found["command"], "sort");
  EXPECT_EQ(found["exit_code"], 0);
  EXPECT_TRUE(found["error"].is_null());
  EXPECT_EQ(found["inputs"], json::array({in}));
  EXPECT_EQ(found["output"], scratch_ / "out");
  EXPECT_EQ(found["input_bytes"], text.size());
  EXPECT_EQ(found["output_bytes"], text.size());
  EXPECT_EQ(found["lines"], 50'000);
  EXPECT_EQ(found["runs"], 0);
  EXPECT_EQ(found["spilled_bytes"], 0);
  EXPECT_EQ(found["memory_bytes"], 64 << 20);
  EXPECT_EQ(found["sorter"], "auto");
  EXPECT_GT(found["peak_resident_bytes"], 1 << 20);
  EXPECT_EQ(found["stages"].size(), 5);
  double seconds = 0;
  for (const json& stage : found["stages"]) seconds += stage["wall_seconds"].get<double>();
  EXPECT_LE(seconds, found["seconds"].get<double>());
}

TEST_F(SortReports, CountRunsAndWhatWasRead) {
  const std::string text = numbers(50'000), in = file("in", text), path = scratch_ / "report";
  const Words words{in, "-o", scratch_ / "out", "--json", path, "--force", "--block-bytes=100K"};
  const auto with = [&](const Words& more) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(sort(all).exit_code, 0);
    const json found = report();
    EXPECT_EQ(found["input_bytes"], text.size() * (more.back() == in ? 2 : 1));
    EXPECT_EQ(found["lines"], 50'000 * (more.back() == in ? 2 : 1));
    EXPECT_EQ(found["output_bytes"], std::filesystem::file_size(scratch_ / "out"));
    return found;
  };
  const json spilled = with({"-s"});
  EXPECT_GT(spilled["runs"], 5);
  EXPECT_GT(spilled["spilled_bytes"], text.size() / 10);
  EXPECT_EQ(with({"--head=10"})["runs"], 0);
  EXPECT_EQ(with({"--output-compress=zstd"})["command"], "sort");
  EXPECT_TRUE(with({"-m", in})["sorter"].is_null());
}

TEST_F(SortReports, TellWhyASortFailed) {
  const std::string in = file("in", numbers(20'000));
  const ProgramResult result =
      sort({in, "-o", scratch_ / "out", "--json", scratch_ / "report", "--block-bytes=64K", "--temp-limit=1K"});
  EXPECT_EQ(result.exit_code, 2);
  const json found = report();
  EXPECT_EQ(found["exit_code"], 2);
  EXPECT_NE(found["error"].get<std::string>().find("--temp-limit"), std::string::npos);
  EXPECT_NE(result.err.find(found["error"].get<std::string>()), std::string::npos) << result.err;
}

TEST_F(SortReports, TellOfInputsThatAreMissing) {
  const std::string in = file("in", "b\na\n"), missing = scratch_ / "missing";
  for (const Words& more : {Words{}, Words{"-m"}, Words{"-o", scratch_ / "out"}}) {
    Words words{in, missing, "--json", scratch_ / "report", "--force"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(sort(words).exit_code, 2);
    EXPECT_EQ(report()["exit_code"], 2);
    EXPECT_EQ(report()["error"], "cannot read: " + missing + ": No such file or directory");
    std::filesystem::remove(scratch_ / "report");
  }
}

TEST_F(SortReports, GoWhereNothingElseIs) {
  const std::string in = file("in", "b\na\n"), out = scratch_ / "out";
  const auto refused = [&](Words words) {
    words.push_back(in);
    const ProgramResult result = sort(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(content(in), "b\na\n");
    return result.err;
  };
  EXPECT_NE(refused({"--json=-"}).find("would both go to standard output"), std::string::npos);
  EXPECT_NE(refused({"--json", out, "-o", out}).find("is the output of -o too"), std::string::npos);
  EXPECT_NE(refused({"--json", in, "--force"}).find("is, or is inside, the input"), std::string::npos);
  EXPECT_NE(refused({"--json", file("old", "")}).find("--force replaces it"), std::string::npos);
  EXPECT_NE(refused({"--json", out, "-c"}).find("options '--json -c' are incompatible"), std::string::npos);
  EXPECT_NE(refused({"--progress", "-C"}).find("options '--progress -c' are incompatible"), std::string::npos);
  EXPECT_EQ(json::parse(sort({"--json=-", in, "-o", out}).out)["lines"], 2);
  EXPECT_EQ(content(out), "a\nb\n");
}

TEST_F(SortReports, ShowProgressWhileInputIsAwaited) {
  const std::string in = file("in", "b\n" + std::string(997, 'a') + "\n");
  const std::string script = "(cat \"$2\"; sleep 5.5) | \"$1\" sort --progress";
  const ProgramResult result = run_program({"/bin/sh", "-c", script, "sh", testing::program_path(), in});
  EXPECT_EQ(result.out, std::string(997, 'a') + "\nb\n");
  EXPECT_EQ(result.err, "read: 1.00 KB, 0.00 MB/s, 0 lines\n");
}

}  // namespace
}  // namespace spillway
