// A view is drawn anew when the store has news of what it shows, at most once a frame (Lit's own updates are batched).

import type { ReactiveController, ReactiveControllerHost } from "lit";
import { type Change, store } from "./store";

const SECOND_MILLIS = 1_000;

export class Subscriber implements ReactiveController {
  private leave: (() => void) | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly heard: (change: Change) => void = () => undefined,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.leave = store.subscribe((change) => {
      this.heard(change);
      this.host.requestUpdate();
    });
  }

  hostDisconnected(): void {
    this.leave?.();
  }
}

// For what tells how long ago something was.
export class EverySecond implements ReactiveController {
  private timer: number | undefined;

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostConnected(): void {
    this.timer = window.setInterval(() => this.host.requestUpdate(), SECOND_MILLIS);
  }

  hostDisconnected(): void {
    clearInterval(this.timer);
  }
}
