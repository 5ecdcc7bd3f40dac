// `spillway doc`: one document by its id.
#include "io/format/cursors.hpp"
#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

std::string document_text(std::uint32_t number, const StoredDocument& document) {
  std::string text = "id      " + printable(document.id, 70000) + "\n" + "number  " + std::to_string(number) + "\n" +
                     "length  " + std::to_string(document.length) + "\n";
  if (document.fields & RunDocument::kTitle) text += "title   " + printable(document.title, 70000) + "\n";
  if (document.fields & RunDocument::kUrl) text += "url     " + printable(document.url, 70000) + "\n";
  if (document.fields & RunDocument::kDate) text += "date    " + printable(document.date, 70000) + "\n";
  return text;
}

// The text, safe for a terminal. Ends with a line feed.
std::string text_lines(const std::string& text) {
  const std::string lines = printable_lines(text);
  return lines.ends_with('\n') ? lines : lines + "\n";
}

ExitCode run_doc_command(const Arguments& arguments, Session& session) {
  const IndexReader index(session.files, arguments.operands()[0]);
  const std::string& id = arguments.operands()[1];
  const std::vector<std::uint32_t> numbers = index.find_documents(id);
  if (numbers.empty()) {
    throw Error(ExitCode::kBadIndex, "no such document: no document has the id '" + printable(id) + "'");
  }
  const bool with_text = arguments.has("text");
  if (with_text && index.options().store != StorePolicy::kText) {
    throw UsageError("no texts are stored in " + printable(arguments.operands()[0], 4096) +
                     "; index again with --store text");
  }
  bool is_first = true;
  for (const std::uint32_t number : numbers) {
    const StoredDocument document = index.document(number);
    if (arguments.has("json")) {
      nlohmann::ordered_json object = document_json(number, document);
      if (with_text) object["text"] = index.document_text(number);
      session.out.write(json_line(object));
    } else if (with_text) {
      session.out.write(text_lines(index.document_text(number)));
    } else {
      session.out.write((is_first ? "" : "\n") + document_text(number, document));
    }
    is_first = false;
  }
  return ExitCode::kDone;
}

}  // namespace

Command doc_command() {
  Command command;
  command.name = "doc";
  command.summary = "show one document by its id";
  command.examples = {{"spillway doc docs.index 1961-Kennedy", "its number, length and stored fields"},
                      {"spillway doc docs.index 1961-Kennedy --json", "for programs"},
                      {"spillway doc docs.index 1961-Kennedy --text", "its text, from an index with --store text"}};
  command.operands = "INDEX ID [OPTIONS]";
  command.notes =
      "\nShows every document with this id; there may be several if the index was made with --duplicate-ids keep.";
  auto output = option_group("Output");
  add_flag(output, "json", "write one JSON object per line for each document");
  add_flag(output, "text", "write the stored text, or add it to the JSON object");
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 2;
  command.exit_codes = {{ExitCode::kBadIndex, "no document has this id"},
                        {ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_doc_command;
  return command;
}

}  // namespace spillway
