#include "text/analysis/term_filter.hpp"

#include <libstemmer.h>

#include "io/base/error.hpp"

namespace spillway {

namespace {

std::string known_stemmers() {
  std::string names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) {
    if (!names.empty()) names += ", ";
    names += *name;
  }
  return names;
}

}  // namespace

TermFilter::TermFilter(const ContentOptions& options)
    : stop_bytes_(options.stop_words), max_term_bytes_(options.max_term_bytes) {
  const std::string_view bytes = stop_bytes_;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = bytes.find('\n', begin);
    stop_words_.insert(bytes.substr(begin, end - begin));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  if (options.stemmer == "none") return;
  stemmer_ = sb_stemmer_new(options.stemmer.c_str(), "UTF_8");
  if (stemmer_ == nullptr) {
    throw UsageError("unknown stemmer '" + printable(options.stemmer) + "'; --stem takes none or one of " +
                     known_stemmers());
  }
}

TermFilter::~TermFilter() {
  if (stemmer_ != nullptr) sb_stemmer_delete(stemmer_);
}

TokenFate TermFilter::apply(std::string_view token, std::string_view* term) {
  if (token.size() > max_term_bytes_) return TokenFate::kOverlong;
  if (!stop_words_.empty() && stop_words_.contains(token)) return TokenFate::kStopped;
  *term = token;
  if (stemmer_ == nullptr) return TokenFate::kKept;
  const auto* stem =
      sb_stemmer_stem(stemmer_, reinterpret_cast<const sb_symbol*>(token.data()), static_cast<int>(token.size()));
  if (stem == nullptr) throw BudgetError("libstemmer ran out of memory; raise --memory or lower --threads");
  const auto bytes = static_cast<std::size_t>(sb_stemmer_length(stemmer_));
  if (bytes != 0) *term = std::string_view(reinterpret_cast<const char*>(stem), bytes);
  return TokenFate::kKept;
}

// libstemmer reports no version, so the version is its behaviour: a hash of the stems of some probe words.
std::string TermFilter::stemmer_version(const std::string& stemmer) {
  if (stemmer == "none") return "";
  static constexpr std::string_view kProbes[] = {"apology",         "as",         "generalization",   "relational",
                                                 "flies",           "dying",      "happily",          "internes",
                                                 "continuellement", "haeuser",    "freundlichkeiten", "ciudades",
                                                 "rápidamente",     "nazionali",  "gatinhos",         "fiskarnas",
                                                 "lopen",           "вежливости", "книгами",          "kitaplarda",
                                                 "talossani"};
  ContentOptions options;
  options.stemmer = stemmer;
  TermFilter filter(options);
  std::string stems;
  for (const std::string_view probe : kProbes) {
    std::string_view stem;
    filter.apply(probe, &stem);
    stems.append(stem).push_back('\n');
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stems.data());
  return "probe-" + to_hex(hash128({bytes, stems.size()})).substr(0, 12);
}

}  // namespace spillway
