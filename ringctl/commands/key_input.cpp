// SPDX-License-Identifier: MIT
#include "commands/key_input.hpp"

#include <algorithm>
#include <utility>

#include "input/file.hpp"
#include "model/error.hpp"
#include "model/text.hpp"
#include "output/stream.hpp"

namespace ringctl {

void check_key_files(const KeySource& source, const Fleet& fleet, bool any_dead) {
  for (const std::string& file : source.files) {
    if (!is_missing(file)) continue;
    const bool is_node = std::any_of(fleet.nodes.begin(), fleet.nodes.end(),
                                     [&](const FleetNode& node) { return node.id == file; });
    throw InputError("cannot read " + file_name(file) + ": No such file or directory; " +
                     (is_node && any_dead ? "--dead takes one list of ids, as in --dead a,b"
                                          : "if it is a key, use --key " + shown(file)));
  }
}

KeyInput::KeyInput(const KeySource& source, bool progress, std::function<void()> flush)
    : empty_(source.empty()), progress_(progress), flush_(std::move(flush)), keys_(source, *this) {}

NextKey KeyInput::next_key() {
  if (empty_) return {};
  return [this](std::string_view& key) { return next(key); };
}

void KeyInput::opened(const InputFile& file) {
  name_ = file.name();
  bytes_ = 0;
  total_ = file.size().value_or(0);
  if (file.is_terminal()) {
    print_message("reading keys from the terminal, one per line; end with Ctrl-D");
  }
}

void KeyInput::before_read() {
  if (flush_ && count() > 0) flush_();
}

void KeyInput::after_read(std::uint64_t keys_so_far, std::size_t bytes) {
  bytes_ += bytes;
  progress_.show([&] { return progress_line(keys_so_far); });
}

std::string KeyInput::progress_line(std::uint64_t keys) const {
  std::string line = counted(keys, "key") + ", " +
                     fixed(static_cast<double>(keys) / progress_.seconds() / 1e6, 1) +
                     " million per second, ";
  if (total_ != 0) {
    const double share = static_cast<double>(bytes_) / static_cast<double>(total_);
    line += percent((std::min)(1.0, share), 0) + " of ";
  }
  return line + name_;
}

void KeyInput::carriage_return(const InputFile& file) {
  progress_.clear();
  print_message(file.name() + ": line 1 ends in a carriage return, which is part of the key");
}

void KeyInput::byte_order_mark(const InputFile& file) {
  progress_.clear();
  print_message(file.name() +
                ": the byte order mark at its beginning is not part of the first key");
}

void KeyInput::finished() { progress_.clear(); }

}  // namespace ringctl
