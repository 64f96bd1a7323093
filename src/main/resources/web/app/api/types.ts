// What the dashboard answers. Times are milliseconds since 1970, steps count from 1, epochs from 0.

export type JobStateName =
  | "queued"
  | "running"
  | "paused"
  | "finished"
  | "failed"
  | "cancelled"
  | "rejected"
  | "expanded";

export const JOB_STATES: readonly JobStateName[] = [
  "running",
  "queued",
  "paused",
  "finished",
  "failed",
  "cancelled",
  "rejected",
  "expanded",
];

// JSON has no NaN and no infinities: they come as texts.
export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";

export interface JobSummary {
  job: string;
  firstSeenMillis: number;
  attempt: number; // 0 before the first
  state: JobStateName;
  startMillis: number; // 0 before the first attempt
  durationMillis: number;
  reason: string | null;
  worker: string | null;
  device: string | null; // of the newest attempt
  wants?: string | null; // the kind of device that it asks for
  kind: "train" | "evaluate" | null;
  initFrom: string | null;
  network: string | null;
  dataset: string | null;
  epochs: number; // 0 where that is not known
  epochsDone: number;
  step: number;
  steps: number; // 0 until it has started
  loss: JsonNumber | null;
  testLoss?: JsonNumber | null; // of the last test
  testAccuracy: number | null;
  accuracyLow: number;
  accuracyHigh: number; // 0 where no interval is known
  samplesPerSecond: number;
  remainingMicros: number; // 0 where nothing is known or nothing is left
  checkpoint: string | null;
  group?: string | null; // that it belongs to
  rung?: number | null; // after how many epochs it rests because others of its group are better
  project?: string | null; // whose it is; null where nobody has said so
  tags?: string[];
  forecast?: StartForecast | null; // in lists, of a job that waits
}

// What lies before a job that waits.
export interface StartForecast {
  place: number; // 1: it is the next; 0 of one that rests
  reason: string;
  sentence: string; // why it waits
  start: { lowMillis: number; medianMillis: number; highMillis: number } | null; // null where that is not known
}

export interface TestedEpoch {
  epoch: number;
  attempt: number;
  step: number;
  testLoss: JsonNumber;
  testAccuracy: number | null; // null where numbers are predicted
  accuracyLow: number;
  accuracyHigh: number;
  testMeanAbsoluteError?: JsonNumber | null; // null where classes are predicted
  samplesPerSecond: number;
  millis?: number;
  epochTime?: EpochTime | null; // null where it is not told
  flopsPerSecond?: number | null; // of training; null where the job's arithmetic is not known
  mfu?: number | null; // the part of the devices' peak that is, 0 to 1; null where that is not known
}

// What an epoch's time went into; all but the batches add up to it.
export interface EpochTime {
  stepsMicros: number;
  batchesMicros?: number | null; // of the steps; null where making batches is no time of its own
  checkpointsMicros: number;
  testMicros: number;
  otherMicros: number;
}

export interface RatePoint {
  step: number;
  learningRate: number;
}

export interface AttemptSpan {
  attempt: number;
  worker: string | null;
  model?: string | null; // what its device is
  peakFlops?: number | null; // operations a second that its devices can do at most
  startMillis: number;
  endMillis: number | null;
  firstStep: number; // 0 until it has begun
  end?: string | null; // how it ended; null while it runs, and where its worker was lost
}

export interface CheckpointRow {
  epoch: number;
  step: number;
  attempt: number;
  uri: string;
  sha256: string | null;
  bytes: number | null;
  millis: number | null;
}

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export type JsonObject = { [field: string]: Json };

export interface JobDetail {
  summary: JobSummary;
  omitted?: string | null; // which records are not shown, in words
  waiting?: string | null; // why, in words; null where it does not
  forecast?: StartForecast | null;
  command: JsonObject | null;
  tests: TestedEpoch[];
  classAccuracy: JsonNumber[] | null;
  confusion: number[][] | null;
  classNames?: string[] | null;
  warnings?: string[] | null; // of its data set, in words
  attempts?: AttemptSpan[];
  checkpoints?: CheckpointRow[];
  tags?: string[];
  note?: string | null;
  submitter?: string | null; // who submitted it here
  control?: { priority?: string | null } | null; // the newest control request
}

export interface JobPage {
  jobs: JobSummary[];
  total: number;
}

export interface CurveAnswer {
  firstStep: number[];
  lastStep: number[];
  min: JsonNumber[];
  mean: JsonNumber[];
  max: JsonNumber[];
  deviation: JsonNumber[];
  millis?: number[];
  count: number[];
  notFinite: number[];
}

// Runs that have a value in common.
export interface Group {
  value: string | null; // null: they have none
  jobs: string[];
  states: Partial<Record<JobStateName, number>>;
  bestAccuracy: number | null;
  meanAccuracy: number | null;
}

export interface SweepTrial {
  job: string;
  state: JobStateName;
  values: Record<string, Json>; // of the fields that differ
  epochs: number; // that were tested
  ofEpochs: number; // 0 where that is not known
  best?: number | null; // of its tests
  last?: number | null;
  rung?: number | null;
  reason?: string | null;
}

// The jobs of a group side by side, the best first.
export interface Sweep {
  group: string;
  fields: string[];
  metric: "accuracy" | "loss";
  states: Partial<Record<JobStateName, number>>;
  trials: SweepTrial[];
}

export interface ComparedFields {
  fields: { field: string; values: Json[] }[];
  tests: { a: string; b: string; pValue: number }[];
  test: string; // which it is, and what it takes for granted
}

export interface Hours {
  deviceHours: number;
  failedHours: number; // of them, for jobs that failed
  lostHours: number; // of them, for attempts whose workers never told how they ended
}

export interface HoursRow extends Hours {
  value: string; // the day, in UTC
}

// The time that devices were at work, by day.
export interface DeviceHours {
  total: Hours;
  rows: HoursRow[]; // the last is today
}

// What a project may have, and what it has.
export interface ProjectRow {
  project: string;
  rule: { weight: number; running: number | null; waiting: number | null }; // null: any number
  share: number | null; // that it should have, 0 to 1; null where it has nothing to do
  had: number | null; // of the window's device time, 0 to 1; null where nobody had any
  deviceSeconds: number;
  running: number;
  waiting: number;
}

export interface Projects {
  windowSeconds: number;
  projects: ProjectRow[];
}

// A data set on its way from a bucket.
export interface Fetching {
  dataset: string;
  bytes: number;
  totalBytes: number;
}

// What a device does at the moment; absent where its driver does not tell.
export interface Reading {
  device: string;
  utilization?: number | null;
  memoryUsedBytes?: number | null;
  memoryTotalBytes?: number | null;
  powerWatts?: number | null;
  energyJoules?: number | null;
  temperatureCelsius?: number | null;
}

export interface WorkerView {
  worker: string;
  device: string;
  job: string | null; // the first of its jobs
  attempt?: number | null;
  slots: number; // how many jobs it has at once
  jobs: { job: string; attempt: number; samplesPerSecond: number }[];
  samplesPerSecond: number;
  memoryBytes: number;
  lastSeenMillis: number;
  gone: boolean; // silent for longer than a worker that is there would be
  problem?: string | null; // why it takes no jobs
  fetching?: Fetching | null; // the data set that it brings to its machine
  readings?: Reading[] | null; // of each of its devices
  version?: string | null; // of Trainyard
  stopping?: boolean;
}

export interface Sources {
  kafka: { ok: boolean; sinceMillis: number };
  store: { ok: boolean; sinceMillis: number };
  behindMillis: number;
}

export interface LiveUpdate {
  version: number;
  snapshot: boolean;
  jobs: JobSummary[];
  workers: WorkerView[] | null;
  waiting?: Record<string, string> | null; // why jobs wait, by the kind of device that they want
  forecasts?: Record<string, StartForecast> | null; // of the jobs that are next, by job; null where nothing new is known
  nowMillis: number;
  sources?: Sources;
}

export interface Info {
  version: string;
  readOnly: boolean;
  user: string | null; // who has signed in; null where nobody has to
  signOut: string | null; // where to go to sign out
  role: "operator" | "viewer";
}
