// One job: facts, curves, and the last test class by class.

import { byId, element, setState, setText } from "./dom.js";
import * as format from "./format.js";

const REFRESH_MILLIS = 1_000; // between two looks at the same job
const MAX_CLASSES = 40; // a larger matrix is no picture any more

let shown = null;
let fetching = false;
let stale = false;
let timer;

// Shows this job from now on; null shows none.
export function select(job) {
  if (job === shown) return;
  shown = job;
  byId("detail").hidden = true;
  byId("detail-missing").hidden = true;
  clearTimeout(timer); // a new choice does not wait its turn
  timer = undefined;
  if (job !== null) refresh();
}

// The job has news. However often that is said, it is fetched one at a time and once a second at most.
export function refresh() {
  if (shown === null) return;
  if (fetching || timer) {
    stale = true;
    return;
  }
  stale = false;
  fetching = true;
  load(shown).finally(() => {
    fetching = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (stale) refresh();
    }, REFRESH_MILLIS);
  });
}

async function load(job) {
  try {
    const path = "/api/v1/jobs/" + encodeURIComponent(job);
    const charts = import("./charts.js");
    const [detail, losses] = await Promise.all([fetch(path), fetch(path + "/curve")]);
    if (!detail.ok || !losses.ok) {
      const bad = detail.ok ? losses : detail;
      const sentence = (await bad.text()) || `The dashboard answered ${bad.status}.`;
      if (job === shown) missing(sentence);
      return;
    }
    const [known, points, { drawLosses, drawAccuracy }] = await Promise.all([detail.json(), losses.json(), charts]);
    if (job !== shown) {
      stale = true; // another job was selected meanwhile
      return;
    }
    show(known);
    noteLosses(points);
    const over = format.isOver(known.summary.state);
    if (isThere(points.mean, "loss-chart", "no-losses", over ? "No losses." : "No losses yet.")) drawLosses(points);
    if (isThere(known.tests, "accuracy-chart", "no-accuracy", over ? "No epoch was tested." : "No epoch tested yet.")) {
      drawAccuracy(known.tests);
    }
  } catch (e) {
    console.warn("the job could not be fetched; the next change tries again", e);
    stale = true;
  }
}

// Shows the chart, or in its place why there is none.
function isThere(values, chart, instead, sentence) {
  byId(chart).hidden = values.length === 0;
  byId(instead).hidden = values.length > 0;
  setText(byId(instead), sentence);
  return values.length > 0;
}

function missing(sentence) {
  byId("detail").hidden = true;
  byId("detail-missing").hidden = false;
  setText(byId("detail-missing"), sentence);
}

function show({ summary, command, tests, stepTimes, classAccuracy, confusion }) {
  byId("detail").hidden = false;
  byId("detail-missing").hidden = true;
  setText(byId("detail-heading"), summary.job);
  setState(byId("detail-state"), summary.state, format.stateWord(summary.state));
  byId("detail-reason").hidden = !summary.reason;
  byId("detail-reason").dataset.state = summary.state;
  setText(byId("detail-reason"), (summary.state === "finished" ? "Stopped early: " : "") + (summary.reason ?? ""));
  showFacts(summary, tests, stepTimes);
  byId("command").hidden = !command;
  setText(byId("command").querySelector("pre"), command ? JSON.stringify(command) : "");
  byId("tests").hidden = !confusion;
  if (confusion) {
    setText(byId("class-epoch"), `after epoch ${tests.at(-1).epoch}`);
    showClasses(classAccuracy ?? []);
    showConfusion(confusion);
  }
}

function showFacts(summary, tests, stepTimes) {
  const best = tests.reduce((a, b) => (a && a.testAccuracy >= b.testAccuracy ? a : b), null);
  const facts = [
    ["Network", summary.network ?? format.NONE],
    ["Data set", summary.dataset ?? format.NONE],
    ["Device", summary.device ?? format.NONE],
    ["Worker", summary.worker ?? format.NONE],
    ["Step", summary.steps > 0 ? `${format.integer(summary.step)} / ${format.integer(summary.steps)}` : format.NONE],
    [summary.kind === "evaluate" ? "Tests" : "Starts from", summary.initFrom ?? (summary.kind ? "drawn weights" : format.NONE)],
    ["Epochs", summary.epochs > 0 ? `${summary.epochsDone} / ${summary.epochs}` : format.NONE],
    ["Loss", format.loss(summary.loss)],
    ["Accuracy (95 %)", format.accuracy(summary)],
    ["Best accuracy", best ? `${format.percent(best.testAccuracy)} (epoch ${best.epoch})` : format.NONE],
    ["Images/s", format.rate(summary.imagesPerSecond)],
    ["Step time", format.stepTimes(stepTimes)],
    ["Time left", format.duration(summary.remainingMicros)],
    ["Began", format.moment(summary.startMillis)],
    ["Duration", format.duration(1000 * summary.durationMillis)],
    ["Attempt", summary.attempt > 0 ? format.integer(summary.attempt) : format.NONE],
    ["Checkpoint", summary.checkpoint ?? (format.isOver(summary.state) ? "none" : "none yet"), "wide"],
  ];
  const list = byId("facts");
  if (list.childElementCount !== facts.length) {
    list.replaceChildren(
      ...facts.map(([name, , className]) => {
        const pair = element("div", className);
        pair.append(element("dt", "", name), element("dd"));
        return pair;
      }),
    );
  }
  facts.forEach(([name, value], i) => {
    setText(list.children[i].firstChild, name);
    setText(list.children[i].lastChild, value);
  });
}

function noteLosses(points) {
  const bad = points.notFinite.findIndex((count) => count > 0);
  byId("loss-note").hidden = bad < 0;
  if (bad >= 0) {
    setText(byId("loss-note"), `From step ${format.integer(points.firstStep[bad])} on, losses are not finite numbers.`);
  }
}

function showClasses(accuracy) {
  byId("classes").replaceChildren(
    ...accuracy.slice(0, MAX_CLASSES).map((value, i) => {
      const row = element("tr");
      const label = element("th", "", String(i));
      label.scope = "row";
      const bar = element("progress");
      bar.max = 1;
      bar.value = Number.isFinite(value) ? value : 0;
      bar.setAttribute("aria-label", `Accuracy of class ${i}`);
      const middle = element("td");
      middle.append(bar);
      row.append(label, middle, element("td", "number", format.percent(value)));
      return row;
    }),
  );
}

function showConfusion(confusion) {
  const tooLarge = confusion.length > MAX_CLASSES;
  byId("confusion-note").hidden = !tooLarge;
  setText(byId("confusion-note"), tooLarge ? `${confusion.length} classes are too many to show as a table.` : "");
  if (tooLarge) {
    byId("confusion").replaceChildren();
    return;
  }
  const head = element("tr");
  head.append(element("td"), ...confusion.map((_, i) => columnHead(i, "col")));
  byId("confusion").replaceChildren(
    head,
    ...confusion.map((counts, i) => {
      const row = element("tr");
      const all = Math.max(1, counts.reduce((a, b) => a + b, 0));
      row.append(columnHead(i, "row"), ...counts.map((count, j) => heatCell(count, count / all, i, j)));
      return row;
    }),
  );
}

function columnHead(i, scope) {
  const head = element("th", "", String(i));
  head.scope = scope;
  return head;
}

// The shade grows with the share of the true class, so that rare classes show as well as frequent ones; its square root,
// so that a few mistakes show beside many hits.
function heatCell(count, share, truth, predicted) {
  const cell = element("td", "", count === 0 ? "·" : format.integer(count));
  cell.title = `class ${truth} taken for ${predicted}: ${count} (${format.percent(share)})`;
  cell.style.backgroundColor = `rgba(var(--heat), ${(0.65 * Math.sqrt(share)).toFixed(3)})`;
  return cell;
}
