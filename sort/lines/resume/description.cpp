#include "sort/lines/resume/description.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kTitle = "Spillway resumable sort, format 1";

}  // namespace

std::string SortDescription::serialize() const {
  SealedTextWriter to(kTitle);
  to.line("release").word(release);
  for (const auto& [name, value] : options) to.line("option").word(name).word(value);
  inputs.write(to);
  return to.seal();
}

SortDescription SortDescription::parse(std::string_view text, const std::string& path) {
  SealedTextReader from(text, kTitle, path);
  SortDescription sort;
  from.expect_line("release");
  sort.release = from.word();
  std::string line = from.next_line();
  for (; line == "option"; line = from.next_line()) {
    std::string name = from.word();
    sort.options.emplace_back(std::move(name), from.word());
  }
  sort.inputs = DescribedInputs::read(from, line);
  return sort;
}

std::string SortDescription::difference_from(const SortDescription& before) const {
  if (release != before.release) return changed_words("the version of Spillway", before.release, release);
  for (std::size_t i = 0; i < std::min(options.size(), before.options.size()); ++i) {
    const auto &now = options[i], &then = before.options[i];
    if (now.first != then.first) return changed_words("an option", then.first, now.first);
    if (now.second == then.second) continue;
    if (now.first == kKeysName) {
      return now.first + " were " + printable(then.second) + " and are " + printable(now.second);
    }
    return changed_words(now.first, then.second, now.second);
  }
  if (options.size() != before.options.size()) return "the number of options has changed";
  return inputs.difference_from(before.inputs);
}

}  // namespace spillway
