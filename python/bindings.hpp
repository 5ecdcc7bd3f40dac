// The parts of the module _engine, by subject. Each adds its functions and classes; their documentation stands with the
// Python functions that call them (python/spillway/).
#pragma once

#include <nanobind/nanobind.h>

namespace spillway::python {

void bind_jobs(nanobind::module_& module);     // index, append, merge, plan, verify, export
void bind_search(nanobind::module_& module);   // an open index
void bind_sort(nanobind::module_& module);     // lines of files, strings in memory
void bind_command(nanobind::module_& module);  // the program
void bind_parquet(nanobind::module_& module);  // row groups of Parquet files

}  // namespace spillway::python
