// How far what the page shows can be believed. It is live only while the stream, Kafka and the tracking store all are.

import type { Sources } from "../api/types";
import { clock, seconds } from "../format";

// A dashboard that keeps up is this far behind at times.
const BEHIND_MILLIS = 3_000;

export type ConnectionState = "connecting" | "live" | "refused" | "signed-out" | "stream-lost" | "kafka-away" | "store-away" | "behind";

export interface Connection {
  state: ConnectionState;
  word: string; // for the corner of the page
  sentence: string | null; // what it means for who reads the page
  asOfMillis: number | null; // of when the page tells, where that is not now
}

export interface Signs {
  heard: boolean;
  streamBroken: boolean;
  lastHeardMillis: number;
  sources: Sources | null; // null where the dashboard does not tell
  barred: Barred | null;
}

// That the dashboard answers, and says that this reader may not look.
export interface Barred {
  state: "refused" | "signed-out";
  sentence: string;
}

export function connectionOf({ heard, streamBroken, lastHeardMillis, sources, barred }: Signs): Connection {
  if (barred) {
    return {
      state: barred.state,
      word: barred.state === "refused" ? "No access" : "Signed out",
      sentence: barred.sentence,
      asOfMillis: heard ? lastHeardMillis : null,
    };
  }
  if (streamBroken) {
    return {
      state: "stream-lost",
      word: "Connection lost",
      sentence: heard
        ? `The dashboard does not answer; trying again. What you see is as of ${clock(lastHeardMillis)}.`
        : "The dashboard does not answer; trying again.",
      asOfMillis: heard ? lastHeardMillis : null,
    };
  }
  if (!heard) return { state: "connecting", word: "Connecting…", sentence: null, asOfMillis: null };
  if (sources && !sources.kafka.ok) {
    const since = clock(sources.kafka.sinceMillis);
    return {
      state: "kafka-away",
      word: "Kafka away",
      sentence: `The dashboard has had no word from Kafka since ${since}. Jobs and workers may go on; what you see is as of then.`,
      asOfMillis: sources.kafka.sinceMillis,
    };
  }
  if (sources && !sources.store.ok) {
    const since = clock(sources.store.sinceMillis);
    return {
      state: "store-away",
      word: "Store away",
      sentence: `The tracking store has not answered since ${since}, and nothing is read meanwhile. What you see is as of then.`,
      asOfMillis: sources.store.sinceMillis,
    };
  }
  if (sources && sources.behindMillis > BEHIND_MILLIS) {
    const lag = seconds(sources.behindMillis);
    return {
      state: "behind",
      word: `${lag} behind`,
      sentence: `The dashboard is ${lag} behind the fleet and catching up.`,
      asOfMillis: lastHeardMillis - sources.behindMillis,
    };
  }
  return { state: "live", word: "Live", sentence: null, asOfMillis: null };
}
