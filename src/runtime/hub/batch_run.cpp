#include "runtime/hub/batch_run.hpp"

#include <iterator>

#include "core/base/thrown.hpp"
#include "core/execution/creation.hpp"
#include "engine/batching/load_plan.hpp"

namespace flowfabric {
namespace {

// The completion events of flow members in a batch whose COMMIT reply, which carries their ids, was lost.
std::vector<Undispatched> undispatched_members(const WorkingSet& set) {
    std::vector<Undispatched> undispatched;
    for (const CompletionEvent& event : set.events.of<CompletionEvent>()) {
        if (event.flow_id) undispatched.push_back(undispatched_end(event));
    }
    return undispatched;
}

}  // namespace

// Until a save has begun nothing has happened: the batch is halved until the command that breaks it is alone. A save
// that breaks may have been committed. What breaks behind it is no longer the batch's.
void BatchRun::step(StoreWriter& writer) {
    writer_lost_ = false;
    const Stage stage = stage_;
    try {
        advance(writer);
    } catch (...) {
        if (done()) throw;
        const std::string detail = "it broke unexpectedly: " + thrown_text();
        writer.abandon();
        if (stage == Stage::load) {
            fail({StoreFault::data, detail});
        } else {
            give_up(detail);
        }
        writer_lost_ = true;
    }
}

void BatchRun::advance(StoreWriter& writer) {
    switch (stage_) {
        case Stage::load:
            return load(writer);
        case Stage::save:
            return save(writer);
        case Stage::outcome:
            return ask_outcome(writer);
        case Stage::done:
            return;
    }
}

bool BatchRun::prepare(StoreWriter& writer) {
    const auto wanted = hub_.prepare(batch_);
    return wanted ? prepare_afresh(writer, *wanted) : true;
}

bool BatchRun::prepare_afresh(StoreWriter& writer, const RoutesWanted& wanted) {
    auto routes = writer.ensure_classes(wanted);
    if (!routes) {
        fail(routes.error());
        return false;
    }
    if (hub_.prepare_with(batch_, std::move(*routes))) return true;
    fail({StoreFault::contention, "a claim class vanished after it was ensured"});
    return false;
}

void BatchRun::load(StoreWriter& writer) {
    auto rows = load_rows(writer);
    if (!rows) return;
    const auto missing = inbox_ ? missing_executions(batch_, rows->request, rows->loaded) : std::vector<ExecutionId>{};
    if (!missing.empty()) {
        // What another engine takes in between the look and the second load is a row by then.
        writer.abandon();
        if (!take_in(missing)) return;
        rows = load_rows(writer);
        if (!rows) return;
    }
    decision_ = decide_(batch_, std::move(rows->loaded), hub_.settings());
    stage_ = Stage::save;
    if (decision_->set.empty()) {
        writer.abandon();
        finish();
    }
}

// Nothing: the batch has failed.
std::optional<BatchRun::Rows> BatchRun::load_rows(StoreWriter& writer) {
    if (!prepare(writer)) return std::nullopt;
    for (const bool first : {true, false}) {
        LoadRequest request = load_request(batch_);
        auto loaded = writer.load(request);
        if (!loaded) {
            fail(loaded.error());
            return std::nullopt;
        }
        if (!routes_have_changed(batch_, *loaded)) return Rows{std::move(request), std::move(*loaded)};
        writer.abandon();
        if (first && !prepare_afresh(writer, hub_.changes_wanted())) return std::nullopt;
    }
    fail({StoreFault::contention, "lanes keep changing their states, or settings their values"});
    return std::nullopt;
}

// Their creations come first in the batch. False: the batch has failed.
bool BatchRun::take_in(const std::vector<ExecutionId>& missing) {
    const auto submissions = inbox_(missing);
    if (!submissions) {
        fail(submissions.error());
        return false;
    }
    std::vector<PendingCommand> creations;
    for (const Submission& submission : *submissions) {
        creations.push_back(hub_.pend(admit_submission(submission, hub_.settings()), submission_deadline_ms));
    }
    batch_.commands.insert(batch_.commands.begin(), std::make_move_iterator(creations.begin()),
                           std::make_move_iterator(creations.end()));
    return true;
}

void BatchRun::save(StoreWriter& writer) {
    auto saved = writer.save(decision_->set);
    if (saved) return finish(*saved);
    if (saved.error().fault == StoreFault::unknown_outcome) {
        marker_ = saved.error().marker;
        stage_ = Stage::outcome;
        writer_lost_ = true;
        return;
    }
    fail(saved.error());
}

void BatchRun::ask_outcome(StoreWriter& writer) {
    auto committed = writer.outcome(marker_);
    if (!committed) {
        writer_lost_ = true;
        return;
    }
    if (*committed) return finish(undispatched_members(decision_->set));
    stage_ = Stage::done;
    hub_.fail(std::move(batch_), {StoreFault::connection, "the commit was lost with its connection"});
}

void BatchRun::no_writer(const StoreError& error) {
    if (!outcome_pending()) fail(error);
}

void BatchRun::give_up(std::string_view why) {
    stage_ = Stage::done;
    hub_.give_up(std::move(batch_), why);
}

void BatchRun::fail(const StoreError& error) {
    writer_lost_ = error.fault == StoreFault::connection || error.fault == StoreFault::unknown_outcome;
    stage_ = Stage::done;
    hub_.fail(std::move(batch_), error);
}

void BatchRun::finish(const std::vector<Undispatched>& undispatched) {
    stage_ = Stage::done;
    hub_.finish(std::move(batch_), std::move(*decision_), undispatched);
}

}  // namespace flowfabric
