// Numbers and times for people. A value that is not known is an en dash.

export const NONE = "–";
const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

export function integer(value) {
  return Number.isFinite(value) ? integers.format(value) : NONE;
}

// Losses that are not numbers come as texts, for JSON has no NaN.
export function loss(value) {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "string") return value === "NaN" ? "not a number" : value;
  return value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e5) ? value.toExponential(2) : value.toFixed(4);
}

// A tick of an axis: as short as it is, without what binary fractions add to it.
export function tick(value) {
  const decimal = Number(value.toPrecision(12));
  const size = Math.abs(decimal);
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? decimal.toExponential() : decimals.format(decimal);
}

export function percent(value) {
  return Number.isFinite(value) ? (100 * value).toFixed(1) + " %" : NONE;
}

// The 95 % interval of an accuracy, where it is known.
export function interval({ accuracyLow: low, accuracyHigh: high }) {
  return high > 0 ? `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}` : null;
}

export function accuracy(tested) {
  const range = interval(tested);
  return percent(tested.testAccuracy) + (range ? ` (${range})` : "");
}

export function stepTimes(times) {
  if (!(times?.medianMicros > 0)) return NONE;
  const [median, p95, p99] = [times.medianMicros, times.p95Micros, times.p99Micros].map(micros);
  return times.p99Micros > 0 ? `median ${median}, p95 ${p95}, p99 ${p99}` : `median ${median}`;
}

function micros(value) {
  return value < 10_000 ? `${integer(value)} µs` : `${(value / 1000).toFixed(1)} ms`;
}

export function rate(value) {
  return value > 0 ? integer(value) : NONE;
}

export function duration(micros) {
  if (!(micros > 0)) return NONE;
  const seconds = Math.ceil(micros / 1e6);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

// A moment, as the reader's clock shows it.
export function moment(millis) {
  return millis > 0 ? new Date(millis).toLocaleString() : NONE;
}

export function ago(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  return seconds < 2 ? "now" : duration(seconds * 1e6) + " ago";
}

export function bytes(value) {
  return value >= 2 ** 30 ? (value / 2 ** 30).toFixed(1) + " GiB" : integer(value / 2 ** 20) + " MiB";
}

const STATES = {
  queued: "Queued",
  running: "Running",
  paused: "Paused",
  finished: "Finished",
  failed: "Failed",
  cancelled: "Cancelled",
  rejected: "Rejected",
};

// True when nothing more will happen to the job.
export function isOver(state) {
  return ["finished", "failed", "cancelled", "rejected"].includes(state);
}

export function stateWord(state) {
  return STATES[state] ?? state;
}
