// JSONL records through simdjson: the peer that bench/json_bench.cpp compares the fast parser with. It does the same
// work as JsonlParser on good records: members by name, the last of equal names, and the judgement of the fields.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "corpora/document/field_table.hpp"

namespace spillway {

class SimdjsonReader {
 public:
  enum class Interface { kDom, kOnDemand };

  explicit SimdjsonReader(Interface interface);
  ~SimdjsonReader();

  // Hands the records of `block` to the sink, whole lines with kRecordPadding readable bytes after them. Throws
  // std::runtime_error for a record that gives no document.
  void parse_block(std::string_view block, DocumentSink& sink);
  // The instruction set that the interface runs with on this machine, as simdjson names it: the DOM chooses at run
  // time, on-demand has the one that it was compiled for.
  std::string instruction_set() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
