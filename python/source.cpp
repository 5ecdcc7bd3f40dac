#include "python/source.hpp"

#include <cerrno>
#include <string>
#include <utility>

namespace spillway::python {

namespace {

namespace nb = nanobind;

class SourceStream {
 public:
  SourceStream(std::unique_ptr<PythonSource> source, KeepException keep)
      : source_(std::move(source)), keep_(std::move(keep)) {}
  ~SourceStream() {
    const nb::gil_scoped_acquire locked;
    source_.reset();
  }
  SourceStream(const SourceStream&) = delete;
  SourceStream& operator=(const SourceStream&) = delete;

  int call(const std::function<void(PythonSource&)>& work) {
    const nb::gil_scoped_acquire locked;
    try {
      work(*source_);
      return 0;
    } catch (const nb::python_error& error) {
      message_ = nb::cast<std::string>(nb::str(error.value()));
      fail();
    } catch (const std::exception& error) {
      message_ = error.what();
      fail();
    }
    return EIO;
  }
  const char* message() const { return message_.c_str(); }

 private:
  void fail() {
    if (keep_) keep_(std::current_exception());
  }

  std::unique_ptr<PythonSource> source_;
  const KeepException keep_;
  std::string message_;
};

SourceStream& of(ArrowArrayStream* stream) { return *static_cast<SourceStream*>(stream->private_data); }

}  // namespace

ArrowArrayStream stream_of(std::unique_ptr<PythonSource> source, KeepException keep) {
  ArrowArrayStream stream{};
  stream.private_data = new SourceStream(std::move(source), std::move(keep));
  stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return of(self).call([out](PythonSource& inner) { inner.schema(*out); });
  };
  stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return of(self).call([out](PythonSource& inner) { inner.next(*out); });
  };
  stream.get_last_error = [](ArrowArrayStream* self) { return of(self).message(); };
  stream.release = [](ArrowArrayStream* self) {
    delete &of(self);
    self->release = nullptr;
  };
  return stream;
}

}  // namespace spillway::python
