// `bench paper`: the list of tables and figures, what runs for them, and going on after an interruption.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "corpora/synthetic/key_set.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/bench/modes/variant.hpp"
#include "tools/bench/paper/item.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::read_bytes;
using testing::run_spillway;
using testing::ScratchDirectory;
using testing::write_bytes;

std::set<std::string> names_of_sorters() {
  std::set<std::string> names;
  for (const auto* sorter : record_sorters()) names.emplace(sorter->name());
  for (const auto* sorter : gpu_record_sorters()) names.emplace(sorter->name());
  for (const auto* sorter : string_sorters()) names.emplace(sorter->name());
  for (const auto* sorter : gpu_string_sorters()) names.emplace(sorter->name());
  return names;
}

void check_names(const KeysRun& run) {
  for (const std::string& name : run.sorters) EXPECT_TRUE(names_of_sorters().contains(name)) << name;
  for (const std::string& name : run.distributions) {
    const auto& all = key_distributions();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; })) << name;
  }
}
void check_names(const StringsRun& run) {
  for (const std::string& name : run.sorters) EXPECT_TRUE(names_of_sorters().contains(name)) << name;
  for (const std::string& name : run.sets) EXPECT_EQ(find_string_set(name).name, name);
  if (find_gpus().state == GpuState::kNotBuilt) return;
  for (const std::string& name : run.variants) EXPECT_NE(find_device_string_contestant(name), nullptr) << name;
}
void check_names(const SetsRun& run) {
  for (const std::string& name : run.sets) EXPECT_EQ(find_string_set(name).name, name);
}
void check_names(const ModesRun& run) {
  for (const std::string& name : run.modes) EXPECT_EQ(parse_mode_variant(name).text, name);
}

TEST(Papers, HaveARowForEveryTableAndFigure) {
  std::map<std::string, std::set<std::string>> ids;
  for (const Paper& paper : papers()) {
    for (const PaperItem& item : paper.items) EXPECT_TRUE(ids[paper.name].insert(item.id).second) << item.id;
  }
  ASSERT_EQ(ids.size(), 5u);
  const std::map<std::string, std::vector<std::string>> kExpected{
      {"satish2009",
       {"figure 1", "figure 2", "figure 3", "figure 4", "figure 5", "figure 6", "figure 7", "figure 8a", "figure 8b"}},
      {"davidson2012",
       {"figure 1", "figure 2", "figure 3", "figure 4", "figure 5", "figure 6", "figure 7a", "figure 7b", "figure 8a",
        "figure 8b", "figure 9a", "figure 9b"}},
      {"capannini2012",
       {"figure 1", "figure 2", "figure 3", "figure 4", "figure 5", "figure 6", "figure 7", "figure 8a", "figure 8b",
        "section 6.1", "table 1", "table 2"}},
      {"deshpande2013",
       {"figure 1", "figure 2", "figure 3", "figure 4", "table I", "table II", "table III", "table IV", "table V",
        "table VI", "table VII", "table VIII"}},
      {"drozd2014", {"figure 1", "figure 2", "figure 3", "figure 4", "figure 5", "figure 6", "figure 7", "figure 8"}}};
  for (const auto& [paper, items] : kExpected) {
    for (const std::string& id : items) EXPECT_TRUE(ids[paper].contains(id)) << paper << " " << id;
  }
}

TEST(Papers, RunWhatThereIsOrSayWhyNot) {
  for (const Paper& paper : papers()) {
    for (const PaperItem& item : paper.items) {
      const bool is_in_another_row = !item.stand_in.empty();
      EXPECT_FALSE(item.runs.empty() && item.left_out.empty() && !is_in_another_row) << paper.name << " " << item.id;
      EXPECT_TRUE(item.runs.empty() || !item.stand_in.empty()) << paper.name << " " << item.id;
      for (const PaperRun& run : item.runs) std::visit([](const auto& one) { check_names(one); }, run);
    }
  }
}

std::string row_of_page(const PaperItem& item) {
  const std::string left_out =
      item.left_out.empty() || item.stand_in.empty() ? item.left_out : " Left out: " + item.left_out;
  return "\n| " + item.id + " | " + item.title + " | " + paper_item_place(item) + " | " + item.stand_in + left_out +
         " |\n";
}

// bench/paper_figures.py writes them.
TEST(Papers, StandInTheirPageOfTheDocs) {
  const std::string page = read_bytes(testing::source_directory() + "/docs/papers.md");
  for (const Paper& paper : papers()) {
    const std::size_t begin = page.find("## `" + paper.name + "`");
    ASSERT_NE(begin, std::string::npos) << paper.name;
    const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
    for (const PaperItem& item : paper.items) {
      EXPECT_NE(section.find(row_of_page(item)), std::string::npos) << item.id << ": run bench/paper_figures.py";
    }
  }
}

class BenchPaper : public ::testing::Test {
 protected:
  ProgramResult bench(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"bench", "paper"};
    all.insert(all.end(), words.begin(), words.end());
    for (const char* word : {"--quick", "--scratch"}) all.emplace_back(word);
    all.push_back(scratch_.path());
    return run_spillway(all);
  }
  json report() const { return json::parse(read_bytes(json_)); }

  ScratchDirectory scratch_;
  const std::string json_ = scratch_ / "paper.json", partial_ = json_ + ".partial";
};

// They take 9 s or more each.
class SlowBenchPaper : public BenchPaper {};

TEST_F(BenchPaper, GivesTheSetsOfTheTableWithThePapersFigures) {
  const ProgramResult result = bench({"deshpande2013", "--item", "table I", "--json", json_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json item = report().at("items").at(0);
  EXPECT_EQ(item.at("status"), "measured");
  EXPECT_EQ(item.at("runs").at(0).at("cases").size(), 10u);
  EXPECT_EQ(item.at("paper_figures").at(0).at("points").at(0), (json{{"at", "artificial-2"}, {"value", 98}}));
  EXPECT_NE(result.out.find("artificial-2, 100,000 strings"), std::string::npos) << result.out;
  EXPECT_TRUE(result.out.ends_with("\nTables and figures: measured: 1\n")) << result.out;
  EXPECT_FALSE(std::filesystem::exists(partial_)) << "it is done";
}

TEST_F(BenchPaper, SaysThatAPartNeedsAGpu) {
  if (find_gpus().state == GpuState::kUsable) GTEST_SKIP() << "there is a GPU";
  ASSERT_EQ(bench({"satish2009", "--item", "figure 3", "--json", json_}).exit_code, 0);
  EXPECT_EQ(report().at("items").at(0).at("status"), "needs a GPU");
  EXPECT_TRUE(report().at("items").at(0).at("runs").empty());
  const ProgramResult part = bench({"deshpande2013", "--item", "table VIII", "--json", json_, "--force"});
  ASSERT_EQ(part.exit_code, 0) << part.err;
  EXPECT_EQ(report().at("items").at(0).at("status"), "CPU part");
  EXPECT_NE(part.err.find("only the parts for the CPU"), std::string::npos) << part.err;
  EXPECT_TRUE(part.out.ends_with("\nTables and figures: CPU part: 1\n")) << part.out;
  const ProgramResult elsewhere = bench({"satish2009", "--item", "figure 4"});
  EXPECT_NE(elsewhere.out.find("    here: The rates of the runs of figure 3.\n"), std::string::npos) << elsewhere.out;
  EXPECT_EQ(bench({"satish2009", "--require-gpu"}).exit_code, 6);
}

TEST_F(SlowBenchPaper, MeasuresJobsOfSeveralSizes) {
  ASSERT_EQ(bench({"capannini2012", "--item", "table 2", "--json", json_}).exit_code, 0);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  ASSERT_EQ(cases.size(), 6u);
  for (std::size_t i = 1; i < cases.size(); ++i) {
    EXPECT_GT(cases[i].at("input_bytes").get<double>(), 1.8 * cases[i - 1].at("input_bytes").get<double>());
  }
  EXPECT_GE(cases[0].at("modes").size(), 2u);
  const ProgramResult page = run_spillway({"bench", "report", json_, "-o", "-"});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_NE(page.out.find("Time over the size of the collection"), std::string::npos);
  EXPECT_NE(page.out.find("1677 s"), std::string::npos) << "the paper's figure, 1676.82 s";
}

// The first lines of a file, each time twice as many bytes, until it has no more.
TEST_F(BenchPaper, IndexesTheLinesOfAFile) {
  std::string lines;
  for (int i = 0; i < 9'000; ++i) {
    lines += R"({"id":")" + std::to_string(100'000 + i) + R"(","text":"a few words that every line has, and )" +
             std::to_string(i) + "\"}\n";
  }
  const std::string text = scratch_ / "text.jsonl";
  write_bytes(text, lines);
  const std::size_t line_bytes = lines.find('\n') + 1, most = lines.size();
  ASSERT_GT(most, 500'000u);
  const ProgramResult result = bench({"capannini2012", "--item", "table 2", "--json", json_, "--text", text});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(report().at("options").at("text"), text);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_LE(cases[0].at("input_bytes"), 250'000);
  EXPECT_GT(cases[0].at("input_bytes"), 250'000 - 2 * line_bytes);
  EXPECT_EQ(cases[2].at("input_bytes"), most);
  EXPECT_EQ(cases[2].at("documents"), 9'000);
  const ProgramResult missing = bench({"capannini2012", "--item", "table 2", "--text", scratch_ / "none"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("none"), std::string::npos) << missing.err;
  const ProgramResult unused = bench({"satish2009", "--item", "figure 3", "--text", text});
  EXPECT_EQ(unused.exit_code, 2);
  EXPECT_NE(unused.err.find("table 2"), std::string::npos) << unused.err;
  write_bytes(text, "");
  const ProgramResult empty = bench({"capannini2012", "--item", "table 2", "--text", text});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_NE(empty.err.find("empty"), std::string::npos) << empty.err;
}

TEST_F(BenchPaper, IndexesALineThatIsLongerThanASize) {
  const std::string text = scratch_ / "text.jsonl";
  const auto line = [](const std::string& id, std::size_t bytes) {
    return R"({"id":")" + id + R"(","text":")" + std::string(bytes, 'x') + "\"}\n";
  };
  write_bytes(text, line("a", 1'200'000) + line("b", 400'000) + line("c", 5'000'000));
  ASSERT_EQ(bench({"capannini2012", "--item", "table 2", "--json", json_, "--text", text}).exit_code, 0);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  std::vector<int> documents;
  for (const json& one : cases) documents.push_back(one.at("documents"));
  EXPECT_EQ(documents, (std::vector<int>{1, 2, 3}));
}

TEST_F(SlowBenchPaper, SortsSeveralArraysOfADistribution) {
  ASSERT_EQ(bench({"capannini2012", "--item", "figure 5", "--json", json_, "--threads", "2"}).exit_code, 0);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  EXPECT_FALSE(cases.empty());
  for (const json& one : cases) {
    EXPECT_EQ(one.at("arrays"), 3);
    EXPECT_EQ(one.at("sorters").at(0).at("sort_seconds").at("rounds").size(), 3u);
  }
}

TEST_F(BenchPaper, ScalesTies) {
  const ProgramResult result = bench({"deshpande2013", "--item", "figure 4", "--json", json_, "--threads", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::map<std::string, double> ties;
  const json item = report().at("items").at(0);
  for (const json& run : item.at("runs")) {
    for (const json& one : run.at("cases")) ties[one.at("set")] = one.at("mean_tie_bytes");
  }
  EXPECT_EQ(ties.size(), 10u);
  EXPECT_NEAR(ties.at("words, each byte 4 times"), 4 * ties.at("words"), 0.01 * ties.at("words"));
  EXPECT_LT(ties.at("pc-filelist, 1 byte of 4"), ties.at("pc-filelist") / 3);
  EXPECT_NE(result.out.find("words, each byte 2 times, 100,000 strings  cpu-multikey"), std::string::npos)
      << "a long name has a space after it: " << result.out;
}

// The steps of cpu-msd are parts of its time; with one thread their work is their wall time.
TEST_F(BenchPaper, SplitsTheTimeOfASorterThatHasAClock) {
  ASSERT_EQ(bench({"drozd2014", "--item", "figure 3", "--json", json_, "--threads", "1"}).exit_code, 0);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  ASSERT_EQ(cases.size(), 2u);
  for (const json& one : cases) {
    const json& sorter = one.at("sorters").at(0);
    ASSERT_EQ(sorter.at("steps").size(), 4u);
    double wall = 0, work = 0;
    for (const json& step : sorter.at("steps")) {
      wall += step.at("wall_seconds").at("median").get<double>();
      work += step.at("work_seconds").at("median").get<double>();
    }
    const double whole = sorter.at("sort_seconds").at("median");
    EXPECT_GT(wall, 0.7 * whole) << one.at("set");
    EXPECT_LT(wall, 1.1 * whole) << one.at("set");
    EXPECT_GT(work, 0.6 * wall) << one.at("set");
    EXPECT_LT(work, 1.1 * wall) << one.at("set");
  }
  const ProgramResult page = run_spillway({"bench", "report", json_, "-o", "-"});
  EXPECT_NE(page.out.find("Work of the steps"), std::string::npos) << page.err;
}

TEST_F(BenchPaper, CountsEveryStringInItsHistograms) {
  ASSERT_EQ(bench({"davidson2012", "--item", "figure 9a", "--json", json_}).exit_code, 0);
  const json cases = report().at("items").at(0).at("runs").at(0).at("cases");
  ASSERT_EQ(cases.size(), 3u);
  for (const json& one : cases) {
    for (const char* name : {"lengths", "ties"}) {
      std::uint64_t strings = 0;
      for (const json& count : one.at("histograms").at(name)) strings += count.get<std::uint64_t>();
      EXPECT_EQ(strings, one.at("strings").get<std::uint64_t>()) << name;
    }
  }
  const ProgramResult page = run_spillway({"bench", "report", json_, "-o", "-"});
  EXPECT_NE(page.out.find("same first four bytes"), std::string::npos) << page.err;
}

TEST_F(BenchPaper, ListsRowsWithoutMeasuring) {
  const ProgramResult result = bench({"capannini2012", "--list", "--json", json_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("figure 5: Time by size and distribution: both\n"), std::string::npos) << result.out;
  std::map<std::string, std::string> places;
  const json items = report().at("items");
  for (const json& item : items) {
    EXPECT_TRUE(item.at("runs").empty()) << item.at("id");
    places[item.at("id")] = item.at("place");
  }
  EXPECT_EQ(places.at("table 1"), "script");
  EXPECT_EQ(places.at("figure 8b"), "GPU");
  EXPECT_EQ(places.at("figure 1"), "-");
  EXPECT_EQ(run_spillway({"bench", "report", json_, "-o", "-"}).exit_code, 0);
  ASSERT_EQ(bench({"deshpande2013", "--list", "--item", "table I", "--json", json_, "--force"}).exit_code, 0);
  ASSERT_EQ(report().at("items").size(), 1u);
  EXPECT_EQ(report().at("items").at(0).at("place"), "CPU");
}

// Drawings and what cannot run have their rows, too.
TEST_F(BenchPaper, HasARowForWhatDoesNotRun) {
  ASSERT_EQ(bench({"deshpande2013", "--item", "table VII", "--json", json_}).exit_code, 0);
  EXPECT_EQ(report().at("items").at(0).at("status"), "not run");
  EXPECT_NE(report().at("items").at(0).at("left_out").get<std::string>().find("one generation"), std::string::npos);
}

TEST_F(BenchPaper, GoesOnAfterAnInterruption) {
  const std::vector<std::string> words{"deshpande2013", "--item", "table I", "--json", json_, "--force"};
  ASSERT_EQ(bench(words).exit_code, 0);
  json options = report().at("options");
  options["commit"] = report().at("commit");
  json item = report().at("items").at(0);
  item["title"] = "from before";
  write_bytes(partial_, json{{"options", options}, {"items", {item}}}.dump());
  const ProgramResult result = bench(words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("1 tables and figures are done"), std::string::npos) << result.err;
  EXPECT_EQ(report().at("items").at(0).at("title"), "from before");
  EXPECT_FALSE(std::filesystem::exists(partial_));
}

// An item without its members ended the benchmark with an error of the JSON library.
TEST_F(BenchPaper, RefusesToGoOnWithADamagedItem) {
  const std::vector<std::string> words{"deshpande2013", "--item", "table I", "--json", json_, "--force"};
  ASSERT_EQ(bench(words).exit_code, 0);
  json options = report().at("options");
  options["commit"] = report().at("commit");
  const json whole = report().at("items").at(0);
  for (const char* member : {"id", "title", "left_out", "runs", "status", "paper_figures"}) {
    json item = whole;
    item.erase(member);
    write_bytes(partial_, json{{"options", options}, {"items", {whole, item}}}.dump());
    const ProgramResult result = bench(words);
    EXPECT_EQ(result.exit_code, 5) << member;
    EXPECT_NE(result.err.find("at /items/1: expected a row of bench paper with all its members; it is damaged: give "),
              std::string::npos)
        << member << ": " << result.err;
  }
}

TEST_F(BenchPaper, RefusesToGoOnWithOtherOptionsUnlessItBeginsAnew) {
  write_bytes(partial_, "{\"options\":{},\"items\":[]}");
  const std::vector<std::string> words{"satish2009", "--item", "figure 1", "--json", json_};
  const ProgramResult other = bench(words);
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("--restart"), std::string::npos) << other.err;
  write_bytes(partial_, "{\"options\"");
  const ProgramResult damaged = bench(words);
  EXPECT_EQ(damaged.exit_code, 5);
  EXPECT_NE(damaged.err.find("byte 11: "), std::string::npos) << damaged.err;
  write_bytes(partial_, "{\"options\":1e999}");
  const ProgramResult beyond = bench(words);
  EXPECT_EQ(beyond.exit_code, 5);
  EXPECT_NE(beyond.err.find("numbers in range: "), std::string::npos) << beyond.err;
  EXPECT_NE(beyond.err.find("it is damaged: give --restart to begin anew"), std::string::npos) << beyond.err;
  std::vector<std::string> anew = words;
  anew.emplace_back("--restart");
  EXPECT_EQ(bench(anew).exit_code, 0);
}

TEST_F(BenchPaper, NamesWhatThereIs) {
  const ProgramResult paper = bench({"satish2010"}), item = bench({"satish2009", "--item", "figure 9"});
  EXPECT_EQ(paper.exit_code, 2);
  EXPECT_NE(paper.err.find("deshpande2013"), std::string::npos) << paper.err;
  EXPECT_EQ(item.exit_code, 2);
  EXPECT_NE(item.err.find("figure 8b"), std::string::npos) << item.err;
}

}  // namespace
}  // namespace spillway
