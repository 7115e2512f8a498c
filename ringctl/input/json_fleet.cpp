// SPDX-License-Identifier: MIT
#include "input/json_fleet.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/suggest.hpp"
#include "model/text.hpp"
#include "model/wire_form.hpp"

namespace ringctl {

namespace {

using Json = nlohmann::json;

/// The parser's place in the text. When it reports a token, it has read the token's last byte and,
/// for a number, one byte more.
class Place {
 public:
  explicit Place(std::string_view text) : text_(text) {}

  void advance() { ++read_; }
  void ask_for_more() { at_end_ = true; }

  /// Returns true if the parser has tried to read past the end.
  bool at_end() const { return at_end_; }
  /// Returns the last character that was read.
  std::string_view last() const {
    std::size_t first = read_ == 0 ? 0 : read_ - 1;
    while (first > 0 && utf8_length(text_.substr(first)) == 0 && read_ - first < 4) --first;
    const std::size_t length = utf8_length(text_.substr(first));
    return length == 0 ? text_.substr(read_ - 1, 1) : text_.substr(first, length);
  }

  std::size_t line() {
    for (; counted_ + 1 < read_; ++counted_) {
      if (text_[counted_] != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    return line_;
  }
  std::size_t column() {
    line();
    return (std::max)(read_, line_begin_ + 1) - line_begin_;
  }

 private:
  std::string_view text_;
  std::size_t read_ = 0;
  bool at_end_ = false;
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

/// Reads the text and stores the place.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, Place& place) : at_(at), place_(&place) {}

  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    place_->advance();
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  /// The parser compares with the end before it reads a byte.
  friend bool operator==(const Cursor& a, const Cursor& b) {
    if (a.at_ == b.at_) a.place_->ask_for_more();
    return a.at_ == b.at_;
  }
  friend bool operator!=(const Cursor& a, const Cursor& b) { return !(a == b); }

 private:
  const char* at_;
  Place* place_;
};

/// One value of the document, apart from objects and arrays.
struct Value {
  enum class Kind { text, whole, negative, fraction, boolean, null };
  Kind kind = Kind::null;
  std::string text;         ///< Of a text; of a number, as written.
  std::uint64_t whole = 0;  ///< Of a whole number.
  double number = 0;        ///< Of every number.

  bool is_number() const {
    return kind == Kind::whole || kind == Kind::negative || kind == Kind::fraction;
  }
};

/// Returns the value's name in messages.
std::string described(const Value& value) {
  switch (value.kind) {
    case Value::Kind::text:
      return in_quotes(value.text);
    case Value::Kind::whole:
    case Value::Kind::negative:
    case Value::Kind::fraction:
      return shown(value.text);
    case Value::Kind::boolean:
      return value.whole == 0 ? "false" : "true";
    case Value::Kind::null:
      break;
  }
  return "null";
}

const std::vector<std::string_view> document_entries{"contract", "hash", "seed", "vnodes",
                                                     "members"};
const std::vector<std::string_view> member_entries{"id",     "weight", "rack",       "datacenter",
                                                   "tokens", "slots",  "replica_of", "server_id"};

/// Builds the fleet while the parser reports what it reads.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string name, Place& place) : name_(std::move(name)), place_(place) {
    fleet_.name = name_;
    fleet_.names_placement = true;
    fleet_.has_tokens = true;  // unless the document has vnodes
  }

  Fleet take() {
    if (!any_members_) throw InputError(name_ + ": the document has no array \"members\"");
    for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
      if (has_tokens_[i] == fleet_.has_tokens) continue;
      fail_at(fleet_, fleet_.nodes[i],
              member_name(i) + (fleet_.has_tokens ? " has no tokens, and the document has no vnodes"
                                                  : " has tokens, but the document has vnodes"));
    }
    return std::move(fleet_);
  }

  // --- What the parser reports ---

  bool null() override { return take_value({}); }
  bool boolean(bool value) override {
    return take_value({Value::Kind::boolean, "", value ? 1u : 0u, 0});
  }
  bool number_integer(number_integer_t value) override {
    return take_value({Value::Kind::negative, std::to_string(value), 0, double(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take_value({Value::Kind::whole, std::to_string(value), value, double(value)});
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return take_value({Value::Kind::fraction, text, 0, value});
  }
  bool string(string_t& value) override {
    return take_value({Value::Kind::text, std::move(value), 0, 0});
  }
  bool binary(binary_t&) override { fail("binary data"); }

  bool start_object(std::size_t) override {
    switch (in_) {
      case In::nothing:
        in_ = In::document;
        break;
      case In::members:
        in_ = In::member;
        fleet_.nodes.emplace_back();
        fleet_.nodes.back().line = place_.line();
        has_tokens_.push_back(false);
        break;
      case In::member:
        if (!is_text_entry()) refuse("an object");
        in_ = In::bytes;
        break;
      case In::document:
      case In::tokens:
      case In::bytes:
        refuse("an object");
    }
    keys_.emplace_back();
    return true;
  }

  bool key(string_t& key) override {
    std::vector<std::string>& seen = keys_.back();
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      fail(owner() + " has the entry " + in_quotes(key) + " twice");
    }
    if (in_ == In::bytes) {
      if (key != "hex") refuse("an object");
    } else {
      const auto& known = in_ == In::document ? document_entries : member_entries;
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(owner() + " has an unknown entry " + in_quotes(key) + did_you_mean(key, known));
      }
      key_ = key;
    }
    seen.push_back(std::move(key));
    return true;
  }

  bool end_object() override {
    const bool any = !keys_.back().empty();
    keys_.pop_back();
    if (in_ == In::bytes) {
      if (!any) refuse("an object");
      in_ = In::member;
    } else if (in_ == In::member) {
      if (fleet_.nodes.back().id.empty()) fail(owner() + " has no id");
      in_ = In::members;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (in_ == In::document && key_ == "members") {
      in_ = In::members;
      any_members_ = true;
    } else if (in_ == In::member && key_ == "tokens") {
      in_ = In::tokens;
      has_tokens_.back() = true;
    } else {
      refuse("an array");
    }
    return true;
  }
  bool end_array() override {
    in_ = in_ == In::tokens ? In::member : In::document;
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow) fail("the number is out of range");
    if (place_.at_end()) fail("the JSON document is not complete");
    if (std::string_view(error.what()).find("UTF-8") != std::string_view::npos) {
      fail("a text that is not UTF-8; write it as {\"hex\": \"...\"}");
    }
    fail("unexpected " + in_quotes(place_.last()));
  }

 private:
  enum class In { nothing, document, members, member, bytes, tokens };

  [[noreturn]] void fail(const std::string& why) {
    throw InputError(name_ + ':' + std::to_string(place_.line()) + ':' +
                     std::to_string(place_.column()) + ": " + why);
  }

  static std::string member_name(std::size_t i) { return "members[" + std::to_string(i) + "]"; }

  /// Returns the name, in messages, of the object that the parser is in.
  std::string owner() const {
    if (in_ == In::document || in_ == In::nothing) return "the document";
    return member_name(fleet_.nodes.size() - (in_ == In::members ? 0 : 1));
  }
  /// Returns the name, in messages, of the entry that the parser is in.
  std::string entry() const {
    if (in_ == In::document) return key_;
    if (in_ == In::nothing || in_ == In::members) return owner();
    const std::string token = in_ == In::tokens ? "[]" : "";
    return owner() + '.' + key_ + token;
  }
  bool is_text_entry() const { return key_ != "weight" && key_ != "tokens"; }

  /// Says what the entry must be.
  [[noreturn]] void refuse(const std::string& got) {
    std::string rule = "a whole number";
    if (in_ == In::nothing || in_ == In::members) {
      rule = "an object";
    } else if (in_ == In::document) {
      if (key_ == "members") rule = "an array";
      if (key_ == "hash") rule = "xxh3-64 or xxh64";
    } else if (in_ == In::bytes || (in_ == In::member && is_text_entry())) {
      rule = "a string or {\"hex\": \"...\"}";
    } else if (in_ == In::member) {
      rule = key_ == "tokens" ? "an array of whole numbers" : "a number";
    }
    fail(entry() + " must be " + rule + ", got " + got);
  }

  bool take_value(Value value) {
    switch (in_) {
      case In::document:
        take_rule(value);
        break;
      case In::member:
        take_field(value);
        break;
      case In::bytes:
        if (value.kind != Value::Kind::text) refuse(described(value));
        take_text(bytes_of(value.text));
        break;
      case In::tokens:
        if (value.kind != Value::Kind::whole) refuse(described(value));
        fleet_.nodes.back().tokens.push_back(value.whole);
        break;
      case In::nothing:
      case In::members:
        refuse(described(value));
    }
    return true;
  }

  void take_rule(const Value& value) {
    if (key_ == "hash") {
      if (value.kind != Value::Kind::text || !is_policy(value.text)) refuse(described(value));
      fleet_.placement.xxh64 = value.text == policy_name({.xxh64 = true});
      return;
    }
    if (value.kind != Value::Kind::whole) refuse(described(value));
    if (key_ == "seed") {
      fleet_.placement.seed = value.whole;
    } else if (key_ == "vnodes") {
      if (value.whole == 0 || value.whole > max_vnodes) {
        fail("vnodes must be between 1 and " + std::to_string(max_vnodes) + ", got " + value.text);
      }
      fleet_.placement.vnodes = static_cast<std::uint32_t>(value.whole);
      fleet_.has_tokens = false;
    } else if (key_ == "contract") {
      if (value.whole != placement_contract) {
        fail("contract must be " + std::to_string(placement_contract) + ", got " + value.text);
      }
    } else {
      refuse(described(value));
    }
  }

  void take_field(Value& value) {
    if (key_ == "weight") {
      if (!value.is_number()) refuse(described(value));
      if (!std::isfinite(value.number) || value.number < 0) {
        fail(entry() + " must be finite and not negative, got " + value.text);
      }
      fleet_.nodes.back().options.weight = value.number + 0.0;  // not -0
    } else if (value.kind == Value::Kind::text) {
      take_text(std::move(value.text));
    } else if (key_ == "server_id" && value.kind == Value::Kind::whole) {
      take_text(std::move(value.text));
    } else {
      refuse(described(value));
    }
  }

  void take_text(std::string text) {
    FleetNode& node = fleet_.nodes.back();
    if (key_ == "id") {
      if (text.empty()) fail(entry() + " must not be empty");
      node.id = std::move(text);
    } else if (key_ == "rack") {
      node.options.rack = std::move(text);
    } else if (key_ == "datacenter") {
      node.options.datacenter = std::move(text);
    } else if (!text.empty()) {
      node.traits[key_] = std::move(text);
    }
  }

  /// Returns the bytes of pairs of digits.
  std::string bytes_of(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      constexpr std::string_view hex_digits = "0123456789abcdef";
      const std::size_t high = hex_digits.find(digits[i]);
      const std::size_t low = i + 1 < digits.size() ? hex_digits.find(digits[i + 1]) : digits.npos;
      if (high == digits.npos || low == digits.npos) {
        fail(entry() + ".hex must be pairs of 0-9 and a-f, got " + in_quotes(digits));
      }
      bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
  }

  std::string name_;
  Place& place_;
  Fleet fleet_;
  In in_ = In::nothing;
  std::string key_;                             // of the document or member
  std::vector<std::vector<std::string>> keys_;  // of each object that is open
  std::vector<bool> has_tokens_;                // of each member
  bool any_members_ = false;
};

}  // namespace

Fleet fleet_from_json(std::string_view text, const std::string& name) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Place place(text);
  Builder builder(name, place);
  Json::sax_parse(Cursor(text.data(), place), Cursor(text.data() + text.size(), place), &builder);
  return builder.take();
}

}  // namespace ringctl
