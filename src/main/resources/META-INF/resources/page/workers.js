// The table of workers.

import { byId, element, reconcile, setCell, setState, setText } from "./dom.js";
import * as format from "./format.js";
import { hashOf } from "./jobs.js";

const COLUMNS = ["Worker", "Device", "State", "Job", "Images/s", "Memory", "Last seen"];
const FIRST_NUMBER = 4;

function createRow(worker) {
  const row = element("tr");
  COLUMNS.forEach((label, i) => {
    const cell = element("td", i === 0 ? "id" : i >= FIRST_NUMBER ? "number" : "");
    cell.dataset.label = label;
    row.append(cell);
  });
  row.cells[0].title = worker.worker;
  row.cells[0].append(element("strong", "", worker.worker));
  row.cells[2].append(element("span", "state"));
  return row;
}

function updateRow(row, worker, nowMillis) {
  const [, device, state, job, rate, memory, seen] = row.cells;
  setCell(device, worker.device);
  const [name, word] = worker.gone ? ["gone", "Gone"] : worker.job ? ["busy", "Training"] : ["idle", "Idle"];
  setState(state.firstChild, name, word);
  if (!job.firstChild || job.dataset.job !== (worker.job ?? "")) {
    job.dataset.job = worker.job ?? "";
    const link = element(worker.job ? "a" : "span", "", worker.job ?? format.NONE);
    if (worker.job) link.href = hashOf(worker.job);
    job.replaceChildren(link);
    job.toggleAttribute("data-empty", !worker.job);
  }
  setCell(rate, worker.gone ? format.NONE : format.rate(worker.imagesPerSecond));
  setText(memory, format.bytes(worker.memoryBytes));
  setText(seen, format.ago(nowMillis - worker.lastSeenMillis));
}

export function showWorkers(workers, nowMillis) {
  byId("no-workers").hidden = workers.length > 0;
  byId("workers").hidden = workers.length === 0;
  reconcile(
    byId("workers").tBodies[0],
    workers,
    (worker) => worker.worker,
    createRow,
    (row, worker) => updateRow(row, worker, nowMillis),
  );
}
