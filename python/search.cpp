// An open index: search, postings, positions and documents.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>

#include "io/base/error.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/job_thread.hpp"
#include "search/spillway.hpp"
#include "tools/search/output.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

// Text from an index: ids of old indexes may be broken UTF-8.
nb::object text_of(const std::string& bytes) {
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

struct Found {
  std::vector<std::uint64_t> offsets{0};  // of each query's first hit, and the end
  std::vector<std::uint32_t> documents;
  std::vector<double> scores;
  std::vector<std::string> ids;

  void add(const std::vector<Hit>& hits) {
    for (const Hit& hit : hits) {
      documents.push_back(hit.document);
      scores.push_back(hit.score);
      ids.push_back(hit.id);
    }
    offsets.push_back(documents.size());
  }
  // (offsets, documents, scores, ids)
  nb::tuple to_python() && {
    nb::list texts;
    for (const std::string& id : ids) texts.append(text_of(id));
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(documents)), to_numpy(std::move(scores)),
                          texts);
  }
};

std::vector<Hit> answer(Searcher& searcher, const std::string& query, std::size_t k, bool plain) {
  return plain ? searcher.search_plain(query, k) : searcher.search(query, k);
}

class OpenIndex {
 public:
  explicit OpenIndex(const std::string& directory) : index_(directory) {}

  const Index& index() const { return index_; }

  nb::tuple search(const std::string& query, std::size_t k, bool plain, double k1, double b) const {
    Found found;
    {
      const nb::gil_scoped_release unlocked;
      Searcher searcher(index_, {k1, b});
      found.add(answer(searcher, query, k, plain));
    }
    return std::move(found).to_python();
  }

  nb::tuple search_many(const std::vector<std::string>& queries, std::size_t k, unsigned threads, bool plain, double k1,
                        double b) const {
    std::vector<std::vector<Hit>> answers(queries.size());
    JobThread().run([&](std::atomic<int>& signal_number) {
      std::atomic<std::size_t> next{0};
      std::mutex mutex;
      std::exception_ptr error;
      const auto work = [&] {
        try {
          Searcher searcher(index_, {k1, b});
          for (std::size_t i = next++; i < queries.size() && signal_number == 0; i = next++) {
            answers[i] = answer(searcher, queries[i], k, plain);
          }
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (error == nullptr) error = std::current_exception();
          next = queries.size();
        }
      };
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
      work();
      others.clear();
      if (error != nullptr) std::rethrow_exception(error);
      if (const int number = signal_number) throw InterruptedError(number);
    });
    Found found;
    for (const std::vector<Hit>& hits : answers) found.add(hits);
    return std::move(found).to_python();
  }

  // (documents, frequencies)
  nb::tuple postings(const std::string& term) const {
    std::vector<std::uint32_t> documents, frequencies;
    {
      const nb::gil_scoped_release unlocked;
      Postings postings = index_.postings(term);
      documents.reserve(postings.document_count());
      frequencies.reserve(postings.document_count());
      while (postings.next()) {
        documents.push_back(postings.document());
        frequencies.push_back(postings.frequency());
      }
    }
    return nb::make_tuple(to_numpy(std::move(documents)), to_numpy(std::move(frequencies)));
  }

  // (documents, offsets, positions)
  nb::tuple positions(const std::string& term) const {
    std::vector<std::uint32_t> documents, positions;
    std::vector<std::uint64_t> offsets{0};
    {
      const nb::gil_scoped_release unlocked;
      if (!index_.has_positions()) {
        throw Failure(Failure::Kind::kUsage, "the index has no positions; make it with positions=True (--positions)");
      }
      Postings postings = index_.postings(term);
      positions.reserve(postings.occurrence_count());
      while (postings.next()) {
        const std::vector<std::uint32_t> of_document = postings.positions();
        positions.insert(positions.end(), of_document.begin(), of_document.end());
        documents.push_back(postings.document());
        offsets.push_back(positions.size());
      }
    }
    return nb::make_tuple(to_numpy(std::move(documents)), to_numpy(std::move(offsets)), to_numpy(std::move(positions)));
  }

  nb::dict document(std::uint32_t number, bool with_text) const {
    const StoredFields stored = index_.document(number);
    nb::dict fields;
    fields["number"] = number;
    fields["id"] = text_of(stored.id);
    fields["title"] = text_of(stored.title);
    fields["url"] = text_of(stored.url);
    fields["date"] = text_of(stored.date);
    fields["length"] = stored.length;
    if (with_text) fields["text"] = text_of(index_.text(number));
    return fields;
  }

 private:
  Index index_;
};

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<OpenIndex>(module, "Index")
      .def(nb::init<const std::string&>(), nb::arg("directory"))
      .def_prop_ro("document_count", [](const OpenIndex& self) { return self.index().document_count(); })
      .def_prop_ro("term_count", [](const OpenIndex& self) { return self.index().term_count(); })
      .def_prop_ro("has_positions", [](const OpenIndex& self) { return self.index().has_positions(); })
      .def("search", &OpenIndex::search)
      .def("search_many", &OpenIndex::search_many)
      .def("postings", &OpenIndex::postings)
      .def("positions", &OpenIndex::positions)
      .def("document", &OpenIndex::document)
      .def("find", [](const OpenIndex& self, const std::string& id) { return self.index().find(id); })
      .def("analyze", [](const OpenIndex& self, const std::string& text) {
        nb::list terms;
        for (const std::string& term : self.index().analyze(text)) terms.append(text_of(term));
        return terms;
      });
  module.def("column", [](const std::string& text) { return text_of(SearchOutput::column(text)); });
}

}  // namespace spillway::python
