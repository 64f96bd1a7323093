// The losses of tests after epochs, to be drawn with those of training, and the mark of the best epoch.

import type { JobSummary, Metric, Part, TestedEpoch } from "../api/types";
import { stepsPerEpoch } from "../chart/run-curve";
import type { Mark, Series } from "../chart/series";
import type { XAxis } from "../chart/x-axis";
import { accuracy, exact, loss, numberOf, percent } from "../format";

const partOf = (test: TestedEpoch): Part => test.part ?? "test";

// Of a job.
interface Selection {
  metric?: Metric | null;
}

// The first epoch with the best test by the job's metric: accuracy, or for regressions loss, unless another is chosen.
export function bestOf(tests: readonly TestedEpoch[], { metric }: Selection): TestedEpoch | null {
  const score = (test: TestedEpoch) =>
    metric === "loss" || test.testAccuracy === null ? -numberOf(test.testLoss) : (test.metricValue ?? test.testAccuracy);
  return tests.reduce<TestedEpoch | null>((a, b) => (a && score(a) >= score(b) ? a : b), null);
}

function xOf(test: TestedEpoch, job: JobSummary, axis: XAxis): number {
  const { step, millis } = test;
  return {
    step,
    epoch: stepsPerEpoch(job) > 0 ? step / stepsPerEpoch(job) : Number.NaN,
    relative: millis ? millis - job.startMillis : Number.NaN,
    wall: millis ?? Number.NaN,
  }[axis.name];
}

// A series for each measured part, in colours after that of training.
export function testLosses(job: JobSummary, tests: readonly TestedEpoch[], axis: XAxis): Series[] {
  const all: readonly TestedEpoch[] = job.test ? [...tests, { ...job.test, part: "test" }] : tests;
  return [...new Set(all.map(partOf))].flatMap((part, i): Series[] => {
    const shown = all.filter((test) => partOf(test) === part && !Number.isNaN(xOf(test, job, axis)));
    if (shown.length === 0) return [];
    return [
      {
        name: `${part} loss`,
        colour: i + 1,
        x: Float64Array.from(shown, (test) => xOf(test, job, axis)),
        y: Float64Array.from(shown, (test) => numberOf(test.testLoss)),
        envelope: null,
        notFinite: new Float64Array(0),
        dots: true,
        describe: (at) => [`epoch ${shown[at]!.epoch}: ${part} loss ${exact(numberOf(shown[at]!.testLoss))}`],
      },
    ];
  });
}

export function bestMark(job: JobSummary, tests: readonly TestedEpoch[], axis: XAxis): Mark[] {
  const best = tests.length > 1 ? bestOf(tests, job) : null;
  const x = best ? xOf(best, job, axis) : Number.NaN;
  return best && !Number.isNaN(x) ? [{ x, text: bestInWords(best, job), best: true }] : [];
}

export function bestInWords(best: TestedEpoch, selection: Selection): string {
  return `best: epoch ${best.epoch}, ${resultInWords(best, selection)}`;
}

export function resultInWords(best: TestedEpoch, { metric }: Selection): string {
  if (metric === "loss" || best.testAccuracy === null) return `loss ${loss(best.testLoss)}`;
  return best.metricValue != null ? `macro F1 ${percent(best.metricValue)}` : `accuracy ${accuracy(best)}`;
}
