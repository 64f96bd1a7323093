// One run: progress, curves, the last test by class, parameters and attempts.

import { type TemplateResult, html, nothing } from "lit";
import { ApiError, api } from "../api/api";
import type { JobDetail, JobSummary, RatePoint, UserMetric } from "../api/types";
import { PageElement } from "../element";
import * as format from "../format";
import { attempts } from "../parts/attempts";
import { checkpoints } from "../parts/checkpoints";
import { classResults } from "../parts/class-results";
import "../parts/device-use";
import "../parts/epoch-charts";
import { epochTimes } from "../parts/epoch-time";
import "../parts/job-actions";
import "../parts/job-notes";
import "../parts/loss-curves";
import "../parts/mistakes";
import { hyperparameters, parameterTable } from "../parts/parameters";
import { stateLabel } from "../parts/state-label";
import { bestOf, resultInWords } from "../parts/test-losses";
import "../parts/user-metrics";
import { jobLink, link, sweepLink } from "../router";
import "./sweep";
import { Refresher } from "../state/refresher";
import { store } from "../state/store";
import { Subscriber } from "../state/subscriber";

class JobView extends PageElement {
  static override properties = { job: {}, query: {}, detail: { state: true }, problem: { state: true } };

  declare job: string;
  declare query: string; // the settings of curves
  declare private detail: JobDetail | null;
  declare private problem: string;

  private metrics: readonly UserMetric[] = [];
  private rates: readonly RatePoint[] = [];
  private ratesOf = ""; // the job's progress when they were read
  private readonly refresher = new Refresher((signal) => this.read(signal));

  constructor() {
    super();
    this.job = "";
    this.query = "";
    this.detail = null;
    this.problem = "";
    new Subscriber(this, (change) => {
      const unseen = change.forecasts && this.detail?.summary.state === "queued" && !store.isNext(this.job);
      if (change.snapshot || change.jobs.has(this.job) || unseen) this.refresher.request();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("job")) {
      this.detail = null;
      this.problem = "";
      this.metrics = [];
      this.rates = [];
      this.ratesOf = "";
      this.refresher.reset();
      this.refresher.request();
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    try {
      const detail = await api.job(this.job, signal);
      this.metrics = await api.metrics(this.job, signal);
      this.detail = detail;
      this.problem = "";
      await this.readRates(this.detail, signal);
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem;
      // If the dashboard does not answer, older data stay visible; the page shows that they are outdated.
      if (problem.status !== 0 || !this.detail) this.problem = problem.message;
    }
  }

  // Learning rates change slowly, so they are read once per epoch.
  private async readRates({ tests, summary }: JobDetail, signal: AbortSignal): Promise<void> {
    const stage = `${tests.length} ${summary.state}`;
    if (stage === this.ratesOf) return;
    this.rates = await api.learningRates(this.job, signal);
    this.ratesOf = stage;
  }

  protected override render() {
    if (this.problem) {
      return html`<section class="sheet" aria-labelledby="missing-heading">
        <h2 id="missing-heading">${this.job} cannot be shown</h2>
        <p id="detail-missing" role="status">${this.problem}</p>
        <p>
          It may have been submitted under another id, be too old, or not have been read yet:
          <a href=${link("runs", { text: this.job })}>runs with similar ids</a>, <a href=${link("runs")}>all runs</a>.
        </p>
      </section>`;
    }
    if (!this.detail) return nothing;
    const { detail } = this;
    const summary = store.jobs.get(this.job) ?? detail.summary;
    const expanded = summary.state === "expanded"; // into trials, which have the curves
    return html`
      <p class="crumbs">
        <a href=${link("runs")}>Runs</a>
        ${summary.group ? html`<a id="sweep-link" href=${sweepLink(summary.group)}>${summary.group}</a>` : nothing}
      </p>
      <section id="detail" class="sheet" aria-labelledby="detail-heading">
        <div class="title">
          <h2 id="detail-heading">${summary.job}</h2>
          <span id="detail-state">${stateLabel(summary.state)}</span>
          <job-notes
            .job=${summary.job}
            .tags=${detail.tags ?? summary.tags ?? []}
            .note=${detail.note ?? ""}
          ></job-notes>
        </div>
        ${this.reason(summary, detail)} ${this.progress(summary)}
        <job-actions
          .summary=${summary}
          .command=${detail.command}
          .priority=${detail.control?.priority ?? null}
        ></job-actions>
        ${this.facts(summary, detail)} ${detail.command && !expanded ? hyperparameters(detail.command) : nothing}
        ${
          summary.kind === "evaluate" || expanded
            ? nothing
            : html`<loss-curves
                .jobs=${[summary]}
                .checkpoints=${detail.checkpoints ?? []}
                .tests=${detail.tests}
                .query=${this.query}
              ></loss-curves>`
        }
        <epoch-charts .runs=${[{ job: summary.job, colour: 0, metric: summary.metric ?? null, tests: detail.tests, rates: this.rates }]}></epoch-charts>
        <user-metrics .runs=${[{ job: summary.job, colour: 0, metrics: this.metrics }]}></user-metrics>
        ${
          detail.tests.length === 0 && !expanded
            ? html`<p class="nothing" id="no-accuracy">
                ${format.isOver(summary.state) ? "No epoch was tested." : "No epoch tested yet."}
              </p>`
            : nothing
        }
        <device-use .job=${summary} .samples=${detail.deviceUse ?? []}></device-use>
        ${epochTimes(detail.tests)} ${classResults(detail)} ${attempts(detail.attempts ?? [], store.asOfMillis)}
        ${summary.state === "finished" ? html`<worst-mistakes .job=${summary.job}></worst-mistakes>` : nothing}
        ${checkpoints(detail.summary.job, detail.checkpoints ?? [])}
        ${
          detail.command
            ? html`
                <details>
                  <summary>Parameters</summary>
                  ${parameterTable(detail.command)}
                </details>
                <details id="command">
                  <summary>The command as it was sent</summary>
                  <pre tabindex="0">${JSON.stringify(detail.command, null, 2)}</pre>
                </details>
              `
            : nothing
        }
      </section>
      ${expanded ? html`<sweep-view .group=${summary.job} .query=${this.query} .inside=${true}></sweep-view>` : nothing}
    `;
  }

  // A start estimate is shown only while the data are live.
  private reason(summary: JobSummary, detail: JobDetail) {
    const { state, reason } = summary;
    const waiting = store.whyWaiting(summary, detail.forecast);
    const forecast = store.connection.state === "live" ? store.forecastOf(summary, detail.forecast) : null;
    const begins = forecast && format.begins(forecast, store.nowMillis);
    const sentences = [
      waiting ? `Waits: ${waiting}` : null,
      forecast && forecast.place > 0 ? `Place ${forecast.place}${begins ? `; begins ${begins}` : ""}` : null,
      reason && state === "finished" ? `Stopped early: ${reason}` : reason,
    ].filter((sentence) => sentence !== null);
    if (sentences.length === 0) return nothing;
    return html`<p class="reason" id="detail-reason" data-state=${state}>${sentences.join("\n")}</p>`;
  }

  // The remaining time is shown only while the data are live.
  private progress(summary: JobSummary) {
    if (summary.kind === "evaluate" || format.isOver(summary.state) || summary.steps === 0) return nothing;
    const live = store.connection.state === "live" && summary.state === "running";
    const left = live ? format.duration(summary.remainingMicros / 1000) : format.NONE;
    return html`
      <div class="progress whole" data-state=${summary.state}>
        <progress max="1" .value=${format.share(summary)} aria-label="Progress"></progress>
        <span id="progress">
          step ${format.progress(summary)}, epoch ${summary.epochsDone} of
          ${summary.epochs}${left === format.NONE ? nothing : html`, <span id="time-left">${left} left</span>`}
        </span>
      </div>
    `;
  }

  private facts(summary: JobSummary, detail: JobDetail) {
    const facts = factsOf(summary, detail).filter(([, value]) => value !== format.NONE);
    return html`<dl id="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div class=${WIDE.has(name) ? "wide" : ""}>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>`;
  }
}

const WARNINGS = "Warnings";
const LEFT_OUT = "Left out";
const CHECKPOINT = "Last checkpoint";
const WIDE: ReadonlySet<string> = new Set([WARNINGS, LEFT_OUT, CHECKPOINT]);

type Fact = [name: string, value: string | TemplateResult];

// Unknown values are omitted.
function factsOf(summary: JobSummary, { tests, attempts: spans, warnings, omitted, submitter }: JobDetail): Fact[] {
  const last = tests.at(-1);
  const model = spans?.at(-1)?.model;
  const best = bestOf(tests, summary);
  const error = last?.testMeanAbsoluteError;
  const over = format.isOver(summary.state);
  const validates = summary.part === "validation";
  const { initFrom } = summary;
  return [
    ["Network", summary.network ?? format.NONE],
    ["Dataset", summary.dataset ?? format.NONE],
    ["Device", summary.device && model ? `${summary.device}: ${model}` : (summary.device ?? format.NONE)],
    ["Worker", summary.worker ?? format.NONE],
    ["Submitted by", submitter ?? format.NONE],
    ["Started", format.moment(summary.startMillis)],
    ["Duration", format.duration(summary.durationMillis)],
    [
      "Steps",
      over && summary.steps > 0 ? `${format.integer(summary.step)} / ${format.integer(summary.steps)}` : format.NONE,
    ],
    ["Epochs", over && summary.epochs > 0 ? `${summary.epochsDone} / ${summary.epochs}` : format.NONE],
    ["Loss", format.loss(summary.loss)],
    [validates ? "Last validation accuracy (95 %)" : "Last accuracy (95 %)", format.accuracy(summary)],
    [
      summary.metric ? "Best epoch" : best?.testAccuracy == null ? `Best ${best?.part ?? "test"} loss` : validates ? "Best validation accuracy" : "Best accuracy",
      best && tests.length > 1
        ? `${summary.metric ? resultInWords(best, summary) : best.testAccuracy === null ? format.loss(best.testLoss) : format.percent(best.testAccuracy)} (epoch ${best.epoch})`
        : format.NONE,
    ],
    [
      "Test",
      summary.test
        ? `${summary.test.testAccuracy === null ? format.loss(summary.test.testLoss) : format.accuracy(summary.test)} (once, with the weights of epoch ${summary.test.epoch})`
        : format.NONE,
    ],
    [
      "Selection",
      tests.length > 1 && !validates
        ? "by the test set: the best result is optimistic, because the dataset has no validation part"
        : format.NONE,
    ],
    ["Mean absolute error", error == null ? format.NONE : format.loss(error)],
    ["Samples/s", format.rate(summary.samplesPerSecond)],
    ["Arithmetic", format.flops(last?.flopsPerSecond)],
    ["MFU", format.smallPercent(last?.mfu)],
    [
      summary.kind === "evaluate" ? "Tests" : "Starts from",
      !initFrom || initFrom.endsWith(".safetensors")
        ? (initFrom ?? format.NONE)
        : html`<a href=${jobLink(initFrom.split(/[/~]/)[0]!)}>${initFrom}</a>`,
    ],
    ["Attempt", summary.attempt > 1 ? format.integer(summary.attempt) : format.NONE],
    [WARNINGS, warnings?.join("\n") ?? format.NONE],
    [LEFT_OUT, omitted ?? format.NONE],
    [CHECKPOINT, summary.checkpoint ?? format.NONE],
  ];
}

customElements.define("job-view", JobView);
