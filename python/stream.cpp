#include "python/stream.hpp"

#include <cerrno>

#include "python/batches.hpp"
#include "python/names.hpp"
#include "python/rows.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

constexpr const char* kStreamMethod = "__arrow_c_stream__";
constexpr const char* kFileRows = "the input's rows";

// Moves the stream out of the capsule that the Arrow PyCapsule interface gives.
ArrowArrayStream take_stream(const nb::object& input) {
  const nb::object capsule = input.attr(interned(kStreamMethod))();
  const auto stream = take_from_capsule<ArrowArrayStream>(capsule, "arrow_array_stream");
  if (stream.release == nullptr) throw nb::value_error("the Arrow stream was read before; give a new one");
  return stream;
}

// A stream whose calls run on the caller's thread.
class ForwardedStream {
 public:
  ForwardedStream(ArrowArrayStream inner, JobThread& thread) : inner_(inner), thread_(thread) {}
  ~ForwardedStream() {
    if (inner_.release != nullptr) inner_.release(&inner_);
  }
  ForwardedStream(const ForwardedStream&) = delete;
  ForwardedStream& operator=(const ForwardedStream&) = delete;

  static ArrowArrayStream make(ArrowArrayStream inner, JobThread& thread) {
    ArrowArrayStream stream{};
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      return of(self).forward([self, out] { return of(self).inner_.get_schema(&of(self).inner_, out); });
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      return of(self).forward([self, out] { return of(self).inner_.get_next(&of(self).inner_, out); });
    };
    stream.get_last_error = [](ArrowArrayStream* self) -> const char* { return of(self).last_error(); };
    stream.release = [](ArrowArrayStream* self) {
      delete &of(self);
      self->release = nullptr;
    };
    stream.private_data = new ForwardedStream(inner, thread);
    return stream;
  }

 private:
  static ForwardedStream& of(ArrowArrayStream* self) { return *static_cast<ForwardedStream*>(self->private_data); }
  int forward(const std::function<int()>& call) {
    const int code = thread_.on_caller_thread(call);
    is_stopped_ = code == ECANCELED;
    return code;
  }
  const char* last_error() { return is_stopped_ ? "the job was stopped" : inner_.get_last_error(&inner_); }

  ArrowArrayStream inner_;
  JobThread& thread_;
  bool is_stopped_ = false;
};

}  // namespace

std::shared_ptr<ArrowStream> open_stream(nb::object input, const std::vector<std::string>& columns, JobThread& thread) {
  const KeepException keep = [&thread](std::exception_ptr error) { thread.keep(std::move(error)); };
  const char* name = "the documents";
  ArrowArrayStream inner{};
  if (nb::hasattr(input, interned(kStreamMethod))) {
    name = "the Arrow stream";
    inner = take_stream(input);
  } else if (has_batches(input)) {
    name = kFileRows;
    inner = stream_of(batches_of(input), keep);
  } else {
    inner = stream_of(rows_of(std::move(input), columns), keep);
  }
  ArrowArrayStream stream = ForwardedStream::make(inner, thread);
  return std::make_shared<ArrowStream>(stream, name);
}

std::shared_ptr<ArrowStream> open_stream_directly(nb::object input) {
  ArrowArrayStream stream = stream_of(batches_of(input), {});
  return std::make_shared<ArrowStream>(stream, kFileRows);
}

}  // namespace spillway::python
