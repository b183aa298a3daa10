#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowfabric::test {

// Collects what is wrong with one subject.
class Complaints {
  public:
    Complaints(std::vector<std::string>& sink, std::string subject) : sink_(sink), subject_(std::move(subject)) {}

    void require(bool holds, std::string_view otherwise) const {
        if (!holds) sink_.push_back(subject_ + ": " + std::string(otherwise));
    }
    Complaints about(std::string_view part) const { return {sink_, subject_ + " " + std::string(part)}; }

  private:
    std::vector<std::string>& sink_;
    std::string subject_;
};

}  // namespace flowfabric::test
