#include "merge/term_sources.hpp"

#include "merge/byte_prefix.hpp"

namespace spillway {

void TermSources::Source::next() {
  done = !cursor->next();
  term = done ? std::string_view() : cursor->piece().term;
  prefix = byte_prefix(term);
}

bool TermSources::Less::operator()(std::size_t a, std::size_t b) const {
  const Source &left = sources[a], &right = sources[b];
  if (left.done || right.done) return left.done == right.done ? a < b : right.done;
  if (left.prefix != right.prefix) return left.prefix < right.prefix;
  const int order = left.term.compare(right.term);
  return order != 0 ? order < 0 : a < b;
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
    : sources_(open(inputs, first, last)), tree_(sources_.size(), Less{sources_.data()}) {}

bool TermSources::advance() {
  Source& source = sources_[tree_.winner()];
  const std::uint64_t prefix = source.prefix;
  term_ = source.term;
  source.next();
  tree_.replay();
  const Source& next = sources_[tree_.winner()];
  return !next.done && next.prefix == prefix && next.term == term_;
}

}  // namespace spillway
