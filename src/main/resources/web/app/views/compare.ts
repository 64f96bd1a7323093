// Compares runs: curves, differing parameters, and whether the accuracies differ significantly.

import { html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import type { ComparedFields, JobDetail, RatePoint, UserMetric } from "../api/types";
import { swatchClass } from "../chart/palette";
import { PageElement } from "../element";
import * as format from "../format";
import "../parts/epoch-charts";
import { periodMillis } from "../parts/loss-curves";
import { inWords } from "../parts/parameters";
import { stateLabel } from "../parts/state-label";
import "../parts/user-metrics";
import { jobLink, link } from "../router";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

const MOST = 100; // the dashboard's limit
const PERIOD_MILLIS = 2_000;

class CompareView extends PageElement {
  static override properties = {
    query: {},
    details: { state: true },
    compared: { state: true },
    metrics: { state: true },
    problem: { state: true },
  };

  declare query: string;
  declare private details: readonly JobDetail[];
  declare private compared: ComparedFields | null;
  declare private metrics: readonly (readonly UserMetric[])[];
  declare private problem: string;

  private jobs: readonly string[] = [];
  private rates: readonly (readonly RatePoint[])[] = [];
  private shown = "";
  private readonly refresher = new Refresher((signal) => this.read(signal), () => PERIOD_MILLIS);

  constructor() {
    super();
    this.query = "";
    this.details = [];
    this.compared = null;
    this.metrics = [];
    this.problem = "";
    new Subscriber(
      this,
      (change) => {
        if (change.snapshot || this.jobs.some((job) => change.jobs.has(job) && this.isNew(job))) this.refresher.request();
      },
      () => periodMillis(this.jobs.length),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  protected override willUpdate(): void {
    const shown = new URLSearchParams(this.query).get("jobs") ?? "";
    if (shown === this.shown) return;
    this.shown = shown;
    this.jobs = [...new Set(shown.split(",").filter((job) => job !== ""))].slice(0, MOST);
    this.details = [];
    this.rates = [];
    this.metrics = [];
    this.compared = null;
    this.refresher.reset();
    if (this.jobs.length > 0) this.refresher.request();
  }

  // Whether a job has data that the stream does not contain.
  private isNew(job: string): boolean {
    const now = store.jobs.get(job);
    const known = this.details.find(({ summary }) => summary.job === job)?.summary;
    return !now || !known || now.epochsDone !== known.epochsDone || now.attempt !== known.attempt || now.state !== known.state;
  }

  private async read(signal: AbortSignal): Promise<void> {
    try {
      const known = new Map(this.details.map((detail) => [detail.summary.job, detail]));
      this.details = await Promise.all(
        this.jobs.map((job) => {
          const detail = known.get(job);
          return detail && !this.isNew(job) ? detail : api.job(job, signal);
        }),
      );
      this.problem = "";
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      if (problem.status !== 0) this.problem = problem.message;
      return;
    }
    if (this.rates.length === 0) {
      this.rates = await Promise.all(this.jobs.map((job) => api.learningRates(job, signal)));
    }
    this.metrics = await Promise.all(this.jobs.map((job) => api.metrics(job, signal)));
    if (this.jobs.length > 1) this.compared = await api.compare(this.jobs, signal);
  }

  protected override render() {
    if (this.jobs.length === 0) {
      return html`<p class="empty">Select runs to compare in the list of <a href=${link("runs")}>runs</a>.</p>`;
    }
    if (this.problem) return html`<p class="notice" role="status">${this.problem}</p>`;
    if (this.details.length === 0) return nothing;
    const jobs = this.details.map(({ summary }) => store.jobs.get(summary.job) ?? summary);
    const runs = this.details.map(({ summary, tests }, colour) => ({
      job: summary.job,
      colour,
      tests,
      rates: this.rates[colour] ?? [],
    }));
    return html`
      <p class="crumbs"><a href=${link("runs")}>Runs</a></p>
      <section class="sheet" id="compare" aria-labelledby="compare-heading">
        <h2 id="compare-heading">${format.count(jobs.length, "run")} compared</h2>
        <loss-curves .jobs=${jobs} .query=${this.query}></loss-curves>
        <epoch-charts .runs=${runs}></epoch-charts>
        <user-metrics
          .runs=${runs.map(({ job, colour }) => ({ job, colour, metrics: this.metrics[colour] ?? [] }))}
        ></user-metrics>
        <h3>Results</h3>
        <div class="scroll" tabindex="0" role="group" aria-label="Results">
          <table class="plain" id="results">
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col">State</th>
                <th scope="col" class="number">Loss</th>
                <th scope="col" class="number">Last accuracy (95 %)</th>
                <th scope="col" class="number">Best accuracy</th>
                <th scope="col" class="number">Samples/s</th>
                <th scope="col" class="number">Duration</th>
              </tr>
            </thead>
            <tbody>
              ${jobs.map((job, i) => {
                const accuracies = runs[i]!.tests.map((test) => test.testAccuracy).filter((value): value is number => value !== null);
                return html`<tr>
                  <th scope="row"><span class=${swatchClass(i)}></span><a href=${jobLink(job.job)}>${job.job}</a></th>
                  <td>${stateLabel(job.state)}</td>
                  <td class="number">${format.loss(job.loss)}</td>
                  <td class="number">${format.accuracy(job)}</td>
                  <td class="number">${format.percent(accuracies.length > 0 ? Math.max(...accuracies) : null)}</td>
                  <td class="number">${format.rate(job.samplesPerSecond)}</td>
                  <td class="number">${format.duration(job.durationMillis)}</td>
                </tr>`;
              })}
            </tbody>
          </table>
        </div>
        ${this.differences(this.details.map(({ summary }) => summary.job))}
      </section>
    `;
  }

  private differences(jobs: readonly string[]) {
    if (!this.compared || this.compared.fields.length === 0) return nothing;
    const { fields, tests, test, refused } = this.compared;
    return html`
      <h3>What differs</h3>
      <div class="scroll" tabindex="0" role="group" aria-label="What differs">
        <table class="plain" id="differences">
          <thead>
            <tr>
              <th scope="col">Field</th>
              ${jobs.map((job, i) => html`<th scope="col"><span class=${swatchClass(i)}></span>${job}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${fields.map(
              ({ field, values }) =>
                html`<tr>
                  <th scope="row">${field}</th>
                  ${values.map((value) => html`<td>${inWords(value ?? undefined)}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${refused ? html`<p class="reason" id="refused">${refused.charAt(0).toUpperCase() + refused.slice(1)}.</p>` : nothing}
      ${
        tests.length === 0
          ? nothing
          : html`<ul class="reasons" id="significance">
              ${tests.map(
                ({ a, b, pValue }) =>
                  html`<li>
                    ${a} and ${b}: the accuracies ${pValue < 0.05 ? "differ" : "do not differ"} significantly,
                    ${pValue < 0.0001 ? "p < 0.0001" : `p = ${pValue.toPrecision(2)}`}
                  </li>`,
              )}
              <li class="quiet">${test}</li>
            </ul>`
      }
    `;
  }
}

customElements.define("compare-view", CompareView);
