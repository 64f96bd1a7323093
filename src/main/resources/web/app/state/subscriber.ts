// A view is drawn anew when the store has news of what it shows: at most once a frame (Lit's own updates are batched), or
// once a period of its own.

import type { ReactiveController, ReactiveControllerHost } from "lit";
import { type Change, store } from "./store";

const SECOND_MILLIS = 1_000;

export class Subscriber implements ReactiveController {
  private leave: (() => void) | undefined;
  private timer: number | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly heard: (change: Change) => void = () => undefined,
    private readonly periodMillis: () => number = () => 0,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.leave = store.subscribe((change) => {
      this.heard(change);
      if (this.timer === undefined) this.update();
    });
  }

  // What is heard within a period is drawn at its end.
  private update(): void {
    const period = this.periodMillis();
    if (period === 0) {
      this.host.requestUpdate();
      return;
    }
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      this.host.requestUpdate();
    }, period);
  }

  hostDisconnected(): void {
    this.leave?.();
    clearTimeout(this.timer);
    this.timer = undefined;
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
