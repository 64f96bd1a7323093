// The live stream, opened again whenever it ends. What each connection begins with completes what was heard before.

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
    source.onerror = () => {
      listener.lost();
      // A refusal ends an EventSource for good, a broken connection does not; opening anew serves both.
      openLater(RETRY_MILLIS);
    };
    openLater(SILENCE_MILLIS);
  }

  open();
}
