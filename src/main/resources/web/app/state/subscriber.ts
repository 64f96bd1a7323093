// Redraws a view after changes of the store: at most once per frame (Lit batches updates), or once per its own period.

import type { ReactiveController, ReactiveControllerHost } from "lit";
import { type Change, store } from "./store";

const SECOND_MILLIS = 1_000;

export class Subscriber implements ReactiveController {
  private leave: (() => void) | undefined;
  private timer: number | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly onChange: (change: Change) => void = () => undefined,
    private readonly periodMillis: () => number = () => 0,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.leave = store.subscribe((change) => {
      this.onChange(change);
      if (this.timer === undefined) this.update();
    });
  }

  // Changes within a period are drawn at its end.
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

// For views that show how long ago something happened.
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
