// A producer of Arrow streams for tests: columns of text and integers, made batch by batch, with faults on demand.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corpora/arrow/stream.hpp"

namespace spillway::testing {

using Cells = std::vector<std::optional<std::string>>;

struct ProducedColumn {
  std::string name;
  std::string format = "u";  // u, U, vu, z, ..., or l for 64-bit integers
  Cells cells = {};
};

struct ProducedBatch {
  std::vector<ProducedColumn> columns;
  std::int64_t skipped = 0;        // rows before the first one, as a slice has them
  std::int64_t child_skipped = 0;  // the same, in the columns' own offset
};

// Counts of what a producer handed out.
struct ProducedCounts {
  std::atomic<int> released{0}, made{0}, most_held{0};
};

class ArrowProducer {
 public:
  using Next = std::function<std::optional<ProducedBatch>(int)>;  // by the batch's number; may throw an int: the error

  // Returns a stream of `columns` (their cells do not matter), whose batches come from `next`.
  static std::shared_ptr<ArrowStream> open(
      std::vector<ProducedColumn> columns, Next next,
      std::shared_ptr<ProducedCounts> counts = std::make_shared<ProducedCounts>()) {
    ArrowArrayStream stream{};
    stream.private_data = new ArrowProducer{std::move(columns), std::move(next), std::move(counts)};
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) { return of(self).schema(out); };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) { return of(self).batch(out); };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return "the disk\x1B is gone"; };
    stream.release = [](ArrowArrayStream* self) {
      delete &of(self);
      self->release = nullptr;
    };
    return std::make_shared<ArrowStream>(stream, "rows");
  }
  // All batches at once.
  static std::shared_ptr<ArrowStream> open(
      const std::vector<ProducedBatch>& batches,
      std::shared_ptr<ProducedCounts> counts = std::make_shared<ProducedCounts>()) {
    return open(
        batches.at(0).columns,
        [batches](int number) {
          const auto index = static_cast<std::size_t>(number);
          return index < batches.size() ? std::optional(batches[index]) : std::nullopt;
        },
        std::move(counts));
  }

 private:
  struct Buffers {
    std::vector<std::uint8_t> validity, values;
    std::string text;
    std::int64_t text_bytes = 0;
    std::vector<const void*> pointers;
  };
  struct Held {
    std::vector<Buffers> buffers;
    std::vector<ArrowArray> arrays;
    std::vector<ArrowArray*> children;
    const void* none = nullptr;
    std::shared_ptr<ProducedCounts> counts;
  };
  struct HeldSchema {
    std::vector<ProducedColumn> columns;
    std::vector<ArrowSchema> schemas;
    std::vector<ArrowSchema*> children;
  };
  ArrowProducer(std::vector<ProducedColumn> columns, Next next, std::shared_ptr<ProducedCounts> counts)
      : columns_(std::move(columns)), next_(std::move(next)), counts_(std::move(counts)) {}
  static ArrowProducer& of(ArrowArrayStream* self) { return *static_cast<ArrowProducer*>(self->private_data); }

  int schema(ArrowSchema* out) const {
    auto* const held = new HeldSchema{columns_, std::vector<ArrowSchema>(columns_.size()), {}};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      held->schemas[i].format = held->columns[i].format.c_str();
      held->schemas[i].name = held->columns[i].name.c_str();
      held->children.push_back(&held->schemas[i]);
    }
    *out = {};
    out->format = "+s";
    out->n_children = static_cast<std::int64_t>(columns_.size());
    out->children = held->children.data();
    out->private_data = held;
    out->release = [](ArrowSchema* self) {
      delete static_cast<HeldSchema*>(self->private_data);
      self->release = nullptr;
    };
    return 0;
  }

  int batch(ArrowArray* out) {
    try {
      const auto batch = next_(number_++);
      out->release = nullptr;
      if (batch) fill(*batch, *out);
      return 0;
    } catch (int code) {
      return code;
    }
  }

  void fill(const ProducedBatch& batch, ArrowArray& out) {
    auto* const held = new Held;
    held->counts = counts_;
    held->buffers.resize(batch.columns.size());
    held->arrays.resize(batch.columns.size());
    const auto rows = static_cast<std::int64_t>(batch.columns.at(0).cells.size());
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      fill_buffers(batch.columns[i], held->buffers[i]);
      ArrowArray& array = held->arrays[i];
      array.length = rows - batch.child_skipped;
      array.null_count = -1;
      array.offset = batch.child_skipped;
      array.n_buffers = static_cast<std::int64_t>(held->buffers[i].pointers.size());
      array.buffers = held->buffers[i].pointers.data();
      held->children.push_back(&array);
    }
    out = {};
    out.length = rows - batch.skipped - batch.child_skipped;
    out.offset = batch.skipped;
    out.n_buffers = 1;
    out.buffers = &held->none;
    out.n_children = static_cast<std::int64_t>(held->children.size());
    out.children = held->children.data();
    out.private_data = held;
    out.release = [](ArrowArray* self) {
      auto* const owned = static_cast<Held*>(self->private_data);
      ++owned->counts->released;
      delete owned;
      self->release = nullptr;
    };
    const int now = ++counts_->made - counts_->released;
    if (now > counts_->most_held) counts_->most_held = now;
  }

  template <typename Number>
  static void append(std::vector<std::uint8_t>& to, Number number) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&number);
    to.insert(to.end(), bytes, bytes + sizeof number);
  }

  static void fill_buffers(const ProducedColumn& column, Buffers& to) {
    to.validity.resize(column.cells.size() / 8 + 1);
    const bool is_view = column.format[0] == 'v', is_large = column.format == "U" || column.format == "Z";
    const auto append_offset = [&] {
      const auto at = static_cast<std::int64_t>(to.text.size());
      is_large ? append(to.values, at) : append(to.values, static_cast<std::int32_t>(at));
    };
    if (!is_view && column.format != "l") append_offset();
    for (std::size_t row = 0; row < column.cells.size(); ++row) {
      const auto& cell = column.cells[row];
      if (cell) to.validity[row / 8] = static_cast<std::uint8_t>(to.validity[row / 8] | 1 << row % 8);
      if (column.format == "l") {
        append(to.values, std::int64_t{cell ? std::stoll(*cell) : 0});
      } else if (is_view) {
        append_view(cell.value_or(""), to);
      } else {
        to.text += cell.value_or("");
        append_offset();
      }
    }
    to.text_bytes = static_cast<std::int64_t>(to.text.size());
    to.pointers = {to.validity.data(), to.values.data()};
    if (column.format != "l") to.pointers.push_back(to.text.data());
    if (is_view) to.pointers.push_back(&to.text_bytes);
  }

  static void append_view(const std::string& cell, Buffers& to) {
    std::uint8_t view[16] = {};
    const auto length = static_cast<std::int32_t>(cell.size());
    const auto offset = static_cast<std::int32_t>(to.text.size());
    std::memcpy(view, &length, 4);
    std::memcpy(view + 4, cell.data(), std::min<std::size_t>(cell.size(), 12));
    if (cell.size() > 12) {
      std::memset(view + 8, 0, 4);  // the first buffer
      std::memcpy(view + 12, &offset, 4);
      to.text += cell;
    }
    to.values.insert(to.values.end(), view, view + sizeof view);
  }

  const std::vector<ProducedColumn> columns_;
  const Next next_;
  const std::shared_ptr<ProducedCounts> counts_;
  int number_ = 0;
};

}  // namespace spillway::testing
