// The live stream, reopened whenever it ends. Each connection starts with a snapshot.

import { LIVE } from "./api";
import type { LiveUpdate } from "./types";

const SILENCE_MILLIS = 15_000; // three keep-alives
const RETRY_MILLIS = 2_000;

export interface Listener {
  update(update: LiveUpdate): void;
  lost(): void;
}

export function listen(listener: Listener): void {
  let source: EventSource | undefined;
  let timer: number | undefined;

  const openLater = (millis: number): void => {
    clearTimeout(timer);
    timer = window.setTimeout(open, millis);
  };
  const receive = (message: MessageEvent<string>): void => {
    openLater(SILENCE_MILLIS);
    listener.update(JSON.parse(message.data) as LiveUpdate);
  };

  function open(): void {
    if (source) {
      source.close();
      listener.lost();
    }
    source = new EventSource(LIVE);
    source.addEventListener("snapshot", receive);
    source.addEventListener("change", receive);
    // The token has expired; the next request refreshes it.
    source.addEventListener("end", () => {
      source?.close();
      source = undefined;
      open();
    });
    source.onerror = () => {
      listener.lost();
      // An EventSource ends permanently after an error status, but not after a lost connection; reopening handles both.
      openLater(RETRY_MILLIS);
    };
    openLater(SILENCE_MILLIS);
  }

  open();
}
