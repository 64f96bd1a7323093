// The loss curves of one or several runs. Their settings (x, scale, smoothing, zoom) are in the link.

import { html, nothing } from "lit";
import type { CheckpointRow, JobSummary, TestedEpoch } from "../api/types";
import { Chart } from "../chart/chart";
import { downloadPicture, downloadTable } from "../chart/export";
import { swatchClass } from "../chart/palette";
import { RunCurve, stepsPerEpoch } from "../chart/run-curve";
import type { Mark, Range, Series } from "../chart/series";
import { X_AXES, type XAxis, xAxisOf } from "../chart/x-axis";
import { PageElement } from "../element";
import { bytes, integer, isOver } from "../format";
import { keep } from "../router";
import { Refresher } from "../state/refresher";
import { bestMark, testLosses } from "./test-losses";

const POINTS_LEAST = 200;
const POINTS_MOST = 1_000;
const FEW = 8; // up to this many curves, each pixel has a point
const LEAST_MILLIS = 100;
const MILLIS_A_CURVE = 10; // drawing takes 1 to 2 ms

// The time between drawings; leaves most of it to the rest of the page.
export const periodMillis = (curves: number): number => Math.max(LEAST_MILLIS, MILLIS_A_CURVE * curves);

interface Settings {
  axis: XAxis;
  log: boolean;
  smoothing: number;
  zoom: Range | null;
}

function settingsOf(link: string): Settings {
  const query = new URLSearchParams(link);
  const smoothing = Number(query.get("smooth") ?? "0.6");
  const [from, to] = (query.get("zoom") ?? "").split("~").map(Number);
  return {
    axis: xAxisOf(query.get("x")),
    log: query.get("scale") === "log",
    smoothing: smoothing >= 0 && smoothing < 1 ? smoothing : 0,
    zoom: from !== undefined && to !== undefined && from < to ? { from, to } : null,
  };
}

const NO_MARKS: readonly Mark[] = [];

const progressOf = (job: JobSummary): string => `${job.attempt} ${job.step} ${job.state}`;

export class LossCurves extends PageElement {
  static override properties = {
    jobs: { attribute: false },
    query: {},
    checkpoints: { attribute: false },
    tests: { attribute: false },
    curvesVersion: { state: true },
    sliding: { state: true },
  };

  declare jobs: readonly JobSummary[];
  declare query: string; // of the link
  declare checkpoints: readonly CheckpointRow[]; // if there is one run
  declare tests: readonly TestedEpoch[]; // if there is one run
  declare curvesVersion: number; // incremented when curves grow
  // The smoothing while its slider moves; browsers limit changes of the link per second.
  declare sliding: number | null;

  private curves: RunCurve[] = [];
  private shown = ""; // the jobs and settings of the last request
  private progress = ""; // the jobs' progress at that time
  private known = new Map<RunCurve, string>(); // the job's progress when the curve was read
  private series: Series[] = [];
  private tested = ""; // the tests that are drawn
  private readonly refresher = new Refresher(
    (signal) => this.read(signal),
    () => periodMillis(this.jobs.length),
  );

  constructor() {
    super();
    this.jobs = [];
    this.query = "";
    this.checkpoints = [];
    this.tests = [];
    this.curvesVersion = 0;
    this.sliding = null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.refresher.reset();
  }

  // Jobs or settings have changed.
  protected override willUpdate(): void {
    const { axis, zoom } = settingsOf(this.query);
    const shown = [...this.jobs.map((job) => job.job), axis.name, zoom?.from, zoom?.to].join("\n");
    const progress = this.jobs.map(progressOf).join("\n");
    if (shown !== this.shown) {
      const before = new Map(this.curves.map((curve) => [curve.job, curve]));
      this.curves = this.jobs.map(({ job }, i) => {
        const known = before.get(job);
        return known?.colour === i ? known : new RunCurve(job, i);
      });
      this.known = new Map();
      this.refresher.reset();
    }
    if (shown !== this.shown || progress !== this.progress) this.refresher.request();
    this.shown = shown;
    this.progress = progress;
    const series = this.curves.map((curve, i) => curve.series(this.jobs[i]!, axis));
    const [job] = this.jobs;
    const tested = `${axis.name} ${job?.steps} ${this.tests.length} ${job?.state}`;
    // The same array if no curve has changed, so that other updates of the runs do not redraw the chart.
    if (tested !== this.tested || this.curves.some((_, i) => series[i] !== this.series[i])) {
      const tests = this.curves.length === 1 && series[0]!.x.length > 0 ? testLosses(job!, this.tests, axis) : [];
      this.series = [...series, ...tests];
    }
    this.tested = tested;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { axis, zoom } = settingsOf(this.query);
    const width = this.querySelector(".plot")?.clientWidth ?? POINTS_MOST;
    const each = this.jobs.length > FEW ? width / 2 : width;
    const points = Math.min(POINTS_MOST, Math.max(POINTS_LEAST, Math.round(each)));
    const { jobs, curves, known } = this;
    await Promise.all(
      curves.map(async (curve, i) => {
        const progress = progressOf(jobs[i]!);
        if (known.get(curve) === progress) return;
        await curve.read(jobs[i]!, axis, zoom, points, signal);
        known.set(curve, progress);
      }),
    );
    this.curvesVersion++;
  }

  protected override render() {
    const { axis, log, smoothing: kept, zoom } = settingsOf(this.query);
    const smoothing = this.sliding ?? kept;
    const empty = this.series.every(({ x }) => x.length === 0);
    const timeless = empty && this.curves.some(({ curve }) => curve.firstStep.length > 0);
    return html`
      <figure class="losses">
        <figcaption>Loss <span class="quiet">line: smoothed mean; band: least to greatest</span></figcaption>
        ${this.toolbar(axis, log, smoothing, zoom)}
        ${
          empty
            ? html`<p class="nothing">
                ${timeless ? `The dashboard does not tell ${axis.title} here.` : this.whyNothing()}
              </p>`
            : html`<trainyard-chart
                class="tall"
                name="Loss"
                .series=${this.series}
                .marks=${this.marks(axis)}
                .xRange=${zoom}
                .log=${log}
                .smoothing=${smoothing}
                .xName=${axis.title}
                .formatX=${axis.format}
                .xSteps=${axis.steps}
                .zoomable=${true}
                @zoom=${this.zoom}
              ></trainyard-chart>`
        }
        ${this.legend()} ${this.note()}
      </figure>
    `;
  }

  private toolbar(axis: XAxis, log: boolean, smoothing: number, zoom: Range | null) {
    const choose = (event: Event): void => keep({ x: (event.target as HTMLSelectElement).value, zoom: null });
    return html`
      <div class="toolbar">
        <label>
          x
          <select @change=${choose}>
            ${X_AXES.map(({ name, label }) => html`<option value=${name} ?selected=${name === axis.name}>${label}</option>`)}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            .checked=${log}
            @change=${(event: Event) => keep({ scale: (event.target as HTMLInputElement).checked ? "log" : null })}
          />
          Log scale
        </label>
        <label>
          Smoothing
          <input
            type="range"
            min="0"
            max="0.99"
            step="0.01"
            .value=${String(smoothing)}
            @input=${(event: Event) => (this.sliding = Number((event.target as HTMLInputElement).value))}
            @change=${this.keepSmoothing}
          />
          <output>${smoothing.toFixed(2)}</output>
        </label>
        <span class="push">
          ${zoom ? html`<button type="button" @click=${() => keep({ zoom: null })}>Show all</button>` : nothing}
          <button type="button" @click=${this.saveTable}>CSV</button>
          <button type="button" @click=${this.savePicture}>PNG</button>
        </span>
      </div>
    `;
  }

  private whyNothing(): string {
    if (this.curvesVersion === 0) return "Reading…";
    return this.jobs.every((job) => isOver(job.state)) ? "No losses." : "No losses yet.";
  }

  private legend() {
    if (this.series.length < 2) return nothing;
    const name = (i: number): string => (this.jobs.length > 1 ? this.jobs[i]!.job : "training loss");
    return html`<ul class="legend">
      ${this.series.map((one, i) => html`<li><span class=${swatchClass(i)}></span>${i < this.jobs.length ? name(i) : one.name}</li>`)}
    </ul>`;
  }

  private note() {
    const notes = this.curves.flatMap(({ job, curve }) => {
      const first = curve.notFinite.findIndex((n) => n > 0);
      if (first < 0) return [];
      const all = curve.notFinite.reduce((a, b) => a + b, 0);
      const what = all === 1 ? "1 loss is" : `${integer(all)} losses are`;
      return [
        `${this.jobs.length > 1 ? job + ": " : ""}${what} NaN or infinite, the first from step ${integer(curve.firstStep[first])} on.`,
      ];
    });
    return notes.length === 0 ? nothing : html`<p class="note bad">${notes.join(" ")}</p>`;
  }

  private marks(axis: XAxis): readonly Mark[] {
    const [job] = this.jobs;
    if (this.jobs.length !== 1 || !job) return NO_MARKS;
    const checkpoints = this.checkpoints.flatMap(({ step, millis, bytes: size }) => {
      const x = {
        step: step,
        epoch: stepsPerEpoch(job) > 0 ? step / stepsPerEpoch(job) : Number.NaN,
        relative: millis ? millis - job.startMillis : Number.NaN,
        wall: millis ?? Number.NaN,
      }[axis.name];
      return Number.isNaN(x) ? [] : [{ x, text: `checkpoint at step ${integer(step)}, ${bytes(size)}` }];
    });
    return [...checkpoints, ...bestMark(job, this.tests, axis)];
  }

  private readonly keepSmoothing = (event: Event): void => {
    keep({ smooth: (event.target as HTMLInputElement).value });
    this.sliding = null;
  };

  private readonly zoom = (event: CustomEvent<Range | null>): void => {
    const range = event.detail;
    keep({ zoom: range && [range.from, range.to].map((value) => Number(value.toPrecision(15))).join("~") });
  };

  private get fileName(): string {
    return this.jobs.length === 1 ? `loss-${this.jobs[0]!.job}` : "loss-compared";
  }

  private readonly saveTable = (): void => downloadTable(this.fileName + ".csv", this.curves);

  private readonly savePicture = (): void => {
    const chart = this.querySelector<Chart>("trainyard-chart");
    if (chart) downloadPicture(this.fileName + ".png", chart.picture());
  };
}

customElements.define("loss-curves", LossCurves);

declare global {
  interface HTMLElementTagNameMap {
    "loss-curves": LossCurves;
  }
}
