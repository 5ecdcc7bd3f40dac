#include "tools/manual/page.hpp"

#include "tools/cli/build_facts.hpp"
#include "tools/cli/option_table.hpp"

namespace spillway {

namespace {

// Escapes what roff would take for requests or turn into typographic signs.
std::string escaped(const std::string& text) {
  std::string result;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) result += "\\&";
    at_line_start = c == '\n';
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '"':
        result += "\\(dq";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\n');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of('\n') - begin + 1);
}

std::string option_entry(const OptionText& option) {
  std::string head = option.short_name.empty() ? "" : "\\fB" + escaped(option.short_name) + "\\fR, ";
  head += "\\fB" + escaped(option.long_name) + "\\fR";
  if (!option.value_name.empty()) head += " \\fI" + escaped(option.value_name) + "\\fR";
  return ".TP\n" + head + "\n" + escaped(option.meaning) + "\n";
}

std::string command_section(const Command& command) {
  std::string page = ".SS spillway " + escaped(command.name) + "\n" + escaped(command.summary) + "\n.PP\n.B spillway " +
                     escaped(command.name) + "\n" + escaped(command.operands) + "\n";
  if (!command.notes.empty()) page += ".PP\n" + escaped(trimmed(command.notes)) + "\n";
  for (const OptionGroupText& group : option_table(command)) {
    if (group.caption == "Help") continue;
    page += ".PP\n.I " + escaped(group.caption) + "\n";
    for (const OptionText& option : group.options) page += option_entry(option);
  }
  page += ".PP\n.I Examples\n";
  for (const Example& example : command.examples) {
    page += ".TP\n.B " + escaped(example.command) + "\n" + escaped(example.meaning) + "\n";
  }
  page += ".PP\n.I Exit codes\n";
  for (const auto& [code, meaning] : command.exit_codes) {
    page += ".TP\n" + std::to_string(static_cast<int>(code)) + "\n" + escaped(meaning) + "\n";
  }
  return page;
}

}  // namespace

std::string manual_page(const std::vector<Command>& commands) {
  std::string page = ".TH SPILLWAY 1 \"" + escaped(build_facts().date) + "\" \"spillway " + escaped(kVersion) +
                     "\" \"User Commands\"\n";
  page +=
      ".SH NAME\nspillway \\- build inverted indexes from corpora that do not fit in memory, and search them\n"
      ".SH SYNOPSIS\n.B spillway\n.I COMMAND\n.RI [ ARGUMENTS ]\n"
      ".SH DESCRIPTION\nData goes to standard output, messages to standard error. Nothing is overwritten without\n"
      ".BR \\-\\-force .\n"
      "Sizes: K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB powers of 1000.\n"
      "Where an option is repeated, the last one wins; those of\n.BR \\-\\-temp\\-dir\nadd up.\n"
      ".B spillway help\n.I COMMAND\nand the option\n.BR \\-\\-help \" (\" \\-h )\n"
      "of every command show examples, options and exit codes;\n"
      ".BR \\-\\-version \" (\" \\-V )\nshows the version.\n"
      ".SH COMMANDS\n";
  for (const Command& command : commands) page += command_section(command);
  page +=
      ".SH EXIT STATUS\n"
      ".TP\n0\ndone\n"
      ".TP\n1\nverify: the index is bad; doc, dump: no such document or term; doctor: something should be fixed\n"
      ".TP\n2\nwrong usage, or a file cannot be read or written\n"
      ".TP\n3\nmore bad input than allowed\n"
      ".TP\n4\nthe memory or disk budget is too small\n"
      ".TP\n5\na file is corrupt or of another version\n"
      ".TP\n6\na GPU was required, and none is usable\n"
      ".TP\n129, 130, 141, 143\nended by SIGHUP, SIGINT, SIGPIPE, SIGTERM, as a shell shows it\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B TERM\nif it is not set, or dumb, nothing is bold and progress is not redrawn in place\n"
      ".TP\n.B NO_COLOR\nif it is set, nothing is bold\n"
      ".TP\n.B COLUMNS\nthe width of a terminal that does not tell its own\n";
  return page;
}

}  // namespace spillway
