// Rates of reading HTML to text and of decoding charsets on one core. $SPILLWAY_BENCH_HTML names a directory of HTML
// pages, of which up to 200 MB are read; by default one made-up page is repeated.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "corpora/charset/text_reader.hpp"
#include "corpora/html/text.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMostBytes = 200'000'000;

struct Pages {
  std::vector<std::string> html;  // valid UTF-8
  std::size_t byte_count = 0;
};

std::string made_up_page() {
  std::string page = "<!DOCTYPE html><html><head><title>A page</title><script>if (a < b) c();</script></head><body>";
  for (int i = 0; i < 500; ++i) {
    page += "<p class=\"text\">Some words of text, <a href=\"page.html#part\">a link</a> &amp; <b>more</b>.</p>\n";
  }
  return page;
}

void add_page(const std::filesystem::path& path, Pages& pages) {
  std::ifstream file(path, std::ios::binary);
  pages.html.push_back(repair_utf8(std::string(std::istreambuf_iterator<char>(file), {})));
  pages.byte_count += pages.html.back().size();
}

const Pages& pages() {
  static const Pages kPages = [] {
    Pages pages;
    if (const char* const directory = std::getenv("SPILLWAY_BENCH_HTML")) {
      std::vector<std::filesystem::path> paths;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (entry.is_regular_file() && entry.path().extension() == ".html") paths.push_back(entry.path());
      }
      std::sort(paths.begin(), paths.end());
      for (std::size_t i = 0; i < paths.size() && pages.byte_count < kMostBytes; ++i) add_page(paths[i], pages);
    } else {
      pages.html.assign(1000, made_up_page());
      pages.byte_count = pages.html.size() * pages.html.front().size();
    }
    return pages;
  }();
  return kPages;
}

class Counter final : public TextOutput {
 public:
  void append(std::string_view piece) override { bytes += piece.size(); }
  std::size_t bytes = 0;
};

void count_pages(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * pages().byte_count));
}

void read_text(benchmark::State& state, HtmlAttributeTexts attributes, ReadPlainMarkup read_plain) {
  HtmlText reader(attributes, read_plain);
  for (auto _ : state) {
    Counter title, text;
    for (const std::string& html : pages().html) {
      reader.start(title, text);
      reader.feed(html);
      reader.finish();
    }
    state.counters["text_bytes"] = static_cast<double>(text.bytes);
  }
  count_pages(state);
}

// The work on a page of a crawl: decide the encoding, check it, and find the text.
void decode_and_read(benchmark::State& state) {
  class Feeder final : public TextOutput {
   public:
    void append(std::string_view piece) override { reader.feed(piece); }
    HtmlText reader;
  } feeder;
  CharsetTextReader decoder;
  for (auto _ : state) {
    Counter title, text;
    for (const std::string& html : pages().html) {
      feeder.reader.start(title, text);
      decoder.start({}, feeder);
      decoder.feed(html);
      decoder.finish();
      feeder.reader.finish();
    }
    benchmark::DoNotOptimize(text.bytes);
  }
  count_pages(state);
}

void add_all() {
  for (const PlainMarkupKernel& kernel : all_plain_markup_kernels()) {
    const std::string name = std::string("html/text/") + kernel.name;
    benchmark::RegisterBenchmark(name.c_str(), read_text, HtmlAttributeTexts{}, kernel.read);
  }
  const HtmlAttributeTexts all{.alternatives = true, .titles = true, .description = true};
  benchmark::RegisterBenchmark("html/text-and-attributes", read_text, all, best_plain_markup_kernel());
  benchmark::RegisterBenchmark("html/charset-and-text", decode_and_read);
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
