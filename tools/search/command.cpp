// `spillway search`: the best documents for queries.
#include <cstdio>
#include <limits>

#include "tools/cli/option_values.hpp"
#include "tools/cli/output_file.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/search/query_runner.hpp"
#include "tools/search/shards.hpp"

namespace spillway {

namespace {

struct SearchOptions {
  SearchSettings settings;
  SearchFormat format = SearchFormat::kText;
  std::string run_id = "spillway";
  QueryFile::Options queries;
};

SearchSettings search_settings(const Arguments& arguments) {
  SearchSettings result;
  take_real(arguments, "k1", 0, 1000, result.bm25.k1);
  take_real(arguments, "b", 0, 1, result.bm25.b);
  if (const auto text = arguments.text("count")) result.k = parse_count("-k", *text, 1, std::uint64_t{1} << 31);
  take_count(arguments, "threads", 1, 1024, result.threads);
  if (arguments.has("exhaustive")) result.method = SearchMethod::kExhaustive;
  // A query on the command line may use operators; files hold questions, with - and quotes as punctuation.
  if (!arguments.has("queries")) result.syntax = QuerySyntax::kOperators;
  take_choice(arguments, "query-syntax", result.syntax);
  return result;
}

SearchOptions search_options(const Arguments& arguments) {
  SearchOptions result;
  result.settings = search_settings(arguments);
  take_choice(arguments, "format", result.format);
  take_choice(arguments, "query-format", result.queries.format);
  take_choice(arguments, "topic-field", result.queries.topic_field);
  for (const char* option : {"query-format", "topic-field", "threads"}) {
    if (arguments.has(option) && !arguments.has("queries")) {
      throw UsageError(std::string("--") + option + " needs --queries");
    }
  }
  if (const auto text = arguments.text("run-id")) {
    if (result.format != SearchFormat::kTrec) throw UsageError("--run-id needs --format trec");
    if (text->empty() || SearchOutput::column(*text) != *text) {
      throw UsageError("--run-id '" + printable(*text) +
                       "': expected one word without blanks, controls and backslashes");
    }
    result.run_id = *text;
  }
  return result;
}

ExitCode run_search_command(const Arguments& arguments, Session& session) {
  SearchOptions options = search_options(arguments);
  const auto& operands = arguments.operands();
  const auto queries = arguments.text("queries");
  if (queries && operands.size() > 1) throw UsageError("a query and --queries contradict each other; give one of them");
  if (!queries && operands.size() < 2) throw UsageError("no query; give words after the index, or --queries FILE");
  options.settings.check = interruption_check(session.signal_number);
  std::optional<OutputFile> stats_file;
  if (const auto path = arguments.text("stats-json")) {
    const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
    refuse_input(session.files, "--stats-json", *path, {operands[0], queries.value_or("-")});
    stats_file.emplace(session, "--stats-json", *path, if_there);
  }
  std::vector<std::string> indexes = arguments.texts("also");
  indexes.insert(indexes.begin(), operands[0]);
  const Shards shards(session.files, indexes);
  const SearchOutput output(shards.collection(), options.format, options.run_id, terminal_marks());
  QueryRunner runner(shards.collection(), options.settings, output);
  const auto write = [&](const RenderedAnswer& answer) {
    session.out.write(answer.data);
    if (answer.words.empty()) return;
    session.out.flush();
    print_message("search: " + answer.words);
  };
  if (queries) {
    QueryFile file(session.files, *queries, options.queries, options.settings.check);
    runner.run([&] { return file.next(); }, write);
  } else {
    std::string query = operands[1];
    for (std::size_t i = 2; i < operands.size(); ++i) query += " " + operands[i];
    write(runner.answer_one(query));
  }
  if (arguments.has("stats")) {
    session.out.flush();
    std::fputs(runner.stats().text().c_str(), stderr);
  }
  if (stats_file) {
    stats_file->write(runner.stats().json());
    stats_file->finish();
  }
  return ExitCode::kDone;
}

}  // namespace

Command search_command() {
  Command command;
  command.name = "search";
  command.summary = "find the best documents for a query (BM25)";
  command.examples = {
      {"spillway search docs.index out of core sorting", "the ten best documents"},
      {"spillway search docs.index '+sorting \"external memory\" -gpu'",
       "the first word is required, the last excluded; the phrase needs an index with --positions"},
      {"spillway search docs.index --queries topics.301-450 --topic-field title -k 1000 --format trec > run.txt",
       "a run file for trec_eval, from TREC topics"},
      {"spillway search may.index --also june.index --also july.index sorting",
       "three indexes as one, with the scores of the merged index; a directory of indexes does the "
       "same"}};
  command.operands = "INDEX QUERY... [OPTIONS]";
  command.notes =
      "       spillway search INDEX --queries FILE [OPTIONS]\n\n"
      "INDEX is an index, or a directory of indexes, which are searched as one.\n"
      "The query is analysed like the index's documents. Documents that hold at least one of its words are ranked by\n"
      "score, equal scores by id, descending. In a query with operators (the default for QUERY), +word is required,\n"
      "-word is excluded, and \"some words\" is a phrase; + and - may also precede a phrase. Write -- before a QUERY "
      "that\n"
      "begins with -. In a plain query (the default for FILE) all of these are punctuation.";
  auto indexes = option_group("Indexes"), queries = option_group("Queries"), ranking = option_group("Ranking"),
       output = option_group("Output");
  add_values(indexes, "also", "INDEX",
             "search this one as well: documents rank as in the index that merge makes of all; may be repeated");
  add_value(queries, "queries", "FILE", "queries from a file; - is standard input");
  add_choice(queries, "query-format", "NAME", {"auto", "tsv", "trec", "jsonl", "lines"},
             "auto (default: by its first line), tsv (id<TAB>query), trec (topics), jsonl (id or _id or query_id, text "
             "or query or title) or lines (ids are line numbers)");
  add_choice(queries, "topic-field", "NAME", {"title", "desc", "narr", "all"},
             "field of TREC topics: title (default), desc, narr or all");
  add_choice(queries, "query-syntax", "NAME", {"plain", "operators"},
             "plain (default for FILE) or operators (default for QUERY)");
  add_value(queries, "threads", "N", "queries of FILE answered in parallel (default 1); the output is the same");
  add_value(ranking, "count,k", "N", "documents per query (default 10)");
  add_value(ranking, "k1", "NUMBER", "BM25's k1 (default 0.9)");
  add_value(ranking, "b", "NUMBER", "BM25's b, 0 to 1 (default 0.4)");
  add_flag(ranking, "exhaustive", "score every posting: the same answers, slower");
  add_choice(output, "format", "NAME", {"text", "trec", "msmarco", "json"},
             "text (default: rank, score, id, title; a snippet where texts are stored), trec (query Q0 id rank score "
             "run), msmarco (query, id, rank between tabs; in both, blanks in ids as \\x20 and \\ as \\x5C) or json "
             "(an object per query and line)");
  add_value(output, "run-id", "WORD", "the last column of --format trec (default spillway)");
  add_flag(output, "stats", "print latencies, postings scored and blocks decoded to standard error");
  add_value(output, "stats-json", "FILE", "write the same, and the latency of each query, as JSON");
  add_flag(output, "force", "replace the file of --stats-json");
  command.groups.push_back(indexes);
  command.groups.push_back(queries);
  command.groups.push_back(ranking);
  command.groups.push_back(output);
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_search_command;
  return command;
}

}  // namespace spillway
