// `spillway search`: the best documents for queries.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "indexer/ranking.hpp"
#include "tools/command_line.hpp"
#include "tools/figures.hpp"
#include "tools/json_output.hpp"
#include "tools/option_values.hpp"
#include "tools/query_file.hpp"
#include "tools/signals.hpp"

namespace spillway {

namespace {

enum class SearchFormat { kText, kTrec, kJson };

struct SearchOptions {
  Bm25Parameters bm25;
  std::size_t k = 10;
  std::string run_id = "spillway";
  SearchFormat format = SearchFormat::kText;
};

// A column of a run file: blanks would split it.
std::string trec_word(std::string_view text) {
  std::string word;
  for (const char c : printable(text, std::numeric_limits<std::size_t>::max())) {
    word += c == ' ' ? std::string("\\x20") : std::string(1, c);
  }
  return word;
}

SearchOptions search_options(const Arguments& arguments) {
  SearchOptions result;
  if (const auto text = arguments.text("k1")) result.bm25.k1 = parse_real("--k1", *text, 0, 1000);
  if (const auto text = arguments.text("b")) result.bm25.b = parse_real("--b", *text, 0, 1);
  if (const auto text = arguments.text("count")) result.k = parse_count("-k", *text, 1, std::uint64_t{1} << 31);
  if (const auto text = arguments.text("format")) {
    result.format = static_cast<SearchFormat>(parse_choice("--format", *text, {"text", "trec", "json"}));
  }
  if (const auto text = arguments.text("run-id")) {
    if (result.format != SearchFormat::kTrec) throw UsageError("--run-id needs --format trec");
    if (text->empty() || trec_word(*text) != *text) throw UsageError("--run-id must be one word without blanks");
    result.run_id = *text;
  }
  return result;
}

// Answers queries and writes the rankings in one of the formats.
class Searcher {
 public:
  Searcher(const IndexReader& index, const SearchOptions& settings, Output& out)
      : index_(index), settings_(settings), out_(out), analyzer_(index.options()), ranker_(index, settings.bm25) {}

  // `id`: of a query from a file; nullptr for the one on the command line.
  void answer(const std::string* id, const std::string& query) {
    const std::vector<QueryTerm> terms = query_terms(analyzer_, query);
    const std::vector<RankedDocument> ranking = ranker_.best(terms, settings_.k);
    if (settings_.format == SearchFormat::kText) write_text(id, query, ranking);
    if (settings_.format == SearchFormat::kTrec) write_trec(id != nullptr ? *id : "1", ranking);
    if (settings_.format == SearchFormat::kJson) write_json(id, query, ranking);
  }

 private:
  void write_text(const std::string* id, const std::string& query, const std::vector<RankedDocument>& ranking) {
    if (id != nullptr) out_.write("query " + printable(*id) + ": " + printable(query) + "\n");
    if (ranking.empty()) out_.write("no document holds a word of the query\n");
    std::vector<StoredDocument> documents;
    std::size_t width = 0;
    for (const RankedDocument& ranked : ranking) {
      documents.push_back(index_.document(ranked.document));
      width = std::max(width, std::min<std::size_t>(40, printable(documents.back().id).size()));
    }
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      char rank_and_score[64];
      std::snprintf(rank_and_score, sizeof rank_and_score, "%4zu  %9.4f  ", i + 1, ranking[i].score);
      const std::string title = printable(documents[i].title, 100);
      const std::string shown_id = printable(documents[i].id);
      out_.write(rank_and_score + (title.empty() ? shown_id : left_aligned(shown_id, width) + "  " + title) + "\n");
    }
    if (id != nullptr) out_.write("\n");
  }

  void write_trec(const std::string& id, const std::vector<RankedDocument>& ranking) {
    const std::string query = trec_word(id);
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      char score[64];
      std::snprintf(score, sizeof score, "%.17g", ranking[i].score);
      out_.write(query + " Q0 " + trec_word(index_.document_id(ranking[i].document)) + " " + std::to_string(i + 1) +
                 " " + score + " " + settings_.run_id + "\n");
    }
  }

  void write_json(const std::string* id, const std::string& query, const std::vector<RankedDocument>& ranking) {
    nlohmann::ordered_json object;
    if (id != nullptr) object["query_id"] = *id;
    object["query"] = query;
    object["hits"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < ranking.size(); ++i) {
      const StoredDocument document = index_.document(ranking[i].document);
      nlohmann::ordered_json hit{
          {"rank", i + 1}, {"score", ranking[i].score}, {"id", document.id}, {"document", ranking[i].document}};
      if (document.fields & RunDocument::kTitle) hit["title"] = document.title;
      object["hits"].push_back(std::move(hit));
    }
    out_.write(json_line(object));
  }

  const IndexReader& index_;
  const SearchOptions& settings_;
  Output& out_;
  Analyzer analyzer_;
  Bm25Ranker ranker_;
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
  add_value(output, "format", "NAME",
            "text (default: rank, score, id, title), trec (query Q0 id rank score run; blanks in ids as \\x20) or json "
            "(an object per query and line)");
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
