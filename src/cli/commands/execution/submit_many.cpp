#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands/execution/submit_many.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress_bar.hpp"
#include "cli/text/submission.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

// What is read before it is submitted together.
constexpr std::size_t max_lines_together = 1000;
constexpr std::size_t max_bytes_together = 8U << 20U;

struct Line {
    std::uint64_t number = 0;
    Result<Created> outcome;
};

class ManySubmitter {
  public:
    ManySubmitter(Client& client, SubmitOptions defaults, bool json, ProgressBar& progress)
        : client_(client), defaults_(std::move(defaults)), json_(json), progress_(progress) {}

    void add(std::uint64_t number, const std::string& text) {
        bytes_ += text.size();
        auto command = command_on(text);
        lines_.push_back({number, command ? Result<Created>(Created{}) : Result<Created>(command.error())});
        if (command) commands_.push_back(*std::move(command));
        if (lines_.size() == max_lines_together || bytes_ >= max_bytes_together) flush();
    }

    void flush() {
        auto answers = client_.run_all(std::move(commands_));
        progress_.clear();
        auto answer = answers.begin();
        for (auto& line : lines_) {
            if (line.outcome) line.outcome = std::move(*answer++);
            print(line);
        }
        std::cout.flush();
        commands_.clear();
        lines_.clear();
        bytes_ = 0;
    }

    bool any_failed() const { return any_failed_; }

  private:
    Result<CreateExecution> command_on(const std::string& text) const {
        auto defaults = command_of(defaults_);
        if (!defaults) return defaults.error();
        return parse_submission(text, *std::move(defaults));
    }

    void print(const Line& line) {
        if (!line.outcome) return print_error(line.number, line.outcome.error());
        if (!json_) return print_line(line.outcome->execution_id.to_string());
        boost::json::object object{{"line", line.number}};
        const auto created = api::to_json(*line.outcome);
        object.insert(created.as_object().begin(), created.as_object().end());
        print_json(object);
    }

    // To standard output for programs, so that every line has its outcome there.
    void print_error(std::uint64_t number, EngineError error) {
        any_failed_ = true;
        if (json_) {
            return print_json(
                boost::json::object{{"line", number}, {"error", name_of(error.kind)}, {"detail", error.detail}});
        }
        error.detail = fmt::format("line {}: {}", number, error.detail);
        fail_with(error, json_);
    }

    Client& client_;
    const SubmitOptions defaults_;
    const bool json_;
    ProgressBar& progress_;
    std::vector<Line> lines_;
    std::vector<CreateExecution> commands_;  // of those lines that are well formed, in their order
    std::size_t bytes_ = 0;
    bool any_failed_ = false;
};

// The size tells how far it is; absent: not known.
Result<bool> submit_lines(std::istream& lines, std::optional<std::uint64_t> size, const CommonOptions& common,
                          const SubmitOptions& options) {
    auto defaults = read_texts(options);
    if (!defaults) return defaults.error();
    const auto client = open_client(common, Missing::create);
    if (!client) return client.error();

    ProgressBar progress("submitting");
    ManySubmitter submitter(**client, *std::move(defaults), common.json, progress);
    std::uint64_t number = 0;
    std::uint64_t read = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        read += line.size() + 1;
        if (number % max_lines_together == 0) progress.show(read, size, fmt::format("{} lines", number));
        if (line.find_first_not_of(" \t\r") != std::string::npos) submitter.add(number, line);
    }
    submitter.flush();
    if (lines.bad()) return invalid_input(*options.many, fmt::format("cannot be read after line {}", number));
    return !submitter.any_failed();
}

}  // namespace

int run_submit_many(const CommonOptions& common, const SubmitOptions& options) {
    const auto& source = *options.many;
    std::ifstream file;
    if (source != "-") {
        file.open(source, std::ios::binary);
        if (!file) {
            return fail_with(invalid_input(source, std::generic_category().message(errno)), common.json);
        }
    } else if (options.payload == "-" || options.policy == "-") {
        return fail_with(invalid_input("--many", "standard input cannot be read twice"), common.json);
    }
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(source, unknown);
    const auto size = unknown ? std::nullopt : std::optional<std::uint64_t>(bytes);
    const auto all_done = submit_lines(source == "-" ? std::cin : file, size, common, options);
    if (!all_done) return fail_with(all_done.error(), common.json);
    return *all_done ? 0 : 1;
}

}  // namespace flowfabric::cli
