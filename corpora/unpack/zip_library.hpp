// libzip, loaded by the first zip file that is opened. With the libraries that it needs it takes 2 MiB of memory, which
// every other job would lack: at --memory 64M the words of an index took 20 % longer to parse without them.
#pragma once

#include <zip.h>

namespace spillway {

// The functions of libzip, by their names without zip_.
struct ZipLibrary {
  // Loads it. Throws IoError if this machine has none.
  ZipLibrary();

  decltype(&zip_discard) discard;
  decltype(&zip_error_fini) error_fini;
  decltype(&zip_error_init) error_init;
  decltype(&zip_error_set) error_set;
  decltype(&zip_error_strerror) error_strerror;
  decltype(&zip_error_to_data) error_to_data;
  decltype(&zip_fclose) fclose;
  decltype(&zip_file_strerror) file_strerror;
  decltype(&zip_fopen_index) fopen_index;
  decltype(&zip_fread) fread;
  decltype(&zip_get_name) get_name;
  decltype(&zip_get_num_entries) get_num_entries;
  decltype(&zip_open_from_source) open_from_source;
  decltype(&zip_source_free) source_free;
  decltype(&zip_source_function_create) source_function_create;
  decltype(&zip_source_make_command_bitmap) source_make_command_bitmap;
  decltype(&zip_source_seek_compute_offset) source_seek_compute_offset;
  decltype(&zip_stat_index) stat_index;
  decltype(&zip_stat_init) stat_init;
  decltype(&zip_strerror) strerror;
};

// Loaded once in a process; thread-safe.
const ZipLibrary& zip_library();

}  // namespace spillway
