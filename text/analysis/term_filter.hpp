// Turns tokens into terms: stop list, length limit and stemmer. Applied once per distinct token of a chunk, not per
// occurrence.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "io/format/content_options.hpp"

struct sb_stemmer;

namespace spillway {

enum class TokenFate : std::uint8_t {
  kKept,
  kStopped,   // in the stop list
  kOverlong,  // longer than max_term_bytes: dropped and counted, never cut
};

// Not thread-safe: one per parsing thread.
class TermFilter {
 public:
  // Throws UsageError, listing the known stemmers, if libstemmer does not know the stemmer.
  explicit TermFilter(const ContentOptions& options);
  ~TermFilter();
  TermFilter(const TermFilter&) = delete;
  TermFilter& operator=(const TermFilter&) = delete;

  // Whether every token of allowed length is its own term: no stop list, no stemmer.
  bool is_identity() const { return stop_words_.empty() && stemmer_ == nullptr; }
  std::size_t max_term_bytes() const { return max_term_bytes_; }

  // If the token is kept, sets *term to its term: a view into `token`, or one that is valid until the next call.
  TokenFate apply(std::string_view token, std::string_view* term);

  // Differs between releases of libstemmer that stem differently; empty for stemmer "none".
  static std::string stemmer_version(const std::string& stemmer);

 private:
  boost::unordered_flat_set<std::string_view> stop_words_;  // views into stop_bytes_
  std::string stop_bytes_;
  std::size_t max_term_bytes_;
  sb_stemmer* stemmer_ = nullptr;
};

}  // namespace spillway
