// Inputs of Python as Arrow streams for the engine.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "corpora/arrow/stream.hpp"
#include "python/job_thread.hpp"

namespace spillway::python {

// The stream of `input`: an object with __arrow_c_stream__, batches of files (python/batches.hpp), or an iterator over
// rows, whose `columns` are taken (python/rows.hpp). Its batches are made on the thread that calls thread.run().
// Requires: the interpreter's lock; `thread` outlives the stream. Throws nb::python_error.
std::shared_ptr<ArrowStream> open_stream(nanobind::object input, const std::vector<std::string>& columns,
                                         JobThread& thread);

// The stream of batches of files, which the engine's threads ask for themselves.
std::shared_ptr<ArrowStream> open_stream_directly(nanobind::object input);

}  // namespace spillway::python
