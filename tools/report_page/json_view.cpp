#include "tools/report_page/json_view.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// The value itself where it is short enough to read.
std::string found_text(const nlohmann::ordered_json& value) {
  const std::string type = value.type_name();
  if (value.is_string()) return type + " \"" + printable(value.get<std::string>(), 60) + "\"";
  return value.is_number() || value.is_boolean() ? type + " " + value.dump() : type;
}

[[noreturn]] void refuse(const std::string& file, const std::string& place, const std::string& words) {
  throw FormatError("'" + printable(file, 4096) + "', at " + (place.empty() ? "the top" : printable(place)) +
                    ": expected " + words);
}

}  // namespace

JsonView JsonView::at(const std::string& name) const {
  if (const auto found = find(name)) return *found;
  refuse(file_, place_, "the member \"" + name + "\", found none; " + kReportRemedy);
}

std::optional<JsonView> JsonView::find(const std::string& name) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(name);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonView(*found, file_, place_ + "/" + name);
}

std::vector<JsonView> JsonView::items() const {
  if (value_->is_null()) return {};
  if (!value_->is_array()) fail("an array");
  std::vector<JsonView> items;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    items.emplace_back((*value_)[i], file_, place_ + "/" + std::to_string(i));
  }
  return items;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::pair<std::string, JsonView>> members;
  for (const auto& [name, value] : value_->items()) {
    members.emplace_back(name, JsonView(value, file_, place_ + "/" + name));
  }
  return members;
}

double JsonView::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

std::string JsonView::text() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

std::string JsonView::words() const {
  if (value_->is_string()) return value_->get<std::string>();
  if (value_->is_number()) return quantity_text(value_->get<double>(), plain_unit());
  if (value_->is_boolean()) return value_->get<bool>() ? "yes" : "no";
  if (value_->is_null()) return "-";
  std::string text;
  if (value_->is_array()) {
    for (const JsonView& item : items()) text += (text.empty() ? "" : ", ") + item.words();
  } else {
    for (const auto& [name, value] : members()) text += (text.empty() ? "" : ", ") + name + " " + value.words();
  }
  return text.empty() ? "-" : text;
}

double JsonView::number_at(const std::string& name, double fallback) const {
  const auto found = find(name);
  return found ? found->number() : fallback;
}

std::string JsonView::text_at(const std::string& name, const std::string& fallback) const {
  const auto found = find(name);
  return found ? found->text() : fallback;
}

bool JsonView::flag_at(const std::string& name) const {
  const auto found = find(name);
  if (found && !found->json().is_boolean()) found->fail("true or false");
  return found && found->json().get<bool>();
}

std::optional<Value> JsonView::value_at(const std::string& name) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  if (found->is_number()) return Value{found->number(), found->number(), found->number()};
  const double median = found->at("median").number();
  return Value{median, std::min(median, found->number_at("least", median)),
               std::max(median, found->number_at("most", median))};
}

void JsonView::fail(const std::string& expected, const std::string& remedy) const {
  refuse(file_, place_, expected + ", found " + found_text(*value_) + "; " + remedy);
}

Value rate_of(double amount, const Value& seconds) {
  const auto rate = [amount](double time) { return amount / std::max(time, 1e-12); };
  return {rate(seconds.middle), rate(seconds.most), rate(seconds.least)};
}

}  // namespace spillway
