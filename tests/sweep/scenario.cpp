#include "tests/sweep/scenario.hpp"

#include <algorithm>
#include <random>

#include "tests/sweep/program.hpp"
#include "tests/sweep/sort_scenarios.hpp"

namespace spillway::sweep {

namespace {

constexpr const char* kOutput = "place/out";

std::string word(std::mt19937_64& random) {
  const std::uint64_t rank = random() % (random() % 300 + 1);
  if (rank % 29 == 7) return "größe" + std::to_string(rank);
  if (rank % 31 == 5) return "東京都庁舎";
  return "word" + std::to_string(rank * rank % 977);
}

std::string text(std::mt19937_64& random, std::size_t words) {
  std::string result;
  for (std::size_t i = 0; i < words; ++i) result += (i == 0 ? "" : " ") + word(random);
  return result;
}

// Some ids occur twice.
std::string jsonl(std::uint64_t seed, std::size_t documents, std::size_t words) {
  std::mt19937_64 random(seed);
  std::string result;
  for (std::size_t i = 0; i < documents; ++i) {
    const std::uint64_t number = random() % 8 == 0 ? i / 2 : i;
    result += R"({"id":")" + std::to_string(number * 7919 % 10007) + "-" + std::to_string(seed) + R"(","title":")" +
              text(random, 3) + R"(","url":"https://example.org/)" + std::to_string(i) + R"(","text":")" +
              text(random, random() % (2 * words)) + "\"}\n";
  }
  return result;
}

// Two of three records are revisits: of a page, of a revisit of it, or of nothing.
std::string warc(std::uint64_t seed, std::size_t records) {
  std::mt19937_64 random(seed);
  std::string result;
  for (std::size_t i = 0; i < records; ++i) {
    const bool is_page = i % 3 == 0;
    const std::string block = is_page ? "<html><title>" + text(random, 3) + "</title>" + text(random, 50) : "";
    result += std::string("WARC/1.0\r\nWARC-Type: ") + (is_page ? "resource" : "revisit") + "\r\nWARC-Record-ID: <" +
              std::to_string(i) + ">\r\nWARC-Target-URI: https://example.org/" + std::to_string(i) +
              "\r\nWARC-Refers-To: <" + std::to_string(i == 4 ? records : i - 1) +
              ">\r\nContent-Type: text/html\r\nContent-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block +
              "\r\n\r\n";
  }
  return result;
}

// Every fifth id.
std::string ids_of(const std::string& records) {
  std::string ids;
  std::size_t number = 0;
  for (std::size_t at = records.find("\"id\":\""); at != std::string::npos; at = records.find("\"id\":\"", at + 1)) {
    if (number++ % 5 == 0) ids += records.substr(at + 6, records.find('"', at + 6) - at - 6) + "\n";
  }
  return ids;
}

using Words = std::vector<std::string>;

constexpr const char* kRoom = "160M";  // for everything that these jobs need
constexpr const char* kTight = "64M";  // the least: blocks are spilled

Words index(const Words& inputs, const std::string& output, const Words& more = {}, const char* memory = kRoom) {
  Words words{"index"};
  words.insert(words.end(), inputs.begin(), inputs.end());
  words.insert(words.end(), {"-o", "%/" + output, "--temp-dir", "%/temp", "--memory", memory, "--threads", "1", "-q",
                             "--max-error-rate", "1"});
  words.insert(words.end(), more.begin(), more.end());
  if (std::find(more.begin(), more.end(), "--mode") == more.end()) words.insert(words.end(), {"--mode", "cpu"});
  return words;
}

Scenario index_scenario(const std::string& name, const Words& more, const char* memory = kRoom,
                        const Words& inputs = {"%/in/a.jsonl"}) {
  return {"index-" + name, index(inputs, kOutput, more, memory), kOutput};
}

const Words kEverything{"--positions", "--store", "text"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Scenario> index_scenarios() {
  const Words blocks{"--block-bytes", "1"};
  std::vector<Scenario> all{
      index_scenario("kept", {}),
      index_scenario("blocks", blocks),
      index_scenario("spilled", blocks, kTight),
      index_scenario("everything", with({"--block-bytes", "1000"}, kEverything), kTight),
      index_scenario("radix", with(blocks, {"--record-sorter", "cpu-radix", "--string-sorter", "cpu-msd"}), kTight),
      index_scenario("quick", with(blocks, {"--record-sorter", "cpu-quick", "--string-sorter", "cpu-multikey"}),
                     kTight),
      index_scenario("stemmed", {"--stem", "english", "--stop", "%/lists/stop", "--duplicate-ids", "keep"}),
      index_scenario("files", {"--store", "none"}, kRoom, {"%/in/a.jsonl", "%/in/b.jsonl", "%/in/texts"}),
      index_scenario("part", {"--part", "2/3"}),
      index_scenario("resumable", with(blocks, {"--resumable"}), kTight),
      index_scenario("revisits", with(blocks, {"--revisits", "follow"}), "80M", {"%/in/c.warc"}),
      index_scenario("dedup", with(blocks, {"--dedup", "exact"}), kTight,
                     {"%/in/a.jsonl", "%/in/b.jsonl", "%/in/b.jsonl"}),
  };
  for (const char* form : {"tables", "tokens"}) {
    all.push_back(index_scenario(std::string("gpu-") + form, with(blocks, {"--mode", "gpu", "--gpu-chunks", form})));
  }
  Scenario replaced = index_scenario("replaced", {"--force"});
  replaced.preparations = {index({"%/in/b.jsonl"}, kOutput)};
  all.push_back(replaced);
  return all;
}

Words merge(const Words& more) {
  return with({"merge", "%/place/1", "%/place/2", "%/place/3", "-o", "%/place/out", "--temp-dir", "%/temp", "--memory",
               "160M", "--threads", "1", "-q"},
              more);
}

Scenario merge_scenario(const std::string& name, const Words& more, const Words& content) {
  Scenario scenario{"merge-" + name, merge(more), kOutput};
  for (const char* part : {"1", "2", "3"}) {
    scenario.preparations.push_back(
        index({"%/in/a.jsonl"}, std::string("place/") + part, with(content, {"--part", std::string(part) + "/3"})));
  }
  return scenario;
}

std::vector<Scenario> merge_scenarios() {
  return {merge_scenario("all", {}, {}), merge_scenario("passes", {"--fan-in", "2"}, kEverything),
          merge_scenario("resumable", {"--fan-in", "2", "--resumable"}, kEverything),
          merge_scenario("drop", {"--drop", "%/lists/drop"}, {"--positions"})};
}

Words append(const std::string& input, const Words& more, const char* memory) {
  return with({"append", "%/place/out", input, "--temp-dir", "%/temp", "--memory", memory, "--threads", "1", "-q",
               "--max-error-rate", "1", "--mode", "cpu"},
              more);
}

Scenario append_scenario(const std::string& name, const Words& words, const Words& content = {}) {
  return {"append-" + name,
          words,
          kOutput,
          {index({"%/in/a.jsonl"}, kOutput, content)},
          append("%/in/empty.jsonl", {"--format", "jsonl", "--restart"}, kRoom)};
}

std::vector<Scenario> growing_scenarios() {
  const Words blocks{"--block-bytes", "1"};
  return {append_scenario("kept", append("%/in/b.jsonl", {}, kRoom)),
          append_scenario("spilled", append("%/in/b.jsonl", blocks, kTight), kEverything),
          append_scenario("resumable", append("%/in/b.jsonl", with(blocks, {"--resumable"}), kRoom)),
          append_scenario("dedup", append("%/in/b.jsonl", with(blocks, {"--dedup", "exact"}), kTight), kEverything),
          append_scenario("replacing", append("%/in/a.jsonl", {"--replace"}, kRoom)),
          {"delete",
           {"delete", "%/place/out", "--url", "https://example.org/3", "--url", "https://example.org/50",
            "--missing-ok", "--temp-dir", "%/temp", "--memory", kRoom, "--threads", "1", "-q"},
           kOutput,
           {index({"%/in/a.jsonl"}, kOutput)}}};
}

Scenario reading(const std::string& name, const Words& words) {
  return {name, words, "", {index({"%/in/a.jsonl"}, "place/index", kEverything)}};
}

// The file to import is made before, and an input.
Scenario import_scenario() {
  return {
      "import-ciff",
      {"import", "--from", "ciff", "%/in/a.ciff", "-o", "%/place/out", "--temp-dir", "%/temp", "--memory", kRoom,
       "--threads", "1", "-q"},
      kOutput,
      {index({"%/in/a.jsonl"}, "place/index"), {"export", "%/place/index", "--to", "ciff", "-o", "%/in/a.ciff", "-q"}}};
}

std::vector<Scenario> reading_scenarios() {
  return {reading("export-ciff", {"export", "%/place/index", "--to", "ciff", "-o", "-", "-q"}),
          reading("export-by-url", {"export", "%/place/index", "--to", "ciff", "--order", "url", "-o", "-", "-q"}),
          reading("export-jsonl", {"export", "%/place/index", "--to", "jsonl", "-o", "-", "-q"}),
          reading("search", {"search", "%/place/index", "word9 word16 größe +word4"}),
          reading("search-queries", {"search", "%/place/index", "--queries", "%/lists/queries", "--format", "trec"}),
          reading("verify", {"verify", "%/place/index"}),
          reading("dump", {"dump", "%/place/index", "postings", "--positions"}),
          reading("stats", {"stats", "%/place/index"})};
}

}  // namespace

bool Scenario::reads_output() const { return words[0] == "append" || words[0] == "delete"; }

bool Scenario::replaces_input() const {
  return is_sort() && std::find(words.begin(), words.end(), "%/" + output) != words.end() &&
         std::count(words.begin(), words.end(), "%/" + output) > 1;
}

bool Scenario::is_resumable() const { return std::find(words.begin(), words.end(), "--resumable") != words.end(); }

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all = index_scenarios();
  all.push_back(import_scenario());
  for (const auto& more : {merge_scenarios(), growing_scenarios(), reading_scenarios(), sort_scenarios()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

Tree Scenario::inputs() const {
  if (is_sort()) return sort_inputs();
  Tree tree;
  for (const char* directory : {"in", "lists", "temp", "place"}) tree[directory] = std::nullopt;
  tree["in/a.jsonl"] = jsonl(1, 60, 40);
  tree["in/b.jsonl"] = jsonl(2, 25, 40);
  tree["in/c.warc"] = warc(4, 75);
  tree["in/empty.jsonl"] = "";
  tree["in/texts"] = std::nullopt;
  std::mt19937_64 random(3);
  for (const char* file : {"one.txt", "two.txt"}) tree[std::string("in/texts/") + file] = text(random, 100);
  tree["lists/stop"] = "word1\nword4\n";
  tree["lists/queries"] = "word9 word25\ngröße7 東京\nword36 word49 word64\n";
  tree["lists/drop"] = ids_of(tree["in/a.jsonl"].value());
  return tree;
}

// A lock with other bytes is not ours, and stays.
bool Scenario::notices_flip(const Event& event) const {
  if (event.path == kStandardOutput || is_lock(event.path)) return false;
  if (is_sort()) return sort_notices(event);
  return !event.path.starts_with("in/") && !event.path.starts_with("lists/");
}

// Lists are read until their end, wherever that is.
bool Scenario::notices_end(const Event& event) const {
  return is_sort() ? sort_notices(event) || !is_packed(event.path) : !event.path.starts_with("lists/");
}

bool is_scratch(const std::string& path) {
  const std::string work = std::string(kOutput) + ".work";
  return path.starts_with("temp/") || path == work || path.starts_with(work + "/");
}

bool is_lock(const std::string& path) {
  const bool is_directory =
      path == std::string(kOutput) + ".work" || (path.starts_with("temp/") && path.rfind('/') == 4);
  return is_directory || path.ends_with("/LOCK");
}

}  // namespace spillway::sweep
