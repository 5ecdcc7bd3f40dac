// `spillway stats`: counts and options of an index, and the size of each file.
#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t total_bytes(const IndexReader& index) {
  std::uint64_t bytes = 0;
  for (const auto& file : index.files()) bytes += file.bytes;
  return bytes;
}

std::uint64_t position_bytes(const IndexReader& index) {
  std::uint64_t bytes = 0;
  for (const auto& file : index.files()) {
    if (file.name.starts_with(section_name(Section::kPositions))) bytes += file.bytes;
  }
  return bytes;
}

ordered_json stats_json(const IndexReader& index) {
  const IndexCounts& counts = index.counts();
  ordered_json files = ordered_json::array();
  for (const auto& file : index.files()) {
    files.push_back(
        {{"name", file.name}, {"bytes", file.bytes}, {"bytes_per_posting", ratio(file.bytes, counts.postings)}});
  }
  ordered_json content = content_json(index.options());
  content["icu_version"] = index.options().icu_version;
  content["stemmer_version"] = index.options().stemmer_version;
  content["zstd_version"] = index.options().zstd_version;
  return {{"index", index.directory()},
          {"documents", counts.documents},
          {"source_documents", counts.source_documents},
          {"dropped_documents", counts.source_documents - counts.documents},
          {"stored_ids", counts.stored_ids},
          {"terms", counts.terms},
          {"tokens", counts.occurrences},
          {"postings", counts.postings},
          {"average_length", ratio(counts.occurrences, counts.documents)},
          {"bytes", total_bytes(index)},
          {"bytes_per_posting", ratio(total_bytes(index), counts.postings)},
          {"bits_per_position", content["positions"] ? ratio(8 * position_bytes(index), counts.occurrences) : 0.0},
          {"files", files},
          {"options", content}};
}

std::string row(const char* name, const std::string& value) {
  return left_aligned(name, 20) + right_aligned(value, 16) + "\n";
}

std::string stats_text(const IndexReader& index) {
  const IndexCounts& counts = index.counts();
  const ContentOptions& content = index.options();
  std::string text = row("documents", count_text(counts.documents));
  text += row("dropped documents", count_text(counts.source_documents - counts.documents));
  text += row("terms", count_text(counts.terms)) + row("tokens", count_text(counts.occurrences));
  text += row("postings", count_text(counts.postings));
  text += row("average length", decimal_text(ratio(counts.occurrences, counts.documents), 2));
  text += "\n" + left_aligned("file", 20) + right_aligned("bytes", 16) + right_aligned("share", 10) +
          right_aligned("bytes/posting", 16) + "\n";
  const auto file_row = [&](const std::string& name, std::uint64_t bytes) {
    text += left_aligned(name, 20) + right_aligned(count_text(bytes), 16) +
            right_aligned(percent_text(bytes, total_bytes(index)), 10) +
            right_aligned(decimal_text(ratio(bytes, counts.postings), 3), 16) + "\n";
  };
  for (const auto& file : index.files()) file_row(file.name, file.bytes);
  file_row("all", total_bytes(index));
  if (content.positions) {
    text +=
        "\npositions take " + decimal_text(ratio(8 * position_bytes(index), counts.occurrences), 2) + " bits each\n";
  }
  text += "\ntokenizer " + std::string(tokenizer_name(content.tokenizer)) + ", stemmer " + printable(content.stemmer) +
          ", " + count_text(stop_word_count(content)) + " stop words, terms up to " +
          count_text(content.max_term_bytes) + " bytes, documents up to " + memory_text(content.max_document_bytes) +
          "\nstore " + store_name(content.store) + ", duplicate ids " + duplicate_policy_name(content.duplicate_ids) +
          (content.positions ? ", positions" : ", no positions") + "\n";
  return text;
}

ExitCode run_stats_command(const Arguments& arguments, Session& session) {
  const IndexReader index(session.files, arguments.operands()[0]);
  session.out.write(arguments.has("json") ? json_text(stats_json(index)) : stats_text(index));
  return ExitCode::kDone;
}

}  // namespace

Command stats_command() {
  Command command;
  command.name = "stats";
  command.summary = "show what an index holds and how large it is";
  command.examples = {{"spillway stats docs.index", "a table"}, {"spillway stats docs.index --json", "for programs"}};
  command.operands = "INDEX [OPTIONS]";
  auto output = option_group("Output");
  add_flag(output, "json", "write a JSON object");
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {{ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_stats_command;
  return command;
}

}  // namespace spillway
