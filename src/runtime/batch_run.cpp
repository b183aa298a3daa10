#include "runtime/batch_run.hpp"

namespace flowfabric {

void BatchRun::step(StoreWriter& writer) {
    writer_lost_ = false;
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
    const auto missing = hub_.prepare(batch_);
    return missing ? prepare_afresh(writer, *missing) : true;
}

bool BatchRun::prepare_afresh(StoreWriter& writer, const std::vector<ClassSpec>& missing) {
    auto routes = writer.ensure_classes(missing);
    if (!routes) {
        fail(routes.error());
        return false;
    }
    if (hub_.prepare_with(batch_, std::move(*routes))) return true;
    fail({StoreFault::contention, "a claim class vanished after it was ensured"});
    return false;
}

void BatchRun::load(StoreWriter& writer) {
    if (!prepare(writer)) return;
    auto loaded = writer.load(load_request(batch_));
    if (!loaded) return fail(loaded.error());
    if (lanes_have_changed(batch_, *loaded)) {
        writer.abandon();
        if (!prepare_afresh(writer, {})) return;
        loaded = writer.load(load_request(batch_));
        if (!loaded) return fail(loaded.error());
        if (lanes_have_changed(batch_, *loaded)) {
            writer.abandon();
            return fail({StoreFault::contention, "lanes keep changing their states"});
        }
    }
    decision_ = decide_batch(batch_, std::move(*loaded), hub_.settings());
    stage_ = Stage::save;
    if (decision_->set.empty()) {
        writer.abandon();
        finish();
    }
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
    if (*committed) return finish();
    stage_ = Stage::done;
    hub_.fail(std::move(batch_), {StoreFault::connection, "the commit was lost with its connection"});
}

void BatchRun::no_writer(const StoreError& error) {
    if (!outcome_pending()) fail(error);
}

void BatchRun::give_up() {
    fail({StoreFault::unavailable, "the engine stopped before it could learn whether the change was committed"});
}

void BatchRun::fail(const StoreError& error) {
    writer_lost_ = error.fault == StoreFault::connection || error.fault == StoreFault::unknown_outcome;
    stage_ = Stage::done;
    hub_.fail(std::move(batch_), error);
}

void BatchRun::finish(const std::vector<Undispatched>& ends) {
    stage_ = Stage::done;
    hub_.finish(std::move(batch_), std::move(*decision_), ends);
}

}  // namespace flowfabric
