// The table of jobs.

import { byId, element, reconcile, setCell, setState, setText } from "./dom.js";
import * as format from "./format.js";

export const hashOf = (job) => "#job/" + encodeURIComponent(job);

// The job that the address names, or null.
export function jobOfHash() {
  if (!location.hash.startsWith("#job/")) return null;
  try {
    return decodeURIComponent(location.hash.slice("#job/".length));
  } catch {
    return null; // not an address this page makes
  }
}

function createRow(job) {
  const row = element("tr");
  const cell = (name, label, className) => {
    row[name] = element("td", className);
    row[name].dataset.label = label;
    row.append(row[name]);
  };
  cell("name", "Job", "id");
  cell("network", "Network");
  cell("data", "Data set");
  cell("device", "Device");
  cell("worker", "Worker");
  cell("status", "State", "statecell");
  cell("steps", "Progress", "bar");
  cell("epochs", "Epochs", "number");
  cell("loss", "Loss", "number");
  cell("accuracy", "Accuracy", "number");
  cell("rate", "Images/s", "number");
  cell("left", "Time left", "number");

  row.link = element("a", "", job.job);
  row.link.href = hashOf(job.job);
  row.name.append(row.link);
  row.name.title = job.job;
  row.state = element("span", "state");
  row.status.append(row.state);
  const progress = element("div", "progress");
  row.bar = element("progress");
  row.count = element("span");
  progress.append(row.bar, row.count);
  row.steps.append(progress);
  row.addEventListener("click", () => (location.hash = hashOf(job.job)));
  return row;
}

function updateRow(row, job, selected) {
  const state = job.state;
  row.dataset.state = state;
  row.setAttribute("aria-current", String(job.job === selected));
  setState(row.state, state, format.stateWord(job.state));
  setCell(row.network, job.network);
  setCell(row.data, job.dataset);
  setCell(row.device, job.device);
  setCell(row.worker, job.worker);
  const evaluates = job.kind === "evaluate"; // has no steps
  row.bar.max = Math.max(1, job.steps);
  row.bar.value = evaluates && job.state === "finished" ? 1 : job.step;
  row.bar.setAttribute("aria-label", "Progress of " + job.job);
  setText(
    row.count,
    evaluates
      ? `tests ${job.initFrom}`
      : job.steps > 0
        ? `${format.integer(job.step)} / ${format.integer(job.steps)}`
        : "not started",
  );
  setCell(row.epochs, job.epochs > 0 ? `${job.epochsDone} / ${job.epochs}` : format.NONE);
  setCell(row.loss, format.loss(job.loss));
  setCell(row.accuracy, format.percent(job.testAccuracy));
  const range = format.interval(job);
  row.accuracy.title = range ? `95 % interval: ${range} %` : "";
  setCell(row.rate, format.rate(job.imagesPerSecond));
  setCell(row.left, format.duration(job.remainingMicros));
}

export function showJobs(jobs, selected) {
  byId("no-jobs").hidden = jobs.length > 0;
  byId("jobs").hidden = jobs.length === 0;
  reconcile(
    byId("jobs").tBodies[0],
    jobs,
    (job) => job.job,
    createRow,
    (row, job) => updateRow(row, job, selected),
  );
}
