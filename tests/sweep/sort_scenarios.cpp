#include "tests/sweep/sort_scenarios.hpp"

#include <algorithm>
#include <random>

#include "corpora/unpack/codec.hpp"

namespace spillway::sweep {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kOutput = "place/out";
const Words kSpilled{"--block-bytes", "16K"};
const Words kPasses{"--block-bytes", "16K", "--batch-size", "2"};
const Words kKeys{"-k2,2n", "-k1,1r"};

// Some lines occur twice.
std::string lines(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = random() % count;
    text += "line" + std::to_string(number * 7919 % 10007) + " " + std::to_string(number % 50) + " of a text\n";
  }
  return text;
}

std::string sorted_lines(std::uint64_t seed, std::size_t count) {
  const std::string text = lines(seed, count);
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    all.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  }
  std::sort(all.begin(), all.end());
  std::string sorted;
  for (const std::string& line : all) sorted += line;
  return sorted;
}

std::string records(std::uint64_t seed, std::size_t bytes) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) text += static_cast<char>(random());
  return text;
}

Words sort(const Words& inputs, const Words& more) {
  Words words{"sort"};
  words.insert(words.end(), inputs.begin(), inputs.end());
  words.insert(words.end(), {"--memory", "64M", "--parallel", "1", "--gpu", "never", "-T", "%/temp"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words to_file(Words words, const std::string& output = kOutput) {
  words.insert(words.end(), {"-o", "%/" + output});
  return words;
}

Words both(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kTexts{"%/in/a.txt", "%/in/b.txt"};
const Words kSorted{"%/in/1.txt", "%/in/2.txt", "%/in/3.txt", "%/in/4.txt", "%/in/5.txt"};

Scenario to_new_file(const std::string& name, const Words& more, const Words& inputs = kTexts) {
  return {"sort-" + name, to_file(sort(inputs, more)), kOutput};
}

Scenario over_file(const std::string& name, const Words& more) {
  return {"sort-" + name, to_file(sort(kTexts, more)), kOutput, {to_file(sort({"%/in/b.txt"}, {}))}};
}

// The output is the first input. If it has the lines of all, the next job must not add the others again.
Scenario over_input(const std::string& name, const Words& more, const Words& inputs) {
  const std::string output = inputs[0].substr(2);
  return {"sort-" + name, to_file(sort(inputs, more), output), output, {}, to_file(sort({inputs[0]}, more), output)};
}

Scenario to_stream(const std::string& name, const Words& more, bool appends) {
  Scenario scenario{"sort-" + name, sort(kTexts, more)};
  scenario.appends_output = appends;
  return scenario;
}

// The packed inputs are made before.
Scenario unpacking() {
  Scenario scenario = to_new_file("packed", kSpilled, {"%/in/a.txt.zst", "%/in/b.txt.gz"});
  scenario.preparations = {to_file(sort({"%/in/a.txt"}, {"--output-compress", "zstd", "-r"}), "in/a.txt.zst"),
                           to_file(sort({"%/in/b.txt"}, {"--output-compress", "gzip", "-r"}), "in/b.txt.gz")};
  return scenario;
}

}  // namespace

std::vector<Scenario> sort_scenarios() {
  return {
      to_new_file("memory", {}),
      over_input("input", {}, kTexts),
      over_input("input-spilled", kSpilled, kTexts),
      over_input("input-keys", both(kPasses, kKeys), {"%/in/a.txt"}),
      to_new_file("spilled", kSpilled),
      to_new_file("passes", both(kPasses, {"-r"})),
      to_new_file("unique", both(kSpilled, {"-u", "-k2,2"})),
      to_new_file("keys", both(kPasses, kKeys)),
      to_new_file("count", both(kSpilled, {"--count", "-f"})),
      to_new_file("zstd", both(kSpilled, {"--output-compress", "zstd"})),
      to_new_file("gzip", {"--output-compress", "gzip"}),
      to_new_file("head", {"--head", "100"}),
      to_new_file("head-spilled", both(kSpilled, {"--head", "900"})),
      to_new_file("records", both(kSpilled, {"--record-size", "16", "--key-size", "4"}), {"%/in/records"}),
      unpacking(),
      to_new_file("direct", {"--direct-io"}),
      over_input("direct-input-spilled", both(kSpilled, {"--direct-io"}), kTexts),
      to_new_file("direct-ahead", {"--direct-io", "--block-bytes", "600K"}, {"%/in/large.txt"}),
      to_new_file("in-order", {}, {"%/in/in-order.txt"}),
      over_input("in-order-input", {}, {"%/in/in-order.txt"}),
      over_file("over", {}),
      over_file("over-spilled", both(kSpilled, kKeys)),
      to_new_file("merge", {"-m"}, kSorted),
      to_new_file("merge-passes", {"-m", "--block-bytes", "16K", "--batch-size", "2"}, kSorted),
      over_input("merge-input", {"-m"}, kSorted),
      over_input("merge-input-passes", {"-m", "--block-bytes", "16K", "--batch-size", "2"}, kSorted),
      to_stream("stdout", {}, false),
      to_stream("stdout-spilled", kSpilled, false),
      to_stream("stdout-appended", kPasses, true),
      {"sort-check", sort({"%/in/1.txt"}, {"-c"})},
  };
}

Tree sort_inputs() {
  Tree tree;
  for (const char* directory : {"in", "temp", "place"}) tree[directory] = std::nullopt;
  tree["in/a.txt"] = lines(1, 900);
  tree["in/b.txt"] = lines(2, 300);
  tree["in/records"] = records(3, 16 * 1000);
  tree["in/large.txt"] = lines(5, 40'000);
  tree["in/in-order.txt"] = sorted_lines(4, 60'000);  // long enough to be copied instead of sorted
  for (std::uint64_t i = 1; i <= 5; ++i) tree["in/" + std::to_string(i) + ".txt"] = sorted_lines(10 + i, 200);
  return tree;
}

bool is_packed(const std::string& path) { return path.ends_with(".zst") || path.ends_with(".gz"); }

bool sort_notices(const Event& event) {
  return event.path == "temp" || event.path.starts_with("temp/") ||
         (is_packed(event.path) && event.call == Call::kRead && event.bytes > Codec::kHeadBytes);
}

}  // namespace spillway::sweep
