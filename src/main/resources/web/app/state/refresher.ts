// Repeats a call on request: one at a time, and at most one per period.

export class Refresher {
  private running = false;
  private again = false;
  private timer: number | undefined;
  private abort = new AbortController();

  constructor(
    private readonly work: (signal: AbortSignal) => Promise<void>,
    private readonly periodMillis: () => number = () => 1_000,
  ) {}

  request(): void {
    if (this.running || this.timer !== undefined) {
      this.again = true;
      return;
    }
    this.again = false;
    this.running = true;
    const abort = this.abort;
    void this.work(abort.signal)
      .catch((problem: unknown) => {
        if (!abort.signal.aborted)
          console.warn("a call failed; it is repeated after the next update", problem);
      })
      .finally(() => {
        if (abort !== this.abort) return;
        this.running = false;
        this.timer = window.setTimeout(() => {
          this.timer = undefined;
          if (this.again) this.request();
        }, this.periodMillis());
      });
  }

  // Aborts the current call; the next one starts without delay.
  reset(): void {
    this.abort.abort();
    this.abort = new AbortController();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = false;
    this.again = false;
  }
}
