// What the live stream has told: jobs, workers, and whether it can be believed. Views read it and are told of changes;
// only the stream writes to it.

import { api, isMissing, isRefused, isSignedOut } from "../api/api";
import type { Info, JobSummary, LiveUpdate, StartForecast, Sources, WorkerView } from "../api/types";
import { type Barred, type Connection, connectionOf } from "./connection";

export interface Change {
  snapshot: boolean; // all may have changed
  jobs: ReadonlySet<string>;
  forecasts: boolean; // what lies before jobs that wait
}

type Listener = (change: Change) => void;

const NO_JOBS: ReadonlySet<string> = new Set();
const SILENT_MILLIS = 10_000; // a worker that is there speaks every second or two
const INFO_RETRY_MILLIS = 5_000;

export class Store {
  readonly jobs = new Map<string, JobSummary>();
  workers: readonly WorkerView[] = [];
  info: Info | null = null;

  private sources: Sources | null = null;
  private waiting: Readonly<Record<string, string>> = {};
  private forecasts: Readonly<Record<string, StartForecast>> = {};
  private heard = false;
  private streamBroken = false;
  private barred: Barred | null = null;
  private lastHeardMillis = 0; // by the dashboard's clock
  private clockAheadMillis = 0; // of the dashboard's clock
  private readonly listeners = new Set<Listener>();

  take(update: LiveUpdate): void {
    this.clockAheadMillis = update.nowMillis - Date.now();
    this.lastHeardMillis = update.nowMillis;
    if (update.snapshot) this.jobs.clear();
    for (const job of update.jobs) this.jobs.set(job.job, job);
    if (update.workers) this.workers = update.workers;
    if (update.waiting) this.waiting = update.waiting;
    if (update.forecasts) this.forecasts = update.forecasts;
    if (update.sources) this.sources = update.sources;
    if (!this.heard || this.streamBroken) void this.ask();
    this.heard = true;
    this.streamBroken = false;
    this.barred = null;
    this.tell({
      snapshot: update.snapshot,
      jobs: new Set(update.jobs.map((job) => job.job)),
      forecasts: !!update.forecasts,
    });
  }

  // A stream does not say why it ended; a question may.
  streamLost(): void {
    this.streamBroken = true;
    this.tell({ snapshot: false, jobs: NO_JOBS, forecasts: false });
    void this.ask();
  }

  get hasHeard(): boolean {
    return this.heard;
  }

  get connection(): Connection {
    return connectionOf({
      heard: this.heard,
      streamBroken: this.streamBroken,
      lastHeardMillis: this.lastHeardMillis,
      sources: this.sources,
      barred: this.barred,
    });
  }

  // The dashboard's clock; where what is shown is old, the moment that it tells of.
  get asOfMillis(): number {
    return this.connection.asOfMillis ?? Date.now() + this.clockAheadMillis;
  }

  // The dashboard's clock.
  get nowMillis(): number {
    return Date.now() + this.clockAheadMillis;
  }

  // Those that belong to the fleet, as far as is known. Silence counts only while Kafka was there to carry a word.
  get liveWorkers(): readonly WorkerView[] {
    return this.workers.filter((worker) => !this.isLost(worker));
  }

  isLost(worker: WorkerView): boolean {
    if (!worker.gone) return false;
    const { kafka } = this.sources ?? {};
    return !kafka || kafka.ok || kafka.sinceMillis - worker.lastSeenMillis > SILENT_MILLIS;
  }

  // What lies before a job that waits. The stream tells of those that are next.
  //
  // told: what an answer said of it
  forecastOf(job: JobSummary, told?: StartForecast | null): StartForecast | null {
    return job.state === "queued" ? (this.forecasts[job.job] ?? told ?? null) : null;
  }

  // Whether the stream keeps it up.
  isNext(job: string): boolean {
    return job in this.forecasts;
  }

  // Why a job waits, in words.
  whyWaiting(job: JobSummary, told?: StartForecast | null): string | null {
    if (job.state !== "queued") return null;
    return this.forecastOf(job, told)?.sentence ?? this.waiting[job.wants ?? "auto"] ?? null;
  }

  get mayWrite(): boolean {
    return this.info?.role === "operator";
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  private async ask(): Promise<void> {
    try {
      this.info = await api.info();
    } catch (problem) {
      if (isSignedOut(problem) || isRefused(problem)) {
        this.barred = { state: isRefused(problem) ? "refused" : "signed-out", sentence: (problem as Error).message };
      } else if (!isMissing(problem) && !this.streamBroken) {
        setTimeout(() => void this.ask(), INFO_RETRY_MILLIS);
      }
    }
    this.tell({ snapshot: false, jobs: NO_JOBS, forecasts: false });
  }
}

export const store = new Store();
