#include "indexer/resume/description.hpp"

#include <algorithm>

#include "io/base/error.hpp"
#include "io/format/content_difference.hpp"

namespace spillway {

namespace {

constexpr std::string_view kTitle = "Spillway resumable job, format 1";

}  // namespace

std::string JobDescription::serialize() const {
  SealedTextWriter to(kTitle);
  to.line("command").word(command);
  to.line("release").word(release);
  to.line("content").word(to_hex(content.serialize()));
  for (const auto& [name, value] : options) to.line("option").word(name).word(value);
  inputs.write(to);
  return to.seal();
}

JobDescription JobDescription::parse(std::string_view text, const std::string& path) {
  SealedTextReader from(text, kTitle, path);
  JobDescription job;
  from.expect_line("command");
  job.command = from.word();
  from.expect_line("release");
  job.release = from.word();
  from.expect_line("content");
  job.content = ContentOptions::parse(from_hex(from.word()), path);
  std::string name = from.next_line();
  for (; name == "option"; name = from.next_line()) {
    std::string option = from.word();
    job.options.emplace_back(std::move(option), from.word());
  }
  job.inputs = DescribedInputs::read(from, name);
  return job;
}

std::string JobDescription::difference_from(const JobDescription& before) const {
  if (command != before.command) return changed_words("the command", before.command, command);
  if (release != before.release) return changed_words("the version of Spillway", before.release, release);
  const auto differences = content_differences(before.content, content);
  if (!differences.empty()) return changed_words(differences[0].option, differences[0].first, differences[0].second);
  for (std::size_t i = 0; i < std::min(options.size(), before.options.size()); ++i) {
    if (options[i] != before.options[i])
      return changed_words(options[i].first, before.options[i].second, options[i].second);
  }
  return inputs.difference_from(before.inputs);
}

}  // namespace spillway
