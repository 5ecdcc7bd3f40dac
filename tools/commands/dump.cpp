// `spillway dump`: terms, postings or documents of an index, all or a range, as text or JSON lines.
#include <cinttypes>
#include <limits>

#include "io/format/index_types.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

const std::vector<std::string> kWhat{"terms", "postings", "documents"};
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

struct DumpOptions {
  std::string from;
  std::optional<std::string> to, term;
  std::uint64_t first = 0, count = std::numeric_limits<std::uint64_t>::max();
  bool json = false, positions = false;
};

std::string shown(std::string_view text) { return printable(text, kNoLimit); }

DumpOptions dump_options(const Arguments& arguments) {
  DumpOptions result;
  const std::string& what = arguments.operands()[1];
  const auto only_for = [&](const char* option, bool applies) {
    if (arguments.has(option) && !applies) {
      throw UsageError(std::string("--") + option + " does not apply to " + what + " ('spillway dump --help')");
    }
  };
  only_for("from", what != "documents");
  only_for("to", what != "documents");
  only_for("first", what == "documents");
  only_for("term", what == "postings");
  only_for("positions", what == "postings");
  if (arguments.has("term") && (arguments.has("from") || arguments.has("to"))) {
    throw UsageError("--term names one list; leave out --from and --to");
  }
  result.from = arguments.text("from").value_or("");
  result.to = arguments.text("to");
  result.term = arguments.text("term");
  take_count(arguments, "first", 0, UINT32_MAX, result.first);
  take_count(arguments, "count", 0, UINT64_MAX, result.count);
  take_choice(arguments, "format", result.json);
  result.positions = arguments.has("positions");
  return result;
}

class Dumper {
 public:
  Dumper(const IndexReader& index, const DumpOptions& settings, Session& session)
      : index_(index), settings_(settings), session_(session), out_(session.out) {}

  void terms() {
    each_term([&](const TermEntry& entry) {
      if (settings_.json) {
        out_.write(json_line({{"term", entry.term}, {"df", entry.document_count}, {"cf", entry.occurrence_count}}));
      } else {
        out_.write(shown(entry.term) + "\t" + std::to_string(entry.document_count) + "\t" +
                   std::to_string(entry.occurrence_count) + "\n");
      }
    });
  }

  void postings() {
    if (!settings_.term) return each_term([&](const TermEntry& entry) { postings_of(entry); });
    const auto entry = index_.find_term(*settings_.term);
    if (!entry) {
      throw Error(ExitCode::kBadIndex, "no such term: the index has none '" + printable(*settings_.term) +
                                           "'; give it as stored (lower case, stemmed)");
    }
    postings_of(*entry);
  }

  void documents() {
    const std::uint64_t all = index_.counts().documents;
    for (std::uint64_t i = settings_.first, left = settings_.count; i < all && left > 0; ++i, --left) {
      throw_if_interrupted(session_.signal_number);
      const auto number = static_cast<std::uint32_t>(i);
      const StoredDocument document = index_.document(number);
      if (settings_.json) {
        out_.write(json_line(document_json(number, document)));
      } else {
        out_.write(std::to_string(number) + "\t" + shown(document.id) + "\t" + std::to_string(document.length) + "\t" +
                   shown(document.title) + "\t" + shown(document.url) + "\t" + shown(document.date) + "\n");
      }
    }
  }

 private:
  template <typename Take>
  void each_term(const Take& take) {
    TermTableCursor cursor(index_, settings_.from);
    for (std::uint64_t left = settings_.count; left > 0 && cursor.next(); --left) {
      throw_if_interrupted(session_.signal_number);
      if (settings_.to && cursor.entry().term >= *settings_.to) return;
      take(cursor.entry());
    }
  }

  // Writes block by block, because lists have no length limit.
  void postings_of(const TermEntry& entry) {
    const std::string term = shown(entry.term);
    if (settings_.json) {
      std::string head =
          json_line({{"term", entry.term}, {"df", entry.document_count}, {"cf", entry.occurrence_count}});
      head.resize(head.size() - 2);  // the closing brace and the line feed
      out_.write(head + ",\"postings\":[");
    }
    PostingsCursor cursor(index_, entry);
    std::optional<PositionCursor> positions;
    if (settings_.positions) positions.emplace(index_, entry);
    bool is_first = true;
    while (cursor.next_block()) {
      throw_if_interrupted(session_.signal_number);
      for (std::size_t i = 0; i < cursor.documents().size(); ++i) {
        if (settings_.json) {
          out_.write(is_first ? "[" : ",[");
        } else {
          out_.write(term);
          out_.write("\t");
        }
        out_.write(std::to_string(cursor.documents()[i]));
        out_.write(settings_.json ? "," : "\t");
        out_.write(std::to_string(cursor.frequencies()[i]));
        if (positions) {
          positions->seek(cursor, i);
          positions_of_posting(*positions);
        }
        out_.write(settings_.json ? "]" : "\n");
        is_first = false;
      }
    }
    if (settings_.json) out_.write("]}\n");
  }

  // Writes positions as they are read: there may be as many as a document has tokens.
  void positions_of_posting(PositionCursor& positions) {
    const char* separator = settings_.json ? ",[" : "\t";
    for (auto some = positions.next(); !some.empty(); some = positions.next()) {
      for (const std::uint32_t position : some) {
        out_.write(separator);
        out_.write(std::to_string(position));
        separator = settings_.json ? "," : " ";
      }
    }
    if (settings_.json) out_.write("]");
  }

  const IndexReader& index_;
  const DumpOptions& settings_;
  Session& session_;
  Output& out_;
};

ExitCode run_dump_command(const Arguments& arguments, Session& session) {
  const std::size_t what = parse_choice("WHAT", arguments.operands()[1], kWhat);
  const DumpOptions settings = dump_options(arguments);
  const IndexReader index(session.files, arguments.operands()[0]);
  Dumper dumper(index, settings, session);
  if (what == 0) dumper.terms();
  if (what == 1) dumper.postings();
  if (what == 2) dumper.documents();
  return ExitCode::kDone;
}

}  // namespace

Command dump_command() {
  Command command;
  command.name = "dump";
  command.summary = "write terms, postings or documents of an index";
  command.examples = {
      {"spillway dump docs.index terms --from a --to b", "term, documents, occurrences: all terms from a up to b"},
      {"spillway dump docs.index postings --term sort", "term, document, frequency: one list"},
      {"spillway dump docs.index postings --term sort --positions", "... with the positions in each document"},
      {"spillway dump docs.index documents --first 10 --count 5 --format json", "five documents as JSON lines"}};
  command.operands = "INDEX terms|postings|documents [OPTIONS]";
  command.notes =
      "\nText has columns separated by tabs, with control characters escaped: term, document count, occurrences;\n"
      "term, document, frequency[, positions]; document, id, length, title, url, date. Documents are numbered from 0.";
  auto range = option_group("Range"), output = option_group("Output");
  add_value(range, "from", "TERM", "terms, postings: start at this term (in byte order)");
  add_value(range, "to", "TERM", "terms, postings: stop before this term");
  add_value(range, "term", "TERM", "postings: of this term, as stored in the index (lower case, stemmed)");
  add_value(range, "first", "N", "documents: start at this number");
  add_value(range, "count", "N", "at most N terms, lists or documents");
  add_flag(output, "positions", "postings: with positions, if the index has them");
  add_choice(output, "format", "NAME", {"text", "json"},
             "text (default) or json: one object per line for each term, list or document");
  command.groups.push_back(range);
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 2;
  command.operand_choices = kWhat;
  command.exit_codes = {{ExitCode::kBadIndex, "the index does not have the term of --term"},
                        {ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_dump_command;
  return command;
}

}  // namespace spillway
