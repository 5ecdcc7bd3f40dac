// `spillway doc`: one document by its id.
#include "io/index_reader.hpp"
#include "tools/command_line.hpp"
#include "tools/json_output.hpp"

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

ExitCode run_doc_command(const Arguments& arguments, Session& session) {
  const IndexReader index(session.files, arguments.operands()[0]);
  const std::string& id = arguments.operands()[1];
  const std::vector<std::uint32_t> numbers = index.find_documents(id);
  if (numbers.empty()) throw UsageError("no document has the id '" + printable(id) + "'");
  bool is_first = true;
  for (const std::uint32_t number : numbers) {
    const StoredDocument document = index.document(number);
    if (arguments.has("json")) {
      session.out.write(json_line(document_json(number, document)));
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
                      {"spillway doc docs.index 1961-Kennedy --json", "for programs"}};
  command.operands = "INDEX ID [OPTIONS]";
  command.notes = "\nEvery document with this id is shown: more than one where --duplicate-ids keep kept them.";
  auto output = option_group("Output");
  add_flag(output, "json", "write a JSON object per document and line");
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 2;
  command.exit_codes = {{ExitCode::kCorrupt, "the index is corrupt or of another version"}};
  command.run = run_doc_command;
  return command;
}

}  // namespace spillway
