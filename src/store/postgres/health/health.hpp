#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/views.hpp"

// What the server's statistics mean. The limits are explained in docs/operations.md.
namespace flowfabric::postgres {

struct TableFigures {
    std::string name;
    std::int64_t live_rows = 0;
    std::int64_t dead_rows = 0;
    std::int64_t table_bytes = 0;
    std::int64_t index_bytes = 0;
};

// A session's or a prepared one, which keeps vacuum from removing whatever died since it began.
struct OpenTransaction {
    std::int64_t age_s = 0;
    std::string holder;
    std::string remedy;
};

Finding judge_dead_rows(const std::vector<TableFigures>& tables);
Finding judge_index_sizes(const std::vector<TableFigures>& tables);
Finding judge_oldest_transaction(const std::optional<OpenTransaction>& oldest);
Finding judge_notification_queue(double used);  // the part of it, 0 to 1

}  // namespace flowfabric::postgres
