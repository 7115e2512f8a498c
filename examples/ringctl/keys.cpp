// SPDX-License-Identifier: MIT
#include "keys.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "error.hpp"
#include "text.hpp"

namespace ringctl {

namespace {

/// Bytes per read: few enough to stay in the cache until they are hashed.
constexpr std::size_t read_size = std::size_t{256} << 10;

}  // namespace

void add_key_options(CLI::App& app, KeySource& source) {
  app.add_option("keys", source.files, "Files of keys, one per line; - is standard input")
      ->type_name("FILE");
  app.add_option("-k,--key", source.keys, "A key; can be repeated")
      ->type_name("KEY")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("-0,--null", source.ends_in_null, "Keys end in a zero byte, as from find -print0");
}

void check_one_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw InputError("standard input (-) can be read only once");
  }
}

Keys::Keys(KeySource source, bool progress) : source_(std::move(source)), progress_(progress) {
  for (const std::string& file : source_.files) check_readable(file);
}

bool Keys::next(std::string_view& key) {
  if (next_key_ < source_.keys.size()) {
    key = source_.keys[next_key_++];
    ++count_;
    return true;
  }
  for (;;) {
    if (file_ && next_in_file(key)) {
      ++count_;
      return true;
    }
    if (next_file_ == source_.files.size()) {
      progress_.clear();
      return false;
    }
    open_next();
  }
}

void Keys::open_next() {
  file_.emplace(source_.files[next_file_++]);
  buffer_.resize(longest + read_size);  // the start of a key, and a read
  begin_ = end_ = 0;
  line_ = 0;
  progress_.begin_file(file_->name(), file_->size().value_or(0));
  if (file_->is_terminal()) {
    std::fputs("ringctl: reading keys from the terminal, one per line; end with Ctrl-D\n", stderr);
  }
}

bool Keys::next_in_file(std::string_view& key) {
  const char ends_in = source_.ends_in_null ? '\0' : '\n';
  for (std::size_t searched = 0;;) {
    const char* const first = buffer_.data() + begin_;
    const std::size_t length = end_ - begin_;
    const void* const found = std::memchr(first + searched, ends_in, length - searched);
    const std::size_t size =
        found == nullptr ? length
                         : static_cast<std::size_t>(static_cast<const char*>(found) - first);
    if (size > longest) {
      throw InputError(file_->name() + ':' + std::to_string(line_ + 1) + ": a key longer than " +
                       grouped(longest) + " bytes");
    }
    searched = size;
    if (found == nullptr && refill()) continue;
    if (found == nullptr && length == 0) {
      file_.reset();
      return false;
    }
    key = std::string_view(buffer_.data() + begin_, size);
    begin_ += size + (found == nullptr ? 0 : 1);
    if (++line_ == 1 && !source_.ends_in_null) warn_of_carriage_return(key);
    return true;
  }
}

/// Moves the rest of the buffer to its front and reads more; returns false at the end of the file.
bool Keys::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (before_read_) before_read_();
  const std::size_t count = file_->read(buffer_.data() + end_, read_size);
  end_ += count;
  progress_.show(count_, count);
  return count > 0;
}

void Keys::warn_of_carriage_return(std::string_view key) {
  if (!key.ends_with('\r')) return;
  progress_.clear();
  std::fprintf(stderr, "ringctl: %s: line 1 ends in a carriage return, which is part of the key\n",
               file_->name().c_str());
}

}  // namespace ringctl
