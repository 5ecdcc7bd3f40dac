#include "corpora/document/corpus_options.hpp"

namespace spillway {

std::string_view corpus_format_name(CorpusFormat format) {
  static constexpr std::string_view kNames[kCorpusFormatCount + 1] = {"auto", "html", "jsonl", "lines", "tar",
                                                                      "text", "trec", "tsv",   "warc",  "arrow"};
  return kNames[static_cast<std::size_t>(format)];
}

const std::vector<std::string>& revisits_names() {
  static const std::vector<std::string> names{"skip", "follow"};
  return names;
}

}  // namespace spillway
