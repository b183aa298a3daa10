#include "store/postgres/backend.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/partition.hpp"
#include "store/postgres/health/examine.hpp"
#include "store/postgres/health/own_processes.hpp"
#include "store/postgres/reader.hpp"
#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/statements.hpp"
#include "store/postgres/wake/wake_source.hpp"
#include "store/postgres/wire/connection.hpp"
#include "store/postgres/writer.hpp"

namespace flowfabric::postgres {
namespace {

struct Annotation {
    std::int32_t version = 0;
    std::string name;
    bool backward_compatible = false;
};

std::vector<Annotation> read_annotations(Connection& connection) {
    if (!connection.run(schema_statements().has_annotations).get<bool>(0, 0)) return {};
    const Rows rows = connection.run(schema_statements().annotations);
    std::vector<Annotation> annotations;
    annotations.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        annotations.push_back({rows.get<std::int32_t>(row, 0), rows.get<std::string>(row, 1), rows.get<bool>(row, 2)});
    }
    return annotations;
}

// Steps beyond ours are fine as long as each says that engines without it may stay.
void refuse_newer_schema(std::span<const Migration> ours, const std::vector<Annotation>& applied) {
    const int newest = ours.back().version;
    for (const auto& annotation : applied) {
        if (annotation.version > newest && !annotation.backward_compatible) {
            throw Failure(StoreFault::unavailable, "the database has migration " + std::to_string(annotation.version) +
                                                       " (" + annotation.name +
                                                       "), which this version does not know; upgrade FlowFabric");
        }
    }
}

std::vector<const Migration*> missing_migrations(std::span<const Migration> ours,
                                                 const std::vector<Annotation>& applied) {
    std::vector<const Migration*> missing;
    for (const auto& migration : ours) {
        if (std::ranges::find(applied, migration.version, &Annotation::version) == applied.end()) {
            missing.push_back(&migration);
        }
    }
    return missing;
}

void apply(Connection& connection, const Migration& migration) {
    const auto& sql = schema_statements();
    connection.run(load_statements().begin);
    connection.run_script(migration.sql);
    connection.run(sql.annotate,
                   Params::of(std::int32_t{migration.version}, migration.name, migration.backward_compatible));
    connection.run(save_statements().commit);
}

void check_partition_counts(Connection& connection) {
    constexpr std::array<std::pair<const char*, std::int32_t>, 3> ours{
        {{"flow", flow_partitions}, {"budget", budget_partitions}, {"quota", quota_partitions}}};
    const Rows config = connection.run(schema_statements().config);
    if (config.empty()) throw Failure(StoreFault::unavailable, "ff_partition_config is empty; run `ff migrate`");
    for (std::size_t column = 0; column < ours.size(); ++column) {
        const auto& [kind, count] = ours[column];
        if (const auto stored = config.get<std::int32_t>(0, column); stored != count) {
            throw Failure(StoreFault::unavailable, "the database was set up with " + std::to_string(stored) + " " +
                                                       kind + " partitions, this version uses " +
                                                       std::to_string(count));
        }
    }
}

class PostgresBackend final : public Backend {
  public:
    explicit PostgresBackend(Options options) : options_(std::move(options)) {}

    StoreTraits traits() const override {
        return {.tag = BackendTag::postgres, .name = "postgres", .claim_floors = true, .max_writers = 2, .inbox = true};
    }

    StoreResult<std::vector<std::string>> migrate() override {
        return guarded([&] {
            const auto& sql = schema_statements();
            Connection connection(options_.url, session_statements().migrator, interrupts_);
            auto applied = read_annotations(connection);
            refuse_newer_schema(options_.migrations, applied);
            // An up-to-date schema needs neither the lock nor the right to create tables.
            if (missing_migrations(options_.migrations, applied).empty()) return std::vector<std::string>{};

            connection.allow_any_silence();
            connection.run(sql.lock);  // until the connection closes
            connection.run(sql.create_annotations);
            applied = read_annotations(connection);
            refuse_newer_schema(options_.migrations, applied);

            std::vector<std::string> names;
            for (const auto* migration : missing_migrations(options_.migrations, applied)) {
                apply(connection, *migration);
                names.push_back(label_of(*migration));
            }
            if (!names.empty()) {
                connection.run(sql.put_config,
                               Params::of(std::int32_t{flow_partitions}, std::int32_t{budget_partitions},
                                          std::int32_t{quota_partitions}, std::string_view(FF_VERSION)));
                connection.run(sql.renew_roles);
            }
            return names;
        });
    }

    StoreResult<void> check() override {
        return guarded([&] {
            Connection connection(options_.url, session_statements().reader, interrupts_);
            const auto applied = read_annotations(connection);
            refuse_newer_schema(options_.migrations, applied);
            if (const auto missing = missing_migrations(options_.migrations, applied); !missing.empty()) {
                throw Failure(StoreFault::unavailable, "the database lacks migration " +
                                                           std::to_string(missing.front()->version) + " (" +
                                                           std::string(missing.front()->name) + "); run `ff migrate`");
            }
            check_partition_counts(connection);
        });
    }

    StoreResult<std::vector<Finding>> examine() override {
        return guarded([&] { return postgres::examine(options_.url); });
    }

    StoreResult<std::unique_ptr<StoreWriter>> open_writer() override {
        return guarded([&]() -> std::unique_ptr<StoreWriter> {
            return std::make_unique<Writer>(
                Writer::Options{options_.url, options_.clock, options_.notify, own_processes_, interrupts_, damage()});
        });
    }

    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until) override {
        return guarded([&]() -> std::unique_ptr<StoreReader> {
            return std::make_unique<Reader>(options_.url, options_.clock, damage(), interrupts_, until);
        });
    }

    StoreResult<std::unique_ptr<WakeSource>> open_wake_source(WakeTopic topic) override {
        return guarded([&]() -> std::unique_ptr<WakeSource> {
            return std::make_unique<Listener>(options_.url, topic, own_processes_, interrupts_);
        });
    }

    void interrupt() override { interrupts_->interrupt(); }

  private:
    Options options_;
    std::shared_ptr<OwnProcesses> own_processes_ = std::make_shared<OwnProcesses>();
    std::shared_ptr<Interrupts> interrupts_ = std::make_shared<Interrupts>();
};

}  // namespace

std::shared_ptr<Backend> make_backend(Options options) {
    return std::make_shared<PostgresBackend>(std::move(options));
}

StoreResult<std::vector<std::string>> create_roles(const std::string& url) {
    return guarded([&] {
        Connection connection(url, session_statements().migrator);
        return read_all(connection.run(schema_statements().create_roles),
                        [](const Rows& rows, std::size_t row) { return rows.get<std::string>(row, 0); });
    });
}

}  // namespace flowfabric::postgres
