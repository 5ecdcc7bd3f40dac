// Reads the members of a JSON report. Every error names the file and the place of the value in it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/page/model.hpp"

namespace spillway {

inline constexpr const char* kReportRemedy = "give a file that --json of this program wrote";

// A value within a report, which must outlive it. All functions throw FormatError if the value has another type.
class JsonView {
 public:
  JsonView(const nlohmann::ordered_json& value, std::string file, std::string place = "")
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  // A member of this object: there is one and it is not null; nothing where it is missing or null.
  bool has(const std::string& name) const { return find(name).has_value(); }
  JsonView at(const std::string& name) const;
  std::optional<JsonView> find(const std::string& name) const;

  std::vector<JsonView> items() const;  // of an array; null is an empty one
  std::vector<std::pair<std::string, JsonView>> members() const;
  bool is_object() const { return value_->is_object(); }
  bool is_array() const { return value_->is_array(); }
  bool is_number() const { return value_->is_number(); }

  const nlohmann::ordered_json& json() const { return *value_; }
  double number() const;
  std::string text() const;
  // Any value in words: a string itself, a list with commas, anything else as JSON.
  std::string words() const;

  // The same with a fallback for a member that is missing or null.
  double number_at(const std::string& name, double fallback = 0) const;
  std::string text_at(const std::string& name, const std::string& fallback = "") const;
  bool flag_at(const std::string& name) const;  // false where it is missing

  // The member: a number, or the object of a series: {"median", "least", "most"}. Nothing where it is missing.
  std::optional<Value> value_at(const std::string& name) const;

  // Throws FormatError: the place, what was expected, what is there, and the remedy.
  [[noreturn]] void fail(const std::string& expected, const std::string& remedy = kReportRemedy) const;

 private:
  const nlohmann::ordered_json* value_;
  std::string file_, place_;
};

// `amount` divided by the seconds: a rate, whose least is that of the slowest round.
Value rate_of(double amount, const Value& seconds);

}  // namespace spillway
