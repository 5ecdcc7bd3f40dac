#include "merge/term_sources.hpp"

#include <algorithm>

#include "merge/byte_prefix.hpp"

namespace spillway {

TermSources::Key TermSources::key_of(std::string_view term) {
  constexpr std::size_t kHalf = 8;
  const std::uint64_t high = byte_prefix(term), low = term.size() > kHalf ? byte_prefix(term.substr(kHalf)) : 0;
  return {static_cast<unsigned __int128>(high) << 64 | low, std::min<std::uint64_t>(term.size(), kMoreBytes)};
}

void TermSources::Source::next() {
  if (cursor->next()) {
    term = cursor->piece().term;
    key = key_of(term);
  } else {
    term = {};
    key = {~static_cast<unsigned __int128>(0), kDone};
  }
}

bool TermSources::Less::operator()(std::size_t a, std::size_t b) const {
  const Source &left = sources[a], &right = sources[b];
  if (left.key == right.key && left.key.bytes == kMoreBytes) {
    const int order = left.term.compare(right.term);
    return order != 0 ? order < 0 : a < b;
  }
  // Of terms with the same first bytes, the shorter one is the lesser.
  const bool is_less = (left.key.bytes < right.key.bytes) | ((left.key.bytes == right.key.bytes) & (a < b));
  return (left.key.start < right.key.start) | ((left.key.start == right.key.start) & is_less);
}

std::vector<TermSources::Source> TermSources::open(std::span<const MergeInput* const> inputs, const std::string& first,
                                                   const std::string& last) {
  std::vector<Source> sources(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sources[i].cursor = inputs[i]->terms(first, last);
    sources[i].next();
  }
  return sources;
}

TermSources::TermSources(std::span<const MergeInput* const> inputs, const std::string& first, const std::string& last)
    : sources_(open(inputs, first, last)), tree_(sources_.size(), Less{sources_.data()}) {
  begin_term();
}

// The text of the source is gone once its cursor moves on.
void TermSources::begin_term() {
  const Source& source = sources_[tree_.winner()];
  key_ = source.key;
  if (key_.bytes == kMoreBytes) term_ = source.term;
}

bool TermSources::advance() {
  sources_[tree_.winner()].next();
  tree_.replay();
  const Source& next = sources_[tree_.winner()];
  if (!next.is_done() && next.key == key_ && (key_.bytes != kMoreBytes || next.term == term_)) return true;
  begin_term();
  return false;
}

}  // namespace spillway
