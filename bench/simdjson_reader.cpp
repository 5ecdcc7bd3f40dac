#include "bench/simdjson_reader.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace spillway {

struct SimdjsonReader::State {
  explicit State(Interface chosen)
      : interface(chosen), table(FieldNames()), values(table.name_count()), texts(table.name_count()) {}

  void parse_dom(std::string_view record) {
    for (const auto& [key, element] : dom.parse(record.data(), record.size(), false).get_object()) {
      const std::size_t name = table.find(key);
      if (name == FieldTable::kNoName) continue;
      switch (element.type()) {
        case simdjson::dom::element_type::STRING:
          keep(name, ValueKind::kString, element.get_string());
          break;
        case simdjson::dom::element_type::NULL_VALUE:
          keep(name, ValueKind::kNull, {});
          break;
        case simdjson::dom::element_type::BOOL:
          keep(name, ValueKind::kBoolean, {});
          break;
        case simdjson::dom::element_type::ARRAY:
        case simdjson::dom::element_type::OBJECT:
          keep(name, ValueKind::kContainer, {});
          break;
        default:
          keep(name, ValueKind::kNumber, "0");  // the DOM keeps the value of a number, not its text
      }
    }
  }

  void parse_on_demand(std::string_view record) {
    const simdjson::padded_string_view padded(record.data(), record.size(), record.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document = on_demand.iterate(padded);
    for (auto field : document.get_object()) {
      const std::size_t name = table.find(field.unescaped_key());
      if (name == FieldTable::kNoName) continue;
      auto value = field.value();
      switch (value.type()) {
        case simdjson::ondemand::json_type::string:
          keep(name, ValueKind::kString, value.get_string());
          break;
        case simdjson::ondemand::json_type::number:
          keep(name, ValueKind::kNumber, value.raw_json_token());
          break;
        case simdjson::ondemand::json_type::null:
          keep(name, ValueKind::kNull, {});
          break;
        case simdjson::ondemand::json_type::boolean:
          keep(name, ValueKind::kBoolean, {});
          break;
        default:
          keep(name, ValueKind::kContainer, {});
      }
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      throw std::runtime_error("bytes after the object");
  }

  void keep(std::size_t name, ValueKind kind, std::string_view text) {
    values[name] = {kind, 0, 0, text.size()};
    texts[name] = text;
  }

  void emit(DocumentSink& sink) {
    const ChosenFields chosen = table.choose(values);
    if (judge_fields(chosen, values, std::uint64_t{64} << 20)) throw std::runtime_error("a record gives no document");
    const auto text_of = [&](std::size_t name) {
      return name == FieldTable::kNoName ? std::string_view() : texts[name];
    };
    DocumentFields fields;
    fields.id = text_of(chosen.id);
    fields.title = text_of(chosen.title);
    fields.has_title = chosen.title != FieldTable::kNoName;
    sink.begin(fields, {});
    sink.text(text_of(chosen.text));
    sink.end();
  }

  Interface interface;
  FieldTable table;
  std::vector<FieldValue> values;
  std::vector<std::string_view> texts;
  simdjson::dom::parser dom;
  simdjson::ondemand::parser on_demand;
};

SimdjsonReader::SimdjsonReader(Interface interface) : state_(std::make_unique<State>(interface)) {}
SimdjsonReader::~SimdjsonReader() = default;

void SimdjsonReader::parse_block(std::string_view block, DocumentSink& sink) {
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = block.find('\n', begin);
    const std::string_view record = block.substr(begin, end - begin);
    std::fill(state_->values.begin(), state_->values.end(), FieldValue{});
    state_->interface == Interface::kDom ? state_->parse_dom(record) : state_->parse_on_demand(record);
    state_->emit(sink);
    begin = end + 1;
  }
}

std::string SimdjsonReader::instruction_set() const {
  return state_->interface == Interface::kDom ? simdjson::get_active_implementation()->name()
                                              : simdjson::builtin_implementation()->name();
}

}  // namespace spillway
