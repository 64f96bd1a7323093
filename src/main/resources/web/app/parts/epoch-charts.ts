// Test results by epoch, and the learning rate, of one or several runs.

import { html, nothing } from "lit";
import type { Metric, RatePoint, TestedEpoch } from "../api/types";
import "../chart/chart";
import type { Mark, Range, Series } from "../chart/series";
import { PageElement } from "../element";
import { accuracy, exact, flops, integer, numberOf, smallPercent, tick } from "../format";
import { bestInWords, bestOf } from "./test-losses";

export interface TestedRun {
  job: string;
  colour: number;
  metric?: Metric | null;
  tests: readonly TestedEpoch[];
  rates: readonly RatePoint[];
}

interface EpochChart {
  title: string;
  about: string;
  value(test: TestedEpoch): number;
  interval?: (test: TestedEpoch) => [number, number] | null;
  inWords(test: TestedEpoch): string;
  formatY?: (value: number) => string;
  range?: Range;
}

function throughput({ samplesPerSecond, flopsPerSecond, mfu }: TestedEpoch): string {
  const parts = [`${integer(samplesPerSecond)} samples/s`];
  if (flopsPerSecond) parts.push(flops(flopsPerSecond));
  if (mfu) parts.push(`MFU ${smallPercent(mfu)}`);
  return parts.join(", ");
}

const CHARTS: readonly EpochChart[] = [
  {
    title: "Test accuracy",
    about: "after each epoch; band: 95 % interval",
    value: (test) => test.testAccuracy ?? Number.NaN,
    interval: (test) => (test.accuracyHigh > 0 ? [test.accuracyLow, test.accuracyHigh] : null),
    inWords: (test) => `${test.part ? `${test.part} ` : ""}accuracy ${accuracy(test)}`,
    formatY: (value) => `${Math.round(100 * value)} %`,
    range: { from: 0, to: 1 },
  },
  {
    title: "Macro F1",
    about: "of the test after each epoch; band: 95 % interval",
    value: (test) => test.macroF1 ?? Number.NaN,
    interval: (test) => (test.macroF1 === undefined ? null : [test.macroF1Low!, test.macroF1High!]),
    inWords: (test) => `macro F1 ${exact(test.macroF1 ?? Number.NaN)}`,
    range: { from: 0, to: 1 },
  },
  {
    title: "Test loss",
    about: "after each epoch",
    value: (test) => numberOf(test.testLoss),
    inWords: (test) => `${test.part ?? "test"} loss ${exact(numberOf(test.testLoss))}`,
  },
  {
    title: "Mean absolute error",
    about: "of the numbers predicted, after each epoch",
    value: (test) => numberOf(test.testMeanAbsoluteError ?? Number.NaN),
    inWords: (test) => `mean absolute error ${exact(numberOf(test.testMeanAbsoluteError ?? Number.NaN))}`,
  },
  {
    title: "Throughput",
    about: "Training samples per second in each epoch",
    value: (test) => (test.samplesPerSecond > 0 ? test.samplesPerSecond : Number.NaN),
    inWords: throughput,
    formatY: integer,
  },
];

function seriesOf(chart: EpochChart, { job, colour, tests }: TestedRun): Series {
  const intervals = tests.map((test) => chart.interval?.(test) ?? [Number.NaN, Number.NaN]);
  const y = Float64Array.from(tests, chart.value);
  return {
    name: job,
    colour,
    x: Float64Array.from(tests, (test) => test.epoch),
    y,
    envelope: chart.interval
      ? {
          low: Float64Array.from(intervals, ([low]) => low!),
          high: Float64Array.from(intervals, ([, high]) => high!),
        }
      : null,
    notFinite: new Float64Array(0),
    dots: true,
    describe: (i) => [`epoch ${tests[i]!.epoch}`, chart.inWords(tests[i]!)],
  };
}

function rateSeries({ job, colour, rates }: TestedRun): Series {
  return {
    name: job,
    colour,
    x: Float64Array.from(rates, ({ step }) => step),
    y: Float64Array.from(rates, ({ learningRate }) => learningRate),
    envelope: null,
    notFinite: new Float64Array(0),
    dots: false,
    describe: (i) => [`step ${integer(rates[i]!.step)}`, `learning rate ${exact(rates[i]!.learningRate)}`],
  };
}

export class EpochCharts extends PageElement {
  static override properties = { runs: { attribute: false }, only: {} };

  declare runs: readonly TestedRun[];
  declare only: string; // the title of a chart; empty: all

  constructor() {
    super();
    this.runs = [];
    this.only = "";
  }

  protected override render() {
    return html`<div class="pair">${CHARTS.filter(({ title }) => !this.only || title === this.only).map((chart) => this.chart(chart))} ${this.rates()}</div>`;
  }

  private best(run: TestedRun): readonly Mark[] {
    const best = run.tests.length > 1 ? bestOf(run.tests, run) : null;
    return best ? [{ x: best.epoch, text: bestInWords(best, run), best: true }] : NO_MARKS;
  }

  // A constant learning rate is among the parameters.
  private rates() {
    const series = this.runs.map(rateSeries);
    if (!series.some(({ y }) => y.some((rate) => rate !== y[0]))) return nothing;
    return html`
      <figure>
        <figcaption>Learning rate <span class="quiet">of the steps so far</span></figcaption>
        <trainyard-chart name="Learning rate" .series=${series} xName="step"></trainyard-chart>
      </figure>
    `;
  }

  // Ticks are whole epochs. A single epoch is a dot, with a margin.
  private chart(chart: EpochChart) {
    const series = this.runs.map((run) => seriesOf(chart, run));
    if (!series.some(({ y }) => y.some(Number.isFinite))) return nothing;
    const title = this.runs.some(({ tests }) => tests.some(({ part }) => part === "validation"))
      ? chart.title.replace("Test", this.runs.length === 1 ? "Validation" : "Validation or test")
      : chart.title;
    const last = Math.max(1, ...series.map(({ x }) => x.at(-1) ?? 0));
    return html`
      <figure>
        <figcaption>${title} <span class="quiet">${chart.about}</span></figcaption>
        <trainyard-chart
          name=${title}
          .series=${series}
          .xRange=${{ from: 0, to: last }}
          .yRange=${chart.range ?? null}
          xName="epoch"
          .marks=${this.runs.length === 1 && isCompared(chart, this.runs[0]!) ? this.best(this.runs[0]!) : NO_MARKS}
          .xSteps=${EPOCH_STEPS}
          .formatY=${chart.formatY ?? tick}
        ></trainyard-chart>
      </figure>
    `;
  }
}

// Whether the best test is marked.
const isCompared = ({ title }: EpochChart, { metric }: TestedRun) =>
  title.startsWith("Test") || (title === "Macro F1" && metric === "macroF1");

const NO_MARKS: readonly Mark[] = [];

const EPOCH_STEPS: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

customElements.define("epoch-charts", EpochCharts);
