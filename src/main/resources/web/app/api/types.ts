// Responses of the dashboard. Times are milliseconds since 1970, steps count from 1, epochs from 0.

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

// NaN and infinities are strings, because JSON has no such numbers.
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
  wants?: string | null; // the requested kind of device
  kind: "train" | "evaluate" | null;
  initFrom: string | null;
  network: string | null;
  dataset: string | null;
  epochs: number; // 0 where that is not known
  epochsDone: number;
  step: number;
  steps: number; // 0 until it has started
  loss: JsonNumber | null;
  testLoss?: JsonNumber | null; // of the last test after an epoch
  testAccuracy: number | null; // of the same test
  accuracyLow: number;
  accuracyHigh: number; // 0: no interval
  bestTestAccuracy?: number | null;
  bestTestLoss?: JsonNumber | null;
  metric?: Metric | null; // that decides which test is best; null: accuracy, or for regressions loss
  samplesPerSecond: number;
  remainingMicros: number; // 0: unknown or none
  checkpoint: string | null;
  group?: string | null;
  rung?: number | null; // the rung at which it is paused
  project?: string | null; // null: unknown
  part?: Part | null; // that the tests after epochs measure; null: the dataset has no validation part
  test?: TestedEpoch | null; // the only test of the test part, with the best weights
  tags?: string[];
  forecast?: StartForecast | null; // in lists, of a queued job
}

// The forecast of a queued or paused job.
export interface StartForecast {
  place: number; // 1: next; 0: paused
  reason: string;
  sentence: string; // why it waits
  start: { lowMillis: number; medianMillis: number; highMillis: number } | null; // null where that is not known
}

export type Metric = "accuracy" | "loss" | "macroF1";

export type Part = "validation" | "test";

export interface TestedEpoch {
  epoch: number;
  attempt: number;
  step: number;
  testLoss: JsonNumber;
  testAccuracy: number | null; // null for regressions
  accuracyLow: number;
  accuracyHigh: number;
  testMeanAbsoluteError?: JsonNumber | null; // null for classifications
  metricValue?: number | null; // of the job's metric; null: accuracy, or for regressions loss
  macroF1?: number; // absent for regressions and more than 100 classes, as the next two
  macroF1Low?: number;
  macroF1High?: number;
  samplesPerSecond: number;
  part?: Part | null; // null: the dataset has no validation part
  millis?: number;
  epochTime?: EpochTime | null; // null: unknown
  flopsPerSecond?: number | null; // of training; null: unknown
  mfu?: number | null; // flopsPerSecond as a share of the devices' peak, 0 to 1; null: unknown
}

// The parts of an epoch's time; all except batchesMicros add up to it.
export interface EpochTime {
  stepsMicros: number;
  batchesMicros?: number | null; // within the steps; null if not measured separately
  checkpointsMicros: number;
  testMicros: number;
  otherMicros: number;
}

// A user's own metric of a job.
export interface UserMetric {
  name: string;
  lastStep: number;
  last: number;
  lastMillis: number;
  points: readonly { step: number; millis: number; value: number }[];
}

export interface RatePoint {
  step: number;
  learningRate: number;
}

export interface AttemptSpan {
  attempt: number;
  worker: string | null;
  model?: string | null; // of its device
  peakFlops?: number | null; // peak operations per second of its devices
  startMillis: number;
  endMillis: number | null;
  firstStep: number; // 0 until it has started
  end?: string | null; // null while it runs, or if its worker was lost
}

export interface CheckpointRow {
  epoch: number;
  step: number;
  attempt: number;
  uri: string;
  sha256: string | null;
  bytes: number | null;
  millis: number | null;
  best?: boolean; // of the best test
}

// The state of a job's worker, all of whose jobs share its devices.
export interface DeviceSample {
  millis: number;
  worker: string;
  memoryBytes: number; // of the worker's process
  utilization?: number; // mean of its devices, 0 to 1
  deviceMemoryBytes?: number;
  powerWatts?: number;
}

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export type JsonObject = { [field: string]: Json };

// The last test of a class.
export interface ClassMetrics {
  samples: number;
  predicted: number;
  precision: number;
  precisionLow: number;
  precisionHigh: number;
  recall: number;
  recallLow: number;
  recallHigh: number;
  f1: number;
}

export interface JobDetail {
  summary: JobSummary;
  omitted?: string | null; // a sentence on records that are not shown
  waiting?: string | null; // a sentence; null if it does not wait
  forecast?: StartForecast | null;
  command: JsonObject | null;
  tests: TestedEpoch[];
  classAccuracy: JsonNumber[] | null;
  confusion: number[][] | null;
  classMetrics?: ClassMetrics[] | null; // by label
  classNames?: string[] | null;
  warnings?: string[] | null; // of its dataset, as sentences
  attempts?: AttemptSpan[];
  checkpoints?: CheckpointRow[];
  deviceUse?: DeviceSample[];
  tags?: string[];
  note?: string | null;
  submitter?: string | null; // the user who submitted it on the dashboard
  control?: { priority?: string | null } | null; // the newest control request
}

export interface JobRow extends JobSummary {
  values: Record<string, Json>; // of the requested fields
}

export interface JobPage {
  jobs: JobRow[];
  total: number;
  fields: string[]; // all fields of the page's commands
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

// Runs with the same value of a field.
export interface Group {
  value: string | null; // null: the field is absent
  jobs: string[];
  states: Partial<Record<JobStateName, number>>;
  bestAccuracy: number | null;
  meanAccuracy: number | null;
}

export interface SweepTrial {
  job: string;
  state: JobStateName;
  values: Record<string, Json>; // of the fields that differ
  epochs: number; // tested epochs
  ofEpochs: number; // 0 where that is not known
  best?: number | null; // of its tests
  last?: number | null;
  rung?: number | null;
  reason?: string | null;
}

// The jobs of a group, best first.
export interface Sweep {
  group: string;
  fields: string[];
  metric: Metric;
  states: Partial<Record<JobStateName, number>>;
  trials: SweepTrial[];
}

export interface ComparedFields {
  fields: { field: string; values: Json[] }[];
  tests: { a: string; b: string; pValue: number }[];
  refused?: string | null; // why some jobs are not tested against others
  test: string; // the statistical test and its assumptions
}

export interface Hours {
  deviceHours: number;
  failedHours: number; // of them, for jobs that failed
  lostHours: number; // of them, for attempts without a published end
}

export interface HoursRow extends Hours {
  value: string; // the day, in UTC
}

// Device-hours by day.
export interface DeviceHours {
  total: Hours;
  rows: HoursRow[]; // the last is today
}

// A project's quotas and usage.
export interface ProjectRow {
  project: string;
  rule: { weight: number; running: number | null; waiting: number | null }; // null: any number
  share: number | null; // its fair share, 0 to 1; null if it has no jobs
  had: number | null; // its share of the window's device time, 0 to 1; null if there was none
  deviceSeconds: number;
  running: number;
  waiting: number;
}

export interface Projects {
  windowSeconds: number;
  projects: ProjectRow[];
}

// A download of a dataset from a bucket.
export interface Fetching {
  dataset: string;
  bytes: number;
  totalBytes: number;
}

// Current readings of a device; absent if its driver does not report them.
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
  slots: number; // the most jobs at a time
  jobs: { job: string; attempt: number; samplesPerSecond: number }[];
  samplesPerSecond: number;
  memoryBytes: number;
  lastSeenMillis: number;
  lost: boolean; // without a heartbeat for too long
  problem?: string | null; // why it claims no jobs
  fetching?: Fetching | null; // the dataset that it downloads
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
  waiting?: Record<string, string> | null; // why jobs wait, by the requested kind of device
  forecasts?: Record<string, StartForecast> | null; // of the next jobs, by job; null: unchanged
  nowMillis: number;
  sources?: Sources;
}

export interface Info {
  version: string;
  readOnly: boolean;
  local: boolean; // runs of `train`, without a fleet
  user: string | null; // the signed-in user; null without sign-in
  signOut: string | null; // the address for signing out
  role: "operator" | "viewer";
}

// For a form of a new job.
export interface Choices {
  networks: string[];
  datasets: string[];
  optimizers: JsonObject[]; // one of each type, with all defaults
  defaults: JsonObject; // a job with all defaults
}

// A wrong prediction of the test set; rows of tables have an index instead of a file.
export interface Mistake {
  file?: string;
  index?: number;
  label: string;
  predicted: string;
  probability: number; // of the true class
  predictedProbability: number;
}
