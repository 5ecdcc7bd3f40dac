// `spillway search`: the best documents for queries.
#include <limits>

#include "indexer/pruned_ranking.hpp"
#include "indexer/ranking.hpp"
#include "tools/command_line.hpp"
#include "tools/option_values.hpp"
#include "tools/query_file.hpp"
#include "tools/search_output.hpp"
#include "tools/signals.hpp"

namespace spillway {

namespace {

struct SearchOptions {
  Bm25Parameters bm25;
  std::size_t k = 10;
  std::string run_id = "spillway";
  SearchFormat format = SearchFormat::kText;
};

SearchOptions search_options(const Arguments& arguments) {
  SearchOptions result;
  if (const auto text = arguments.text("k1")) result.bm25.k1 = parse_real("--k1", *text, 0, 1000);
  if (const auto text = arguments.text("b")) result.bm25.b = parse_real("--b", *text, 0, 1);
  if (const auto text = arguments.text("count")) result.k = parse_count("-k", *text, 1, std::uint64_t{1} << 31);
  if (const auto text = arguments.text("format")) {
    result.format = static_cast<SearchFormat>(parse_choice("--format", *text, {"text", "trec", "msmarco", "json"}));
  }
  if (const auto text = arguments.text("run-id")) {
    if (result.format != SearchFormat::kTrec) throw UsageError("--run-id needs --format trec");
    if (text->empty() || SearchOutput::column(*text) != *text)
      throw UsageError("--run-id must be one word without blanks");
    result.run_id = *text;
  }
  return result;
}

// Answers queries and writes the rankings in one of the formats.
class Searcher {
 public:
  Searcher(const IndexReader& index, const SearchOptions& settings, Output& out)
      : settings_(settings),
        out_(out),
        analyzer_(index.options()),
        bm25_(index.counts(), settings.bm25),
        ranker_(index, bm25_),
        output_(index, settings.format, settings.run_id) {}

  // `id`: of a query from a file; nullptr for the one on the command line.
  void answer(const std::string* id, const std::string& query) {
    SearchAnswer answer{id, query, query_terms(analyzer_, query), {}};
    answer.ranking = ranker_.best(query_of(answer.terms), settings_.k);
    out_.write(output_.render(answer));
  }

 private:
  const SearchOptions& settings_;
  Output& out_;
  Analyzer analyzer_;
  Bm25 bm25_;
  PrunedRanker ranker_;
  SearchOutput output_;
};

ExitCode run_search_command(const Arguments& arguments, Session& session) {
  const SearchOptions settings = search_options(arguments);
  const auto& operands = arguments.operands();
  const auto queries = arguments.text("queries");
  if (queries && operands.size() > 1) throw UsageError("a query and --queries contradict each other; give one of them");
  if (!queries && operands.size() < 2) throw UsageError("no query; give words after the index, or --queries FILE");
  const IndexReader index(session.files, operands[0]);
  Searcher searcher(index, settings, session.out);
  if (!queries) {
    std::string query = operands[1];
    for (std::size_t i = 2; i < operands.size(); ++i) query += " " + operands[i];
    searcher.answer(nullptr, query);
    return ExitCode::kDone;
  }
  QueryFile file(session.files, *queries, [&] { throw_if_interrupted(session.signal_number); });
  while (const auto line = file.next()) {
    throw_if_interrupted(session.signal_number);
    searcher.answer(&line->id, line->text);
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
      {"spillway search docs.index -k 3 --k1 1.2 --b 0.75 \"health care\"", "three, with other parameters"},
      {"spillway search docs.index --queries topics.tsv -k 1000 --format trec > run.txt",
       "a run file for trec_eval, from lines id<TAB>query"}};
  command.operands = "INDEX QUERY... [OPTIONS]";
  command.notes =
      "       spillway search INDEX --queries FILE [OPTIONS]\n\n"
      "The query is analysed as the index's documents were. Documents that hold at least one of its words are ranked;\n"
      "equal scores by id, descending.";
  auto queries = option_group("Queries and ranking"), output = option_group("Output");
  add_value(queries, "queries", "FILE", "lines id<TAB>query; - is standard input");
  add_value(queries, "count,k", "N", "documents per query (default 10)");
  add_value(queries, "k1", "NUMBER", "BM25's k1 (default 0.9)");
  add_value(queries, "b", "NUMBER", "BM25's b, 0 to 1 (default 0.4)");
  add_value(
      output, "format", "NAME",
      "text (default: rank, score, id, title), trec (query Q0 id rank score run; blanks in ids as \\x20), msmarco "
      "(query, id, rank between tabs) or json (an object per query and line)");
  add_value(output, "run-id", "WORD", "the last column of --format trec (default spillway)");
  command.groups.push_back(queries);
  command.groups.push_back(output);
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_search_command;
  return command;
}

}  // namespace spillway
