// The page: what the live stream says, in two tables, and one job in detail. The address names the job, so that a link
// shows the same view; without one, the newest running job is shown.

import { byId, setText } from "./dom.js";
import { refresh, select } from "./detail.js";
import { jobOfHash, showJobs } from "./jobs.js";
import { connect } from "./live.js";
import { showWorkers } from "./workers.js";

const CONNECTION = { live: "Live", lost: "Connection lost, trying again…" };

let jobs = new Map();
let workers = null; // until the first snapshot
let clockAheadMillis = 0; // of the dashboard's clock
let automatic = null;

function ordered() {
  return [...jobs.values()].sort((a, b) => b.firstSeenMillis - a.firstSeenMillis || (a.job < b.job ? -1 : 1));
}

function selected(list) {
  const named = jobOfHash();
  if (named !== null) return named;
  // Once chosen it stays until it ends and another runs: a view that jumps cannot be read.
  if (jobs.get(automatic)?.state !== "running") {
    const running = list.find((job) => job.state === "running");
    automatic = (running ?? jobs.get(automatic) ?? list[0])?.job ?? null;
  }
  return automatic;
}

function render() {
  const list = ordered();
  const job = selected(list);
  showJobs(list, job);
  select(job);
  showWorkers(workers, Date.now() + clockAheadMillis);
  const running = list.filter((each) => each.state === "running").length;
  const here = workers.filter((worker) => !worker.gone).length;
  const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  setText(byId("counts"), `${count(list.length, "job")}, ${running} running, ${count(here, "worker")}`);
  document.title = running > 0 ? `(${running}) Trainyard` : "Trainyard";
  return job;
}

function take(update) {
  clockAheadMillis = update.nowMillis - Date.now();
  if (update.snapshot) jobs = new Map();
  for (const job of update.jobs) jobs.set(job.job, job);
  if (update.workers) workers = update.workers;
  const job = render();
  // After a snapshot the job may have changed while nobody listened.
  if (job !== null && (update.snapshot || update.jobs.some((each) => each.job === job))) refresh();
}

connect(take, (state) => {
  byId("connection").dataset.state = state;
  setText(byId("connection"), CONNECTION[state]);
});
addEventListener("hashchange", () => workers && render());
setInterval(() => workers && showWorkers(workers, Date.now() + clockAheadMillis), 1_000);
