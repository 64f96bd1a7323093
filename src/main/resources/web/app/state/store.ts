// The data of the live stream: jobs, workers and the state of the connection. Views read it and are notified of
// changes; only the stream writes to it.

import { api, isMissing, isRefused, isSignedOut } from "../api/api";
import type { Info, JobSummary, LiveUpdate, StartForecast, Sources, WorkerView } from "../api/types";
import { type Barred, type Connection, connectionOf } from "./connection";

export interface Change {
  snapshot: boolean; // everything may have changed
  jobs: ReadonlySet<string>;
  forecasts: boolean;
}

type Listener = (change: Change) => void;

const NO_JOBS: ReadonlySet<string> = new Set();
const SILENT_MILLIS = 10_000; // heartbeats come every 1 to 2 s
const INFO_RETRY_MILLIS = 5_000;

export class Store {
  readonly jobs = new Map<string, JobSummary>();
  workers: readonly WorkerView[] = [];
  info: Info | null = null;

  private sources: Sources | null = null;
  private waiting: Readonly<Record<string, string>> = {};
  private forecasts: Readonly<Record<string, StartForecast>> = {};
  private received = false;
  private streamBroken = false;
  private barred: Barred | null = null;
  private lastUpdateMillis = 0; // by the dashboard's clock
  private clockAheadMillis = 0; // of the dashboard's clock
  private readonly listeners = new Set<Listener>();

  take(update: LiveUpdate): void {
    this.clockAheadMillis = update.nowMillis - Date.now();
    this.lastUpdateMillis = update.nowMillis;
    if (update.snapshot) this.jobs.clear();
    for (const job of update.jobs) this.jobs.set(job.job, job);
    if (update.workers) this.workers = update.workers;
    if (update.waiting) this.waiting = update.waiting;
    if (update.forecasts) this.forecasts = update.forecasts;
    if (update.sources) this.sources = update.sources;
    if (!this.received || this.streamBroken) void this.loadInfo();
    this.received = true;
    this.streamBroken = false;
    this.barred = null;
    this.notify({
      snapshot: update.snapshot,
      jobs: new Set(update.jobs.map((job) => job.job)),
      forecasts: !!update.forecasts,
    });
  }

  // The stream does not report why it ended; the call of info may.
  streamLost(): void {
    this.streamBroken = true;
    this.notify({ snapshot: false, jobs: NO_JOBS, forecasts: false });
    void this.loadInfo();
  }

  get hasData(): boolean {
    return this.received;
  }

  get connection(): Connection {
    return connectionOf({
      received: this.received,
      streamBroken: this.streamBroken,
      lastUpdateMillis: this.lastUpdateMillis,
      sources: this.sources,
      barred: this.barred,
    });
  }

  // The time of the shown data, by the dashboard's clock.
  get asOfMillis(): number {
    return this.connection.asOfMillis ?? Date.now() + this.clockAheadMillis;
  }

  // The dashboard's clock.
  get nowMillis(): number {
    return Date.now() + this.clockAheadMillis;
  }

  // Missing heartbeats count only while Kafka was available to the dashboard.
  get liveWorkers(): readonly WorkerView[] {
    return this.workers.filter((worker) => !this.isLost(worker));
  }

  isLost(worker: WorkerView): boolean {
    if (!worker.lost) return false;
    const { kafka } = this.sources ?? {};
    return !kafka || kafka.ok || kafka.sinceMillis - worker.lastSeenMillis > SILENT_MILLIS;
  }

  // The stream has the forecasts of the next jobs.
  //
  // listed: the forecast in another response
  forecastOf(job: JobSummary, listed?: StartForecast | null): StartForecast | null {
    return job.state === "queued" ? (this.forecasts[job.job] ?? listed ?? null) : null;
  }

  // Whether the stream updates the job's forecast.
  isNext(job: string): boolean {
    return job in this.forecasts;
  }

  // A sentence.
  whyWaiting(job: JobSummary, listed?: StartForecast | null): string | null {
    if (job.state !== "queued") return null;
    return this.forecastOf(job, listed)?.sentence ?? this.waiting[job.wants ?? "auto"] ?? null;
  }

  get mayWrite(): boolean {
    return this.info?.role === "operator";
  }

  // Submit and control jobs.
  get mayControl(): boolean {
    return this.mayWrite && !this.isLocal;
  }

  // Whether runs of `train` are shown, without workers.
  get isLocal(): boolean {
    return this.info?.local === true;
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private notify(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  private async loadInfo(): Promise<void> {
    try {
      this.info = await api.info();
    } catch (problem) {
      if (isSignedOut(problem) || isRefused(problem)) {
        this.barred = { state: isRefused(problem) ? "refused" : "signed-out", sentence: (problem as Error).message };
      } else if (!isMissing(problem) && !this.streamBroken) {
        setTimeout(() => void this.loadInfo(), INFO_RETRY_MILLIS);
      }
    }
    this.notify({ snapshot: false, jobs: NO_JOBS, forecasts: false });
  }
}

export const store = new Store();
