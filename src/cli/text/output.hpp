#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "flowfabric/error.hpp"
#include "flowfabric/signal.hpp"

// How answers look: aligned tables for people, one JSON value per line for programs.
namespace flowfabric::cli {

class Table {
  public:
    explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}
    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    void print() const;

  private:
    std::vector<std::string> headers_;
    std::vector<std::vector<std::string>> rows_;
};

// One fact per line; empty values are left out.
class Facts {
  public:
    void add(std::string name, std::string value);
    void print() const;

  private:
    std::vector<std::pair<std::string, std::string>> facts_;
};

// Whether what is written to standard output is for a terminal with colours: headings stand out, states show how well
// it goes. Kept with the stream; off at first.
enum class Color : std::uint8_t { automatic, always, never };
void set_color(Color color);

void print_line(std::string_view text);
void print_json(const boost::json::value& value);

// Writes the error to standard error, for people behind the program's name, and returns the exit code for it.
int fail_with(const EngineError& error, bool json, std::string_view program = "ff");
// What became of a signal.
void print_signal_outcome(const SignalOutcome& outcome, bool json);
EngineError execution_not_found(std::string id);
EngineError flow_not_found(std::string id);

// 2026-01-31T12:34:56.789Z
std::string iso_time(std::int64_t at_ms);
std::string iso_time(std::optional<std::int64_t> at_ms);

// Control characters as escapes, so that a value cannot break a table or drive a terminal.
std::string printable(std::string_view text);

// A message of several lines as one: "first; second".
std::string one_line(std::string_view text);

bool is_utf8(std::string_view bytes);
// The end of what a program wrote, at most `limit` bytes of UTF-8: without half a character in front, without white
// space behind, U+FFFD for every byte that is not text.
std::string text_tail(std::string_view bytes, std::size_t limit);

}  // namespace flowfabric::cli
