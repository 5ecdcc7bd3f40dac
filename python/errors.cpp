#include "python/errors.hpp"

#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>

#include "io/base/error.hpp"
#include "search/spillway.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/library/sort.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

const char* class_of(Failure::Kind kind) {
  switch (kind) {
    case Failure::Kind::kUsage:
      return "UsageError";
    case Failure::Kind::kIo:
      return "InputOutputError";
    case Failure::Kind::kCorrupt:
      return "CorruptError";
    case Failure::Kind::kOther:
      break;
  }
  return "Error";
}

const char* class_of(SortFailure::Kind kind) {
  switch (kind) {
    case SortFailure::Kind::kUsage:
      return "UsageError";
    case SortFailure::Kind::kIo:
      return "InputOutputError";
    case SortFailure::Kind::kBudget:
      return "BudgetError";
    case SortFailure::Kind::kOther:
      break;
  }
  return "Error";
}

const char* class_of(const Error& error) {
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return "UsageError";
  if (dynamic_cast<const GpuError*>(&error) != nullptr) return "GpuError";
  switch (error.code()) {
    case ExitCode::kBadIndex:
    case ExitCode::kCorrupt:
      return "CorruptError";
    case ExitCode::kBadInput:
      return "BadInputError";
    case ExitCode::kOverBudget:
      return "BudgetError";
    case ExitCode::kUsageOrIo:
      return "InputOutputError";
    default:
      return "Error";
  }
}

void raise(const char* name, const char* message) {
  PyObject* const module = PyImport_ImportModule("spillway.errors");
  PyObject* const type = module == nullptr ? nullptr : PyObject_GetAttrString(module, name);
  if (type != nullptr) PyErr_SetString(type, message);
  Py_XDECREF(type);
  Py_XDECREF(module);
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& error) {
    raise(class_of(error.kind()), error.what());
  } catch (const SortFailure& error) {
    raise(class_of(error.kind()), error.what());
  } catch (const InterruptedError& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const Error& error) {
    raise(class_of(error), error.what());
  }
}

}  // namespace

void register_errors() { nb::register_exception_translator(translate); }

}  // namespace spillway::python
