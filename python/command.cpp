// The program `spillway` inside Python: all its commands, and inputs that Python opens for `index` and `append`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/file/posix_file_system.hpp"
#include "io/memory/program_bytes.hpp"
#include "python/bindings.hpp"
#include "python/job_thread.hpp"
#include "python/object_files.hpp"
#include "python/stream.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/standard_streams.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/index_run.hpp"
#include "tools/options/append.hpp"
#include "tools/options/index.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// The names of each field.
nb::dict field_names(const FieldNames& fields) {
  nb::dict names;
  names["id"] = fields.id;
  names["title"] = fields.title;
  names["text"] = fields.text;
  names["url"] = fields.url;
  names["date"] = fields.date;
  return names;
}

// Asks open_inputs(inputs, names, threads, part, memory) for batches of rows, and takes them instead of the files. It
// returns None for plain files, and raises an exception that says why it refuses. It hands out the rows of the part
// alone.
void open_columns(const nb::callable& open_inputs, IndexOptions& options) {
  const nb::gil_scoped_acquire locked;
  nb::object opened;
  try {
    const nb::tuple part = nb::make_tuple(options.corpus.part_number, options.corpus.part_count);
    opened =
        open_inputs(options.inputs, field_names(options.corpus.fields), options.threads, part, options.memory_bytes);
  } catch (nb::python_error& error) {
    if (const int number = received_signal(); number != 0) throw InterruptedError(number);
    throw IoError(nb::cast<std::string>(nb::str(error.value())));
  }
  if (opened.is_none()) return;
  options.corpus.arrow = open_stream_directly(std::move(opened));
  options.corpus.part_number = options.corpus.part_count = 1;
  options.inputs.clear();
  options.program_bytes = kLibraryProgramBytes;
}

// As for columns, the budget of a job that reads object stores is what it takes beyond what Python has.
void charge_reading_ahead(ObjectFileSystem& objects, IndexOptions& options) {
  const std::size_t bytes = objects.expect(options.inputs, options.memory_bytes);
  if (bytes != 0) options.program_bytes = kLibraryProgramBytes + bytes;
}

void let_python_open_inputs(Command& command, const nb::callable& open_inputs, ObjectFileSystem& objects) {
  const bool appends = command.name == "append";
  command.run = [&, appends](const Arguments& arguments, Session& session) {
    return run_index_job(appends ? "append" : "index", arguments, session,
                         [&](const Arguments& given, FileSystem& files, const std::function<void()>& check) {
                           IndexOptions options =
                               appends ? append_options(given, files, check) : index_options(given, files, check);
                           open_columns(open_inputs, options);
                           charge_reading_ahead(objects, options);
                           return options;
                         });
  };
}

// Runs the program with `words`, and returns its exit code; above 128 the caller ends by the signal.
int run_program(const std::vector<std::string>& words, const nb::callable& open_inputs) {
  const nb::gil_scoped_release unlocked;
  note_job_of_process();
  fill_standard_streams();
  install_signal_handlers();
  end_with_parent();
  Output out(STDOUT_FILENO, "standard output");
  ObjectFileSystem files(posix_file_system(), received_signal());
  Session session{files, out, received_signal()};
  std::vector<Command> commands = all_commands();
  for (Command& command : commands) {
    if (command.name == "index" || command.name == "append") let_python_open_inputs(command, open_inputs, files);
  }
  return run_command_line(words, commands, session);
}

// The operands among the words of a command line. None if the command or an option is wrong, which run_program()
// tells, and for commands that read their words themselves.
std::vector<std::string> operands_of(const std::vector<std::string>& words) {
  for (const Command& command : all_commands()) {
    if (words.empty() || command.name != words.front() || command.run_words) continue;
    try {
      return parse_arguments(command, {words.begin() + 1, words.end()}).operands();
    } catch (const UsageError&) {
      return {};
    }
  }
  return {};
}

}  // namespace

void bind_command(nb::module_& module) {
  module.def("run_program", run_program, nb::arg("words"), nb::arg("open_inputs"));
  module.def("operands", operands_of, nb::arg("words"));
  module.def("received_signal", [] { return received_signal().load(); });
  module.def("end_by_signal", [](int number) { end_by_signal(number); });
  module.attr("signal_exit") = kSignalExit;
}

}  // namespace spillway::python
