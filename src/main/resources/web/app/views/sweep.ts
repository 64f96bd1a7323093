// A sweep or another group of runs: the best so far, and each run's parameters and results.

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { ApiError, api } from "../api/api";
import type { Json, Sweep, SweepTrial } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import "../parts/bulk-actions";
import { importance } from "../parts/importance";
import "../parts/parallel-coordinates";
import { HOVER } from "../parts/parallel-coordinates";
import { inWords, shortNames, variedFields } from "../parts/parameters";
import { stateLabel } from "../parts/state-label";
import "../parts/sweep-curves";
import { jobLink, keep, link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const SHOWN = 100; // rows, unless all are requested
const PERIOD_MILLIS = 2_000;
const IDLE_FACTOR = 10; // pause between calls, in durations of the last one: 1,000 trials are half a megabyte

interface Column {
  name: string; // in the link
  title: string;
  path: string; // of a varied field
  value(trial: SweepTrial): Json | undefined; // to sort by
  cell(trial: SweepTrial): unknown;
}

// Numbers as numbers, and missing values last in both orders.
function compared(a: Json | undefined, b: Json | undefined, sign: number): number {
  const [noA, noB] = [a === undefined || a === null, b === undefined || b === null];
  if (noA || noB) return Number(noA) - Number(noB);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * inWords(a).localeCompare(inWords(b), "en", { numeric: true });
}

class SweepView extends PageElement {
  static override properties = {
    group: {},
    query: {},
    inside: { attribute: false },
    selected: { state: true },
    waiting: { state: true },
    sweep: { state: true },
    problem: { state: true },
    hovered: { state: true },
    all: { state: true },
  };

  declare group: string;
  declare query: string;
  declare inside: boolean; // within the view of the sweep's job
  declare private selected: ReadonlySet<string> | null; // jobs in the selected ranges; null: all
  declare private waiting: string; // why the sweep is not expanded yet
  declare private sweep: Sweep | null;
  declare private problem: string;
  declare private hovered: string;
  declare private all: boolean;

  private readonly refresher = new Refresher(
    (signal) => this.read(signal),
    () => Math.max(PERIOD_MILLIS, IDLE_FACTOR * this.tookMillis),
  );
  private tookMillis = 0;
  private fields: readonly string[] = []; // the same array until they change

  constructor() {
    super();
    this.group = "";
    this.query = "";
    this.inside = false;
    this.selected = null;
    this.waiting = "";
    this.sweep = null;
    this.problem = "";
    this.hovered = "";
    this.all = false;
    new Subscriber(this, (change) => {
      if (change.snapshot || [...change.jobs].some((job) => store.jobs.get(job)?.group === this.group)) this.refresher.request();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has("group")) return;
    this.sweep = null;
    this.problem = "";
    this.all = false;
    this.selected = null;
    this.waiting = "";
    this.refresher.reset();
    this.refresher.request();
  }

  private async read(signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    try {
      this.sweep = await api.sweep(this.group, signal);
      const fields = variedFields(this.sweep.fields, this.sweep.trials.map(({ values }) => values));
      if (fields.join() !== this.fields.join()) this.fields = fields;
      this.tookMillis = performance.now() - begin;
      this.problem = "";
      const [only] = this.sweep.trials;
      const isWaiting = this.sweep.trials.length === 1 && only!.job === this.group && !format.isOver(only!.state);
      this.waiting = isWaiting ? ((await api.job(this.group, signal)).waiting ?? "a worker expands it") : "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      if (problem.status !== 0 || !this.sweep) this.problem = problem.message;
    }
  }

  protected override render() {
    if (this.problem) return html`<p class="notice" role="status">${this.problem}</p>`;
    if (!this.sweep) return nothing;
    const { group, trials, states, metric } = this.sweep;
    const fields = this.fields;
    const open = trials.filter(({ state }) => !format.isOver(state)).map(({ job }) => job);
    if (this.waiting) {
      return html`<p class="notice" role="status" id="sweep-waits">
        <strong>${group}</strong> is not expanded yet. The worker that receives it checks all trials and publishes them;
        until then there is nothing to compare. It waits: ${this.waiting}.
      </p>`;
    }
    const chosen = this.selected ? trials.filter(({ job }) => this.selected!.has(job)) : trials;
    return html`
      ${this.inside ? nothing : html`<p class="crumbs"><a href=${link("runs")}>Runs</a></p>`}
      <section class="sheet" id="sweep" aria-labelledby="sweep-heading">
        <div class="title"><h2 id="sweep-heading">${group}</h2></div>
        <p id="sweep-states">
          ${format.count(trials.length, "trial")}: ${Object.entries(states).map(([state, count], i) => `${i > 0 ? ", " : ""}${count} ${state}`)}
        </p>
        ${this.best(trials[0])}
        <div class="toolbar"><bulk-actions .jobs=${open} .sweep=${group}></bulk-actions></div>
        <sweep-curves .trials=${trials} .metric=${metric} .query=${this.query}></sweep-curves>
        ${guard([this.sweep], () => importance(trials, fields, metric))}
        <h3>Trials</h3>
        <div
          @trial-hover=${(event: CustomEvent<string | null>) => (this.hovered = event.detail ?? "")}
          @trial-select=${(event: CustomEvent<ReadonlySet<string> | null>) => (this.selected = event.detail)}
        >
          <parallel-coordinates
            .trials=${trials}
            .fields=${fields}
            .metric=${metric}
            .hovered=${this.hovered}
          ></parallel-coordinates>
          ${guard([this.sweep, this.all, this.hovered, this.selected, this.query], () => this.table(this.sweep!, chosen))}
        </div>
      </section>
    `;
  }

  private best(first: SweepTrial | undefined) {
    return first && typeof first.best === "number"
      ? html`<p id="sweep-best">
          Best so far: <a href=${jobLink(first.job)}>${first.job}</a>, ${this.sweep!.metric}
          <strong>${this.result(first.best)}</strong>, ${first.epochs} of ${format.count(first.ofEpochs, "epoch")}
        </p>`
      : html`<p id="sweep-best" class="quiet">No trial was tested yet.</p>`;
  }

  private result(value: number | null | undefined): string {
    return this.sweep!.metric === "loss" ? format.loss(value) : format.percent(value);
  }

  private columns({ metric, trials }: Sweep): Column[] {
    const { fields } = this;
    const titles = shortNames(fields);
    const of = (name: string, title: string, value: Column["value"], cell: Column["cell"]): Column => ({
      name,
      title,
      path: "",
      value,
      cell,
    });
    const rungs = trials.some(({ rung }) => typeof rung === "number");
    return [
      ...fields.map((path, i) => ({
        name: path,
        title: titles[i]!,
        path,
        value: ({ values }: SweepTrial) => values[path],
        cell: ({ values }: SweepTrial) => inWords(values[path]),
      })),
      of("epochs", "Epochs", ({ epochs }) => epochs, ({ epochs, ofEpochs }) => `${epochs} / ${ofEpochs}`),
      ...(rungs ? [of("rung", "Rung", ({ rung }) => rung, ({ rung }) => rung ?? format.NONE)] : []),
      of("best", `Best ${metric}`, ({ best }) => best, ({ best }) => this.result(best)),
      of("last", `Last ${metric}`, ({ last }) => last, ({ last }) => this.result(last)),
    ];
  }

  private table(sweep: Sweep, trials: readonly SweepTrial[]) {
    const columns = this.columns(sweep);
    const query = new URLSearchParams(this.query);
    const by = columns.find(({ name }) => name === query.get("sort"));
    const descending = query.get("order") === "desc";
    const sorted = by ? [...trials].sort((a, b) => compared(by.value(a), by.value(b), descending ? -1 : 1)) : trials;
    const shown = this.all ? sorted : sorted.slice(0, SHOWN);
    const head = ({ name, title, path }: Column) => {
      const order = by?.name !== name ? nothing : descending ? "descending" : "ascending";
      const next = order === "ascending" ? "desc" : "asc";
      return html`<th scope="col" class="number" title=${path || nothing} aria-sort=${order}>
        <button type="button" class="sort" @click=${() => keep({ sort: name, order: next })}>${title}</button>
      </th>`;
    };
    return html`
      <div class="scroll" tabindex="0" role="group" aria-label="Trials">
        <table class="list" id="trials">
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col">State</th>
              ${columns.map(head)}
            </tr>
          </thead>
          <tbody>
            ${repeat(
              shown,
              ({ job }) => job,
              (trial) =>
                html`<tr
                  ?data-chosen=${trial.job === this.hovered}
                  @pointerenter=${(event: Event) => this.tell(event, trial.job)}
                  @pointerleave=${(event: Event) => this.tell(event, null)}
                >
                  <td class="id"><a href=${jobLink(trial.job)}>${trial.job}</a></td>
                  <td class="statecell" title=${trial.reason ?? nothing}>${stateLabel(trial.state)}</td>
                  ${columns.map(({ title, cell }) => html`<td class="number" data-label=${title}>${cell(trial)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        shown.length < sorted.length
          ? html`<p class="pages"><button type="button" @click=${() => (this.all = true)}>Show all ${sorted.length}</button></p>`
          : nothing
      }
    `;
  }

  private tell(event: Event, job: string | null): void {
    event.target!.dispatchEvent(new CustomEvent(HOVER, { detail: job, bubbles: true }));
  }
}

customElements.define("sweep-view", SweepView);
