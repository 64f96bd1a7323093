// The columns of the list of runs: those of every run, and one for each chosen field of their commands.

import { html, nothing } from "lit";
import type { JobRow, JobSummary, StartForecast } from "../api/types";
import * as format from "../format";
import { link, sweepLink } from "../router";
import { store } from "../state/store";
import { inWords, shortNames } from "./parameters";
import { stateLabel } from "./state-label";

export interface Column {
  name: string; // in the link; for a field its path
  title: string;
  sort?: string; // its name in REST
  className: string;
  wide?: boolean; // hidden on narrower screens, unless columns were chosen
  cell(job: JobSummary, row: JobRow): unknown; // row: from the list's response
}

const text = (value: string | null): string => value ?? format.NONE;

const OWN: readonly Column[] = [
  { name: "state", title: "State", sort: "state", className: "statecell", cell: (job) => stateLabel(job.state) },
  { name: "network", title: "Network", sort: "network", className: "", cell: (job) => text(job.network) },
  { name: "dataset", title: "Dataset", sort: "dataset", className: "", cell: (job) => text(job.dataset) },
  { name: "project", title: "Project", className: "", cell: projectCell },
  { name: "worker", title: "Worker", className: "", cell: (job) => text(job.worker) },
  { name: "progress", title: "Progress", sort: "step", className: "bar", cell: (job, row) => progressCell(job, row.forecast) },
  {
    name: "loss",
    title: "Loss",
    sort: "loss",
    className: "number",
    wide: true,
    cell: (job) => format.loss(job.loss),
  },
  {
    name: "testLoss",
    title: "Last test loss",
    sort: "test_loss",
    className: "number",
    cell: (job) => format.loss(job.testLoss),
  },
  {
    name: "bestTestLoss",
    title: "Best test loss",
    sort: "bestTestLoss",
    className: "number",
    cell: (job) => format.loss(job.bestTestLoss),
  },
  {
    name: "accuracy",
    title: "Last accuracy",
    sort: "accuracy",
    className: "number",
    cell: (job) => format.percent(job.testAccuracy),
  },
  {
    name: "bestAccuracy",
    title: "Best accuracy",
    sort: "bestTestAccuracy",
    className: "number",
    cell: (job) => format.percent(job.bestTestAccuracy),
  },
  {
    name: "started",
    title: "Started",
    sort: "start",
    className: "number",
    wide: true,
    cell: (job) => format.shortMoment(job.startMillis),
  },
  {
    name: "duration",
    title: "Duration",
    sort: "duration",
    className: "number",
    wide: true,
    cell: (job) => format.duration(job.durationMillis),
  },
];

export const OWN_NAMES: readonly string[] = OWN.map(({ name }) => name);

const DEFAULT: readonly string[] = [
  "state",
  "network",
  "dataset",
  "project",
  "optimizer.learningRate",
  "batchSize",
  "progress",
  "loss",
  "accuracy",
  "bestAccuracy",
  "started",
  "duration",
];

// The names of the columns in a link; the default without a choice.
export function columnNames(link: string | null): readonly string[] {
  return link ? [...new Set(link.split(",").filter((name) => name !== ""))] : DEFAULT;
}

export const isField = (name: string): boolean => !OWN_NAMES.includes(name);

export function titleOf(name: string): string {
  return OWN.find((column) => column.name === name)?.title ?? name;
}

// The column of projects is shown only if it was chosen or there are any.
export function columnsOf(names: readonly string[], chosen: boolean, jobs: readonly JobSummary[]): readonly Column[] {
  const fields = names.filter(isField);
  const titles = new Map(shortNames(fields).map((title, i) => [fields[i]!, title]));
  return names.flatMap((name): Column[] => {
    const own = OWN.find((column) => column.name === name);
    if (name === "project" && !chosen && !jobs.some((job) => job.project)) return [];
    if (own) return [chosen ? { ...own, wide: false } : own];
    const cell = (_: JobSummary, { values }: JobRow): string => inWords(values?.[name]);
    return [{ name, title: titles.get(name)!, sort: name, className: "number", cell }];
  });
}

function projectCell({ project }: JobSummary) {
  return project ? html`<a href=${link("runs", { project })}>${project}</a>` : format.NONE;
}

function progressCell(job: JobSummary, listed?: StartForecast | null) {
  if (job.state === "expanded") return html`<a href=${sweepLink(job.job)}>Its trials</a>`;
  const forecast = store.connection.state === "live" ? store.forecastOf(job, listed) : null;
  if (forecast) {
    const [begins, between] = (format.begins(forecast, store.nowMillis) ?? "").split(/ (?=\()/);
    return html`<span class="forecast" title="${between ?? ""} ${forecast.sentence}">
      ${forecast.place > 0 ? `place ${forecast.place}` : nothing}${begins ? `, ${begins}` : nothing}
      <span class="why">${between} ${forecast.sentence}</span>
    </span>`;
  }
  return html`<div class="progress">
    <progress max="1" .value=${format.share(job)} aria-label="Progress of ${job.job}"></progress>
    <span>${format.progress(job)}</span>
  </div>`;
}
