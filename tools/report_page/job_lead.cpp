#include "tools/report_page/job_lead.hpp"

namespace spillway {

namespace {

std::string count_of(double count, const std::string& one, const std::string& many) {
  return quantity_text(count, plain_unit()) + " " + (count == 1 ? one : many);
}

std::string time_sentence(const JsonView& job) {
  std::string text = quantity_text(job.number_at("input_bytes"), bytes_unit()) + " took " +
                     quantity_text(job.number_at("seconds"), seconds_unit());
  if (const double rate = job.number_at("bytes_per_second"); rate > 0) {
    text += ", which is " + quantity_text(rate, byte_rate_unit());
  }
  if (const double threads = job.number_at("threads"); threads > 0) {
    text += ", with " + count_of(threads, "thread", "threads");
  }
  const double peak = job.number_at("peak_resident_bytes"), budget = job.number_at("memory_bytes");
  if (peak > 0 && budget > 0) {
    text += " and at most " + quantity_text(peak, memory_unit()) + " of a budget of " +
            quantity_text(budget, memory_unit());
  }
  return text + ".";
}

std::string result_sentence(const JsonView& job) {
  const double index = job.number_at("index_bytes"), documents = job.number_at("documents");
  if (index <= 0) return "";
  return " The index has " + quantity_text(index, bytes_unit()) +
         (documents > 0 ? ", for " + count_of(documents, "document", "documents") + "." : ".");
}

std::string spill_sentence(const JsonView& job) {
  const double spilled = job.number_at("spilled_bytes");
  if (spilled <= 0) return job.has("spilled_bytes") ? " Memory held all of it: nothing went to scratch files." : "";
  const std::string bytes = quantity_text(spilled, bytes_unit());
  const double of_runs = job.number_at("runs_spilled");
  const std::string what = of_runs > 0
                               ? quantity_text(of_runs, plain_unit()) + " of " +
                                     count_of(job.number_at("runs"), "sorted run", "sorted runs") + " (" + bytes + ")"
                               : bytes;
  return " Memory did not hold all of it: " + what + " went to scratch files.";
}

std::string skip_sentence(const JsonView& job) {
  if (!job.has("skipped_records")) return "";
  const double skipped = job.number_at("skipped_records");
  return skipped > 0 ? " " + count_of(skipped, "record was", "records were") + " skipped: the reasons are below."
                     : " No record was skipped.";
}

}  // namespace

std::string job_lead(const JsonView& job) {
  const std::string slowest = job.text_at("bottleneck");
  return time_sentence(job) + result_sentence(job) + spill_sentence(job) +
         (slowest.empty() ? "" : " The stage that bounds the time is " + slowest + ".") + skip_sentence(job);
}

}  // namespace spillway
