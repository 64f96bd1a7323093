// Numbers and times for people. A value that is not known is an en dash.

export const NONE = "–";
const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function integer(value) {
  return Number.isFinite(value) ? integers.format(value) : NONE;
}

// Losses that are not numbers come as texts, for JSON has no NaN.
export function loss(value) {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "string") return value === "NaN" ? "not a number" : value;
  return value !== 0 && (Math.abs(value) < 0.001 || Math.abs(value) >= 1e5) ? value.toExponential(2) : value.toFixed(4);
}

export function percent(value) {
  return Number.isFinite(value) ? (100 * value).toFixed(1) + " %" : NONE;
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

export function ago(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  return seconds < 2 ? "now" : duration(seconds * 1e6) + " ago";
}

export function bytes(value) {
  return value >= 2 ** 30 ? (value / 2 ** 30).toFixed(1) + " GiB" : integer(value / 2 ** 20) + " MiB";
}

const STATES = {
  WAITING: "Waiting",
  CLAIMED: "Claimed",
  RUNNING: "Running",
  FINISHED: "Finished",
  FAILED: "Failed",
};

export function stateWord(status) {
  return STATES[status] ?? status;
}
