// The module spillway._engine.
#include <nanobind/nanobind.h>

#include "python/bindings.hpp"
#include "python/errors.hpp"
#include "tools/cli/build_facts.hpp"

NB_MODULE(_engine, module) {
  namespace python = spillway::python;
  module.doc() = "The engine of Spillway. The package spillway is its public face.";
  module.attr("version") = spillway::kVersion;
  python::register_errors();
  python::bind_jobs(module);
  python::bind_search(module);
  python::bind_sort(module);
  python::bind_command(module);
  python::bind_parquet(module);
}
