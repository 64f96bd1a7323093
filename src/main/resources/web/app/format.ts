// Formats numbers and times. An unknown value is an en dash.

import type { JobStateName, JobSummary, JsonNumber, StartForecast, Reading } from "./api/types";

export const NONE = "–";
const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

export function integer(value: number | null | undefined): string {
  return value !== null && value !== undefined && Number.isFinite(value) ? integers.format(value) : NONE;
}

export function numberOf(value: JsonNumber | null | undefined): number {
  return value === null || value === undefined ? Number.NaN : Number(value);
}

export function loss(value: JsonNumber | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  const number = Number(value);
  if (Number.isNaN(number)) return "not a number";
  if (!Number.isFinite(number)) return number > 0 ? "infinite" : "-infinite";
  const size = Math.abs(number);
  return size !== 0 && (size < 0.001 || size >= 1e5) ? number.toExponential(2) : number.toFixed(4);
}

// All significant digits of a float32.
export function exact(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : loss(value as JsonNumber);
}

// A tick label without the digits that binary fractions add.
export function tick(value: number): string {
  const decimal = Number(value.toPrecision(12));
  const size = Math.abs(decimal);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? decimal.toExponential() : decimals.format(decimal);
}

export function percent(value: number | null | undefined): string {
  return value !== null && value !== undefined && Number.isFinite(value) ? (100 * value).toFixed(1) + " %" : NONE;
}

// A share, with at least two digits.
export function smallPercent(value: number | null | undefined): string {
  if (value === null || value === undefined || !(value > 0) || value >= 0.01) return percent(value);
  return `${decimals.format(Number((100 * value).toPrecision(2)))} %`;
}

// The 95 % interval of an accuracy, if known.
export function interval({ accuracyLow: low, accuracyHigh: high }: { accuracyLow: number; accuracyHigh: number }) {
  return high > 0 ? `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}` : null;
}

export function accuracy(tested: { testAccuracy: number | null; accuracyLow: number; accuracyHigh: number }): string {
  const range = tested.testAccuracy === null ? null : interval(tested);
  return percent(tested.testAccuracy) + (range ? ` (${range})` : "");
}

export function rate(value: number): string {
  return value > 0 ? integer(value) : NONE;
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

// Floating-point operations per second, with three digits.
export function flops(value: number | null | undefined): string {
  if (value === null || value === undefined || !(value > 0)) return NONE;
  const thousands = Math.min(PREFIXES.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return `${decimals.format(Number((value / 1000 ** thousands).toPrecision(3)))} ${PREFIXES[thousands]}FLOP/s`;
}

// A duration, with at least two digits.
export function span(micros: number): string {
  const seconds = micros / 1e6;
  if (seconds >= 100) return duration(1000 * seconds);
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return seconds >= 0.01 ? `${Math.round(1000 * seconds)} ms` : `${(1000 * seconds).toFixed(1)} ms`;
}

export function duration(millis: number): string {
  if (!(millis > 0)) return NONE;
  const seconds = Math.ceil(millis / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

const FAR_MILLIS = 30 * 24 * 3_600_000;

// An estimated duration, rounded.
export function rough(millis: number): string {
  const seconds = Math.max(0, millis) / 1000;
  if (millis >= FAR_MILLIS) return "30 days or more";
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 99.5 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return seconds < 9.95 * 3600 ? `${(seconds / 3600).toFixed(1)} h` : `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

// A start estimate: "in 3 min (90 %: 1 min to 8 min)"; empty if unknown.
export function begins({ start }: StartForecast, nowMillis: number): string | null {
  if (!start) return null;
  const [low, median, high] = [start.lowMillis, start.medianMillis, start.highMillis].map((at) => rough(at - nowMillis));
  return `in ${median} (90 %: ${low} to ${high})`;
}

export function hours(value: number): string {
  if (!(value > 0)) return "0";
  if (value < 0.01) return "<\u00a00.01";
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : integer(value);
}

// Formats a day such as 2026-11-22.
export function weekday(day: string): string {
  return new Date(day).toLocaleDateString([], { weekday: "short", timeZone: "UTC" });
}

export function seconds(millis: number): string {
  return `${integer(Math.ceil(millis / 1000))} s`;
}

// A time in the reader's time zone.
export function moment(millis: number | null | undefined): string {
  return millis ? new Date(millis).toLocaleString() : NONE;
}

// The same, shorter: without the date if it is today.
export function shortMoment(millis: number): string {
  if (!millis) return NONE;
  const date = new Date(millis);
  return date.toDateString() === new Date().toDateString()
    ? date.toLocaleTimeString([], { timeStyle: "short" })
    : date.toLocaleDateString([], { dateStyle: "medium" });
}

export function clock(millis: number): string {
  return new Date(millis).toLocaleTimeString();
}

export function ago(millis: number): string {
  return millis < 2_000 ? "now" : duration(1000 * Math.floor(millis / 1000)) + " ago";
}

export function bytes(value: number | null | undefined): string {
  if (!value) return NONE;
  if (value >= 2 ** 30) return (value / 2 ** 30).toFixed(1) + " GiB";
  return value >= 2 ** 20 ? integer(value / 2 ** 20) + " MiB" : integer(Math.ceil(value / 2 ** 10)) + " KiB";
}

export function count(n: number, noun: string): string {
  return `${integer(n)} ${noun}${n === 1 ? "" : "s"}`;
}

// Whether the state is final.
export function isOver(state: JobStateName): boolean {
  return state === "finished" || state === "failed" || state === "cancelled" || state === "rejected" || state === "expanded";
}

export function stateWord(state: JobStateName): string {
  return state.charAt(0).toUpperCase() + state.slice(1);
}

export function progress(job: JobSummary): string {
  if (job.kind === "evaluate") return `tests ${job.initFrom ?? "a checkpoint"}`;
  return job.steps > 0 ? `${integer(job.step)} / ${integer(job.steps)}` : "not started";
}

// 0 to 1.
export function share(job: JobSummary): number {
  if (job.kind === "evaluate") return job.state === "finished" ? 1 : 0;
  return job.steps > 0 ? Math.min(1, job.step / job.steps) : 0;
}

// A device's load: "93 % busy, 12.3 of 80 GB, 251 W, 61 °C", without missing values.
export function reading({ utilization, memoryUsedBytes, memoryTotalBytes, powerWatts, temperatureCelsius }: Reading) {
  const parts = [];
  if (isNumber(utilization)) parts.push(`${Math.round(100 * utilization)} % busy`);
  if (isNumber(memoryUsedBytes) && isNumber(memoryTotalBytes)) {
    parts.push(`${bytes(memoryUsedBytes)} of ${bytes(memoryTotalBytes)}`);
  }
  if (isNumber(powerWatts)) parts.push(`${Math.round(powerWatts)} W`);
  if (isNumber(temperatureCelsius)) parts.push(`${Math.round(temperatureCelsius)} °C`);
  return parts.join(", ");
}

function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}
