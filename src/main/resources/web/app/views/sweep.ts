// A sweep or another group of runs: the best so far, and each run's parameters and results.

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { ApiError, api } from "../api/api";
import type { Sweep, SweepTrial } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import "../parts/bulk-actions";
import { HOVER } from "../parts/parallel-coordinates";
import { inWords } from "../parts/parameters";
import { stateLabel } from "../parts/state-label";
import { jobLink, link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const SHOWN = 100; // rows, unless all are requested
const PERIOD_MILLIS = 2_000;
const IDLE_FACTOR = 10; // pause between calls, in durations of the last one: 1,000 trials are half a megabyte

class SweepView extends PageElement {
  static override properties = {
    group: {},
    sweep: { state: true },
    problem: { state: true },
    hovered: { state: true },
    all: { state: true },
  };

  declare group: string;
  declare private sweep: Sweep | null;
  declare private problem: string;
  declare private hovered: string;
  declare private all: boolean;

  private readonly refresher = new Refresher(
    (signal) => this.read(signal),
    () => Math.max(PERIOD_MILLIS, IDLE_FACTOR * this.tookMillis),
  );
  private tookMillis = 0;

  constructor() {
    super();
    this.group = "";
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
    this.refresher.reset();
    this.refresher.request();
  }

  private async read(signal: AbortSignal): Promise<void> {
    const begin = performance.now();
    try {
      this.sweep = await api.sweep(this.group, signal);
      this.tookMillis = performance.now() - begin;
      this.problem = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      if (problem.status !== 0 || !this.sweep) this.problem = problem.message;
    }
  }

  protected override render() {
    if (this.problem) return html`<p class="notice" role="status">${this.problem}</p>`;
    if (!this.sweep) return nothing;
    const { group, trials, states, fields, metric } = this.sweep;
    const open = trials.filter(({ state }) => !format.isOver(state)).map(({ job }) => job);
    return html`
      <p class="crumbs"><a href=${link("runs")}>Runs</a></p>
      <section class="sheet" id="sweep" aria-labelledby="sweep-heading">
        <div class="title"><h2 id="sweep-heading">${group}</h2></div>
        <p id="sweep-states">
          ${format.count(trials.length, "trial")}: ${Object.entries(states).map(([state, count], i) => `${i > 0 ? ", " : ""}${count} ${state}`)}
        </p>
        ${this.best(trials[0])}
        <div class="toolbar"><bulk-actions .jobs=${open} .sweep=${group}></bulk-actions></div>
        <div @trial-hover=${(event: CustomEvent<string | null>) => (this.hovered = event.detail ?? "")}>
          <parallel-coordinates
            .trials=${trials}
            .fields=${fields}
            .metric=${metric}
            .hovered=${this.hovered}
          ></parallel-coordinates>
          ${guard([this.sweep, this.all, this.hovered], () => this.table(this.sweep!))}
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

  private table({ fields, metric, trials }: Sweep) {
    const rungs = trials.some(({ rung }) => typeof rung === "number");
    const shown = this.all ? trials : trials.slice(0, SHOWN);
    return html`
      <div class="scroll" tabindex="0" role="group" aria-label="Trials">
        <table class="list" id="trials">
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col">State</th>
              ${fields.map((field) => html`<th scope="col" class="number" title=${field}>${field.slice(field.lastIndexOf(".") + 1)}</th>`)}
              <th scope="col" class="number">Epochs</th>
              ${rungs ? html`<th scope="col" class="number">Rung</th>` : nothing}
              <th scope="col" class="number">Best ${metric}</th>
              <th scope="col" class="number">Last</th>
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
                  <td title=${trial.reason ?? nothing}>${stateLabel(trial.state)}</td>
                  ${fields.map((field) => html`<td class="number">${inWords(trial.values[field])}</td>`)}
                  <td class="number">${trial.epochs} / ${trial.ofEpochs}</td>
                  ${rungs ? html`<td class="number">${trial.rung ?? format.NONE}</td>` : nothing}
                  <td class="number">${this.result(trial.best)}</td>
                  <td class="number">${this.result(trial.last)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        shown.length < trials.length
          ? html`<p class="pages"><button type="button" @click=${() => (this.all = true)}>Show all ${trials.length}</button></p>`
          : nothing
      }
    `;
  }

  private tell(event: Event, job: string | null): void {
    event.target!.dispatchEvent(new CustomEvent(HOVER, { detail: job, bubbles: true }));
  }
}

customElements.define("sweep-view", SweepView);
