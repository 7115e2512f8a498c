// SPDX-License-Identifier: MIT
#include "input/keys.hpp"

#include <cstring>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"

namespace ringctl {

namespace {

/// Bytes per read: few enough to stay in the cache until they are hashed.
constexpr std::size_t read_size = std::size_t{256} << 10;

}  // namespace

Keys::Keys(KeySource source, KeyObserver& observer)
    : source_(std::move(source)), observer_(observer) {
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
      observer_.finished();
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
  observer_.opened(*file_);
  if (!source_.ends_in_null) skip_byte_order_mark();
}

/// Reads at least three bytes, if the file has that many.
void Keys::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  // A key that is complete must not wait for more bytes.
  const auto rest = [&] { return std::string_view(buffer_.data() + begin_, end_ - begin_); };
  while (rest().size() < mark.size() && mark.starts_with(rest()) && refill()) {
  }
  if (rest().starts_with("\xff\xfe") || rest().starts_with("\xfe\xff")) {
    throw InputError(file_->name() + ": this is UTF-16; save it as UTF-8");
  }
  if (!rest().starts_with(mark)) return;
  begin_ += mark.size();
  observer_.byte_order_mark(*file_);
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
    if (++line_ == 1 && !source_.ends_in_null && key.ends_with('\r')) {
      observer_.carriage_return(*file_);
    }
    return true;
  }
}

/// Moves the rest of the buffer to its front and reads more; returns false at the end of the file.
bool Keys::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  observer_.before_read();
  const std::size_t count = file_->read(buffer_.data() + end_, read_size);
  end_ += count;
  observer_.after_read(count_, count);
  return count > 0;
}

}  // namespace ringctl
