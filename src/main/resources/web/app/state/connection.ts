// Whether the page shows current data: only while the stream, Kafka and the tracking store work.

import type { Sources } from "../api/types";
import { clock, seconds } from "../format";

// Normal delays are shorter.
const BEHIND_MILLIS = 3_000;

export type ConnectionState = "connecting" | "live" | "refused" | "signed-out" | "stream-lost" | "kafka-away" | "store-away" | "behind";

export interface Connection {
  state: ConnectionState;
  word: string; // shown in the corner of the page
  sentence: string | null; // the explanation for users
  asOfMillis: number | null; // the time of the shown data; null: now
}

export interface Signs {
  received: boolean;
  streamBroken: boolean;
  lastUpdateMillis: number;
  sources: Sources | null; // null: unknown
  barred: Barred | null;
}

// The dashboard answers, but refuses access.
export interface Barred {
  state: "refused" | "signed-out";
  sentence: string;
}

export function connectionOf({ received, streamBroken, lastUpdateMillis, sources, barred }: Signs): Connection {
  if (barred) {
    return {
      state: barred.state,
      word: barred.state === "refused" ? "No access" : "Signed out",
      sentence: barred.sentence,
      asOfMillis: received ? lastUpdateMillis : null,
    };
  }
  if (streamBroken) {
    return {
      state: "stream-lost",
      word: "Connection lost",
      sentence: received
        ? `The dashboard does not answer; trying again. What you see is as of ${clock(lastUpdateMillis)}.`
        : "The dashboard does not answer; trying again.",
      asOfMillis: received ? lastUpdateMillis : null,
    };
  }
  if (!received) return { state: "connecting", word: "Connecting…", sentence: null, asOfMillis: null };
  if (sources && !sources.kafka.ok) {
    const since = clock(sources.kafka.sinceMillis);
    return {
      state: "kafka-away",
      word: "Kafka away",
      sentence: `Kafka has not answered the dashboard since ${since}. Jobs and workers may continue; what you see is as of then.`,
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
      asOfMillis: lastUpdateMillis - sources.behindMillis,
    };
  }
  return { state: "live", word: "Live", sentence: null, asOfMillis: null };
}
