// All calls of the dashboard's REST interface; no other module has its addresses.

import type { CurveQuestion } from "./curves";
import type {
  Choices,
  ComparedFields,
  CurveAnswer,
  DeviceHours,
  Group,
  Info,
  JobDetail,
  JobPage,
  JobStateName,
  JsonObject,
  Mistake,
  Projects,
  RatePoint,
  UserMetric,
  Sweep,
} from "./types";

const ROOT = "/api/v1";

export const LIVE = ROOT + "/live";

// A failed call; the message is a sentence for users.
export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no response
    sentence: string,
  ) {
    super(sentence);
  }
}

// Without a session, only documents are redirected to the provider; a call gets an error.
const SIGNED_OUT = new Set([401, 499]);
const BY_SCRIPT = { "X-Requested-With": "JavaScript" };

export const isSignedOut = (problem: unknown): boolean => problem instanceof ApiError && SIGNED_OUT.has(problem.status);

export const isRefused = (problem: unknown): problem is ApiError => problem instanceof ApiError && problem.status === 403;

export const isMissing = (problem: unknown): boolean => problem instanceof ApiError && problem.status === 404;

type Parameters = Record<string, string | number | undefined>;

function address(path: string, parameters: Parameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return ROOT + path + (text ? "?" + text : "");
}

const jobPath = (job: string): string => "/jobs/" + encodeURIComponent(job);

export const modelAddress = (job: string, step: number): string => address(`${jobPath(job)}/checkpoints/${step}`);

export const predictionsAddress = (job: string): string => address(`${jobPath(job)}/results/predictions`);

export const mistakeAddress = (job: string, number: number): string =>
  address(`${jobPath(job)}/results/mistakes/${number}`);

async function sentenceOf(response: Response): Promise<string> {
  if (SIGNED_OUT.has(response.status)) return "You are not signed in any more. Load the page anew to sign in.";
  const text = await response.text();
  if (response.headers.get("content-type")?.includes("json")) {
    const problem = JSON.parse(text) as { detail?: string; title?: string };
    const sentence = problem.detail ?? problem.title;
    if (sentence) return sentence;
  } else if (text && text.length < 1_000 && !text.startsWith("<")) {
    return text;
  }
  return `The dashboard answered ${response.status}.`;
}

// An aborted call never settles, because its caller has stopped waiting.
async function ask<T>(path: string, request: RequestInit = {}): Promise<T> {
  try {
    const response = await fetch(path, { ...request, headers: { ...BY_SCRIPT, ...request.headers } });
    if (!response.ok) throw new ApiError(response.status, await sentenceOf(response));
    const text = await response.text();
    return (text ? JSON.parse(text) : null) as T;
  } catch (problem) {
    if (request.signal?.aborted) return new Promise<T>(() => {});
    throw problem instanceof ApiError ? problem : new ApiError(0, "The dashboard does not answer.");
  }
}

function send<T>(method: "POST" | "PUT", path: string, body?: unknown, parameters?: Parameters): Promise<T> {
  // A page of another origin cannot set this header, which prevents request forgery.
  const headers: Record<string, string> = { "X-Trainyard": "page" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return ask<T>(address(path, parameters), { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

export interface JobsQuery {
  state?: readonly JobStateName[];
  text?: string;
  tag?: string;
  project?: string;
  where?: string; // conditions on fields
  fields?: string; // whose values are wanted, with commas between them
  sort?: string;
  order?: "asc" | "desc";
  limit: number;
  offset?: number;
}

// The response to a control request; the sentence continues the job's id.
export interface Answer {
  job: string;
  ok: boolean;
  sentence: string;
}

export const api = {
  info: (): Promise<Info> => ask(address("/info")),

  jobs: (query: JobsQuery, signal?: AbortSignal): Promise<JobPage> =>
    ask(address("/jobs", { ...query, state: query.state?.join(","), offset: query.offset || undefined }), { signal }),

  job: (job: string, signal?: AbortSignal): Promise<JobDetail> => ask(address(jobPath(job)), { signal }),

  // Missing for jobs that did not finish or whose store the dashboard does not read.
  mistakes: (job: string): Promise<Mistake[]> => ask(address(`${jobPath(job)}/results/mistakes`)),

  // By job; called through curves.ts.
  curves: async (
    questions: readonly CurveQuestion[],
    points: number,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, CurveAnswer>>> => {
    const each = (of: (question: CurveQuestion) => string | number): string => questions.map(of).join(",");
    const range = { from: each(({ from }) => from), to: each(({ to }) => to) };
    const jobs = each(({ job }) => job);
    const { curves } = await ask<{ curves: Record<string, CurveAnswer> }>(
      address("/curves", { jobs, ...range, points }),
      { signal },
    );
    return curves;
  },

  learningRates: (job: string, signal?: AbortSignal): Promise<RatePoint[]> =>
    ask(address(jobPath(job) + "/learning-rates"), { signal }),

  metrics: async (job: string, signal?: AbortSignal): Promise<UserMetric[]> =>
    (await ask<{ metrics: UserMetric[] }>(address(jobPath(job) + "/metrics"), { signal })).metrics,

  compare: (jobs: readonly string[], signal?: AbortSignal): Promise<ComparedFields> =>
    ask(address("/compare", { jobs: jobs.join(",") }), { signal }),

  groups: (
    query: { by: string; state: string; text: string; tag: string; project: string; where: string },
    signal?: AbortSignal,
  ): Promise<{ groups: Group[] }> => ask(address("/groups", query), { signal }),

  groupCurve: (jobs: readonly string[], points: number, signal?: AbortSignal): Promise<CurveAnswer> =>
    ask(address("/groups/curve", { jobs: jobs.join(","), points }), { signal }),

  // The last 7 days.
  deviceHours: (signal?: AbortSignal): Promise<DeviceHours> => ask(address("/usage"), { signal }),

  projects: (signal?: AbortSignal): Promise<Projects> => ask(address("/projects"), { signal }),

  choices: (): Promise<Choices> => ask(address("/choices")),

  // Submits nothing. runs: with the trials of sweeps
  check: (command: JsonObject): Promise<{ runs: number }> => send("POST", "/jobs", command, { check: "true" }),

  submit: (command: JsonObject): Promise<{ jobs: string[] }> => send("POST", "/jobs", command),

  control: (job: string, action: "cancel" | "pause" | "resume"): Promise<Answer> => send("POST", `${jobPath(job)}/${action}`),

  bulk: (action: "cancel" | "pause" | "resume", jobs: readonly string[]): Promise<{ results: Answer[] }> =>
    send("POST", "/bulk", { action, jobs }),

  bulkSweep: (action: "cancel" | "pause" | "resume", sweep: string): Promise<{ results: Answer[] }> =>
    send("POST", "/bulk", { action, sweep }),

  sweep: (group: string, signal?: AbortSignal): Promise<Sweep> =>
    ask(address("/sweeps/" + encodeURIComponent(group)), { signal }),

  reprioritize: (job: string, priority: string): Promise<Answer> =>
    send("POST", jobPath(job) + "/reprioritize", { priority }),

  annotate: (job: string, notes: { tags: string[]; note: string }): Promise<void> =>
    send("PUT", jobPath(job) + "/notes", notes),
};
