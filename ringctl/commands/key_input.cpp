// SPDX-License-Identifier: MIT
#include "commands/key_input.hpp"

#include <utility>

#include "output/stream.hpp"

namespace ringctl {

KeyInput::KeyInput(const KeySource& source, bool progress, std::function<void()> flush)
    : empty_(source.empty()), progress_(progress), flush_(std::move(flush)), keys_(source, *this) {}

NextKey KeyInput::next_key() {
  if (empty_) return {};
  return [this](std::string_view& key) { return next(key); };
}

void KeyInput::opened(const InputFile& file) {
  progress_.begin_file(file.name(), file.size().value_or(0));
  if (file.is_terminal()) {
    print_message("reading keys from the terminal, one per line; end with Ctrl-D");
  }
}

void KeyInput::before_read() {
  if (flush_ && count() > 0) flush_();
}

void KeyInput::after_read(std::uint64_t keys_so_far, std::size_t bytes) {
  progress_.show(keys_so_far, bytes);
}

void KeyInput::carriage_return(const InputFile& file) {
  progress_.clear();
  print_message(file.name() + ": line 1 ends in a carriage return, which is part of the key");
}

void KeyInput::finished() { progress_.clear(); }

}  // namespace ringctl
