// The importance of each varied field: the share of the variance of the results that it explains alone.

import { html, nothing } from "lit";
import type { SweepTrial } from "../api/types";
import { count, percent } from "../format";
import { inWords } from "./parameters";

const LEAST_TRIALS = 8;
const FEW_VALUES = 6; // numbers with more distinct values are divided into quarters
const NAMED = 0.05; // a share from which a direction is named
const CLEAR = 0.3; // a rank correlation from which a direction is named

interface Importance {
  field: string;
  share: number;
  trend: string; // which values are better; empty if unclear
}

interface Result {
  value: SweepTrial["values"][string] | undefined;
  result: number;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

const squares = (values: readonly number[]): number => {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
};

// Equal values have the mean of their ranks.
function ranks(values: readonly number[]): number[] {
  const sorted = values.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length);
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to]!.value === sorted[from]!.value) to++;
    for (let i = from; i < to; i++) ranks[sorted[i]!.i] = (from + to - 1) / 2;
  }
  return ranks;
}

// Spearman's rank correlation.
function correlation(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const [mx, my] = [mean(x), mean(y)];
  const both = x.reduce((sum, value, i) => sum + (value - mx) * (y[i]! - my), 0);
  return both / Math.sqrt(squares(x) * squares(y));
}

function groups(results: readonly Result[]): number[][] {
  const values = results.map(({ value }) => value);
  const isNumeric = values.every((value) => typeof value === "number") && new Set(values).size > FEW_VALUES;
  const places = isNumeric ? ranks(values as number[]) : [];
  const byKey = new Map<string, number[]>();
  results.forEach(({ value, result }, i) => {
    const key = isNumeric ? String(Math.floor((4 * places[i]!) / results.length)) : inWords(value);
    byKey.set(key, [...(byKey.get(key) ?? []), result]);
  });
  return [...byKey.values()];
}

// The adjusted R² of a one-way analysis of variance; null with too few trials per value.
function explained(results: readonly Result[]): number | null {
  const of = groups(results);
  const n = results.length;
  const total = squares(results.map(({ result }) => result));
  if (of.length < 2 || n - of.length < 2 || total === 0) return null;
  const within = of.reduce((sum, group) => sum + squares(group), 0);
  return Math.max(0, 1 - (within / total) * ((n - 1) / (n - of.length)));
}

function trend(results: readonly Result[], metric: string): string {
  const values = results.map(({ value }) => value);
  if (!values.every((value) => typeof value === "number")) return "";
  const rho = correlation(values as number[], results.map(({ result }) => result)) * (metric === "loss" ? -1 : 1);
  return Math.abs(rho) < CLEAR || Number.isNaN(rho) ? "" : rho > 0 ? "larger is better" : "smaller is better";
}

export function importance(trials: readonly SweepTrial[], fields: readonly string[], metric: string) {
  const tested = trials.filter((trial): trial is SweepTrial & { best: number } => typeof trial.best === "number");
  if (fields.length === 0 || tested.length === 0) return nothing;
  const found = fields.flatMap((field): Importance[] => {
    const results = tested.map(({ values, best }) => ({ value: values[field], result: best }));
    const share = tested.length < LEAST_TRIALS ? null : explained(results);
    return share === null ? [] : [{ field, share, trend: share < NAMED ? "" : trend(results, metric) }];
  });
  found.sort((a, b) => b.share - a.share);
  const missing = fields.filter((field) => !found.some((one) => one.field === field));
  return html`
    <section id="importance" aria-labelledby="importance-heading">
      <h3 id="importance-heading">Importance</h3>
      <table class="plain">
        <tbody>
          ${found.map(
            ({ field, share, trend: direction }) =>
              html`<tr>
                <th scope="row">${field.split(".").map((part, i) => html`${i > 0 ? html`.<wbr />` : nothing}${part}`)}</th>
                <td><progress max="1" .value=${share} aria-hidden="true"></progress></td>
                <td class="number">${percent(share)}</td>
                <td class="quiet">${direction}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p class="note quiet">
        Analysis of variance: the share of the variance of the best ${metric} of ${count(tested.length, "tested trial")} that
        one parameter explains alone (adjusted R²; numbers with more than ${FEW_VALUES} values in quarters; the direction by
        rank correlation). Interactions of parameters are not counted.
        ${missing.length > 0 ? `Too few tested trials for ${missing.join(", ")}.` : nothing}
      </p>
    </section>
  `;
}
