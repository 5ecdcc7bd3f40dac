// `spillway manual KIND`: the manual page and completions that packages install beside the program.
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/manual/completions.hpp"
#include "tools/manual/page.hpp"

namespace spillway {

namespace {

const std::vector<std::string> kKinds{"man", "bash", "zsh", "fish"};

ExitCode run_manual_command(const Arguments& arguments, Session& session) {
  std::vector<Command> commands = all_commands();
  std::erase_if(commands, [](const Command& command) { return command.is_for_builds; });
  switch (parse_choice("KIND", arguments.operands()[0], kKinds)) {
    case 0:
      session.out.write(manual_page(commands));
      break;
    case 1:
      session.out.write(bash_completions(commands));
      break;
    case 2:
      session.out.write(zsh_completions(commands));
      break;
    default:
      session.out.write(fish_completions(commands));
  }
  return ExitCode::kDone;
}

}  // namespace

Command manual_command() {
  Command command;
  command.name = "manual";
  command.summary = "write the manual page, or completions for a shell";
  command.examples = {{"spillway manual man > spillway.1", "the manual page: man ./spillway.1"},
                      {"source <(spillway manual bash)", "completion in this shell"}};
  command.operands = "man|bash|zsh|fish";
  command.operand_choices = kKinds;
  command.min_operands = command.max_operands = 1;
  command.is_for_builds = true;
  command.run = run_manual_command;
  return command;
}

}  // namespace spillway
