// Pages in a real browser (Debian's package chromium): no errors of scripts, plots within their widths, contrast, keys
// and legends, at the widths of a phone and of a desk, in the light and in the dark, and without a script.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::read_bytes;
using testing::run_program;
using testing::run_spillway;
using testing::ScratchDirectory;
using testing::write_bytes;

// The program of a browser on the PATH; empty without one.
std::string find_chromium() {
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      std::error_code ignored;
      if (std::filesystem::exists(directory + "/" + name, ignored)) return directory + "/" + name;
    }
  }
  return "";
}

enum class Colours { kLight, kDark };
enum class Script { kRuns, kNone };

class SlowBrowserPages : public ::testing::Test {
 protected:
  void SetUp() override {
    chromium_ = find_chromium();
    if (chromium_.empty()) GTEST_SKIP() << "no chromium on the PATH (package chromium)";
    make_pages();
  }

  // One page of every kind of report: published ones, whose plots are the same every time, and a job.
  void make_pages() {
    const std::string input = scratch_ / "in.jsonl", results = testing::source_directory() + "/docs/results/";
    write_bytes(input, "{\"id\":\"1\",\"text\":\"a b c\"}\n{\"id\":\"2\",\"text\":\"c d\"}\nno\n");
    run({"index", input, "-o", scratch_ / "index", "--json", scratch_ / "job.json", "--report", scratch_ / "job.html",
         "--max-error-rate", "0.5", "-q"});
    run({"bench", "paper", "deshpande2013", "--quick", "--item", "table I", "--json", scratch_ / "paper.json",
         "--scratch", scratch_.path()});
    run({"bench", "report", results + "h200_records.json", results + "h200_distributions.json",
         results + "h200_strings.json", results + "h200_modes_8g.json", results + "h200_table2_16.json",
         results + "calibration_h200.json", results + "sweep_h100.json", results + "papers/h100/satish2009.json",
         results + "papers/h100/capannini2012_table_2.json", results + "papers/h100/deshpande2013_table_III.json",
         results + "papers/h100/sort_counters.json", results + "papers/h100/drozd2014_figure_2.json",
         scratch_ / "job.json", scratch_ / "paper.json", "-o", scratch_ / "page.html"});
  }

  void run(const std::vector<std::string>& words) {
    const ProgramResult result = run_spillway(words);
    ASSERT_EQ(result.exit_code, 0) << words[0] << " " << words[1] << ": " << result.err;
  }

  // The page after its scripts, and messages of the browser's console.
  ProgramResult browse(const std::string& page, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{chromium_,
                                   "--headless=new",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--allow-file-access-from-files",
                                   "--window-size=1700,1000",
                                   "--virtual-time-budget=20000",
                                   "--enable-logging=stderr",
                                   "--user-data-dir=" + (scratch_ / "profile")};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--dump-dom", "file://" + page});
    return run_program(words, {.environment = {"HOME=" + scratch_.path()}});
  }

  // Returns the faults that browser_checks.js finds in a page.
  std::string check(const std::string& page, Colours colours, Script script = Script::kRuns) {
    const bool dark = colours == Colours::kDark;
    std::string html = read_bytes(page);
    const std::string listener =
        "<script>window.scriptErrors=[];window.addEventListener('error',(e)=>window.scriptErrors.push(e.message));"
        "</script>";
    html.insert(html.find("<style>"), listener);
    write_bytes(scratch_ / "tested.html", html);
    std::string frames;
    for (const char* width : {"360", "1280"}) {
      frames += "<iframe src=\"tested.html\" width=\"" + std::string(width) +
                "\" height=\"900\" style=\"border:0\"></iframe>";
    }
    write_bytes(scratch_ / "checks.html",
                "<!doctype html><body data-dark=\"" + std::string(dark ? "yes" : "no") + "\" data-script=\"" +
                    (script == Script::kRuns ? "yes" : "no") + "\">" + frames + "<pre id=\"result\"></pre><script>" +
                    read_bytes(testing::source_directory() + "/tests/tools/report_page/browser_checks.js") +
                    "</script></body>");
    const ProgramResult result =
        browse(scratch_ / "checks.html",
               {std::string("--blink-settings=preferredColorScheme=") + (dark ? "0" : "1")});  // 0: dark
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string begin = "<pre id=\"result\">";
    const std::size_t at = result.out.find(begin);
    if (at == std::string::npos) return "the browser made no result: " + result.err;
    return result.out.substr(at + begin.size(), result.out.find("</pre>", at) - at - begin.size());
  }

  std::string chromium_;
  ScratchDirectory scratch_;
};

TEST_F(SlowBrowserPages, HoldAtTheWidthsOfAPhoneAndADesk) {
  EXPECT_EQ(check(scratch_ / "page.html", Colours::kLight), "done: 0\n");
  EXPECT_EQ(check(scratch_ / "page.html", Colours::kDark), "done: 0\n") << "in the dark";
}

// The checks must be able to fail.
TEST_F(SlowBrowserPages, AreFoundWrongWhereTheyAre) {
  std::string html = read_bytes(scratch_ / "page.html");
  html.insert(html.find("</main>"), "<div style=\"width:2000px\">wide</div>");
  const std::size_t script = html.find("'use strict';");
  html.insert(script + 13, "\nmissing.call();\n");
  write_bytes(scratch_ / "wrong.html", html);
  const std::string found = check(scratch_ / "wrong.html", Colours::kLight);
  EXPECT_NE(found.find("360 px: the page is wider than its window by "), std::string::npos) << found;
  EXPECT_NE(found.find("missing is not defined"), std::string::npos) << found;
}

// There are the same plots and tables, and values on hover.
TEST_F(SlowBrowserPages, HoldWithoutTheirScript) {
  std::string html = read_bytes(scratch_ / "page.html");
  const std::size_t begin = html.find("<script>");
  html.erase(begin, html.find("</script>") + 9 - begin);
  write_bytes(scratch_ / "plain.html", html);
  EXPECT_EQ(check(scratch_ / "plain.html", Colours::kLight, Script::kNone), "done: 0\n");
}

}  // namespace
}  // namespace spillway
