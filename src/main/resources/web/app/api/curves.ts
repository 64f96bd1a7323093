// Reads loss curves. Requests of one turn of the event loop are one call, so a hundred growing runs need one call per
// second.

import { ApiError, api } from "./api";
import type { CurveAnswer } from "./types";

export interface CurveQuestion {
  job: string;
  from: number; // both ends inclusive
  to: number;
}

interface Asked extends CurveQuestion {
  points: number;
  signal: AbortSignal;
  resolve(answer: CurveAnswer): void;
  reject(problem: unknown): void;
}

let asked: Asked[] = [];

export function curve(question: CurveQuestion, points: number, signal: AbortSignal): Promise<CurveAnswer> {
  return new Promise((resolve, reject) => {
    if (asked.length === 0) queueMicrotask(askAll);
    asked.push({ ...question, points, signal, resolve, reject });
  });
}

function askAll(): void {
  const all = asked;
  asked = [];
  while (all.length > 0) {
    const { points, signal } = all[0]!;
    const isAlike = (other: Asked): boolean => other.points === points && other.signal === signal;
    const alike = all.filter(isAlike);
    all.splice(0, all.length, ...all.filter((other) => !isAlike(other)));
    void ask(alike, points, signal);
  }
}

async function ask(questions: readonly Asked[], points: number, signal: AbortSignal): Promise<void> {
  try {
    const answers = await api.curves(questions, points, signal);
    for (const { job, resolve, reject } of questions) {
      const answer = answers[job];
      if (answer) resolve(answer);
      else reject(new ApiError(404, `There is no job "${job}" here.`));
    }
  } catch (problem) {
    for (const { reject } of questions) reject(problem);
  }
}
