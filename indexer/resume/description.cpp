#include "indexer/resume/description.hpp"

#include <algorithm>

#include "indexer/options/content_difference.hpp"
#include "indexer/resume/sealed_text.hpp"
#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kTitle = "Spillway resumable job, format 1";

std::string changed(const std::string& what, const std::string& before, const std::string& now) {
  return what + " was " + printable(before) + " and is " + printable(now);
}

}  // namespace

void JobDescription::add_input(const Input& input, std::uint64_t bytes) {
  if (inputs_.size() < kListedInputs) inputs_.push_back(input);
  ++input_count_;
  input_bytes += bytes;
  inputs_hash_ = to_hex(hash128(bytes_of(inputs_hash_ + input.identity + '\0' + input.path)));
}

std::string JobDescription::serialize() const {
  SealedTextWriter to(kTitle);
  to.line("command").word(command);
  to.line("release").word(release);
  to.line("content").word(to_hex(content.serialize()));
  for (const auto& [name, value] : options) to.line("option").word(name).word(value);
  to.line("inputs").number(input_count_).number(input_bytes).word(inputs_hash_);
  for (const Input& input : inputs_) to.line("input").word(input.identity).word(input.path);
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
  if (name != "inputs") throw FormatError(printable(path, 4096) + ": expected a line 'inputs', found '" + name + "'");
  job.input_count_ = from.number();
  job.input_bytes = from.number();
  job.inputs_hash_ = from.word();
  for (name = from.next_line(); name == "input"; name = from.next_line()) {
    std::string identity = from.word();
    job.inputs_.push_back({std::move(identity), from.word()});
  }
  return job;
}

std::string JobDescription::difference_from(const JobDescription& before) const {
  if (command != before.command) return changed("the command", before.command, command);
  if (release != before.release) return changed("the version of Spillway", before.release, release);
  const auto differences = content_differences(before.content, content);
  if (!differences.empty()) return changed(differences[0].option, differences[0].first, differences[0].second);
  for (std::size_t i = 0; i < std::min(options.size(), before.options.size()); ++i) {
    if (options[i] != before.options[i]) return changed(options[i].first, before.options[i].second, options[i].second);
  }
  return inputs_hash_ == before.inputs_hash_ ? "" : input_difference_from(before);
}

std::string JobDescription::input_difference_from(const JobDescription& before) const {
  for (std::size_t i = 0; i < std::min(inputs_.size(), before.inputs_.size()); ++i) {
    const Input &now = inputs_[i], &then = before.inputs_[i];
    if (now.path != then.path) return changed("input " + std::to_string(i + 1), then.path, now.path);
    if (now.identity != then.identity) {
      return "the input " + changed(printable(now.path, 4096), then.identity, now.identity);
    }
  }
  if (input_count_ != before.input_count_) {
    return changed("the number of inputs", std::to_string(before.input_count_), std::to_string(input_count_));
  }
  return "one of the inputs after the first " + std::to_string(kListedInputs) + " has changed";
}

}  // namespace spillway
