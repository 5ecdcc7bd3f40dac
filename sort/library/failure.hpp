// Turns the project's exceptions into those of the library.
#pragma once

#include <system_error>

#include "io/base/error.hpp"
#include "sort/library/sort.hpp"

namespace spillway {

// Returns what call() returns. std::bad_alloc and SortFailure pass.
template <typename Call>
auto with_sort_failures(Call&& call) {
  using Kind = SortFailure::Kind;
  try {
    return call();
  } catch (const UsageError& error) {
    throw SortFailure(Kind::kUsage, error.what());
  } catch (const IoError& error) {
    throw SortFailure(Kind::kIo, error.what());
  } catch (const FormatError& error) {  // of a scratch file
    throw SortFailure(Kind::kIo, error.what());
  } catch (const BudgetError& error) {
    throw SortFailure(Kind::kBudget, error.what());
  } catch (const Error& error) {
    throw SortFailure(Kind::kOther, error.what());
  } catch (const std::system_error& error) {  // of a thread that cannot be started
    throw SortFailure(Kind::kOther, error.what());
  }
}

}  // namespace spillway
