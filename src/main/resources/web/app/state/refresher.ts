// Asks for something again as often as there is news: one request at a time, and one a period at most.

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
          console.warn("what was asked for did not come; asking again with the next news", problem);
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

  // What is under way is no longer wanted; the next request does not wait its turn.
  reset(): void {
    this.abort.abort();
    this.abort = new AbortController();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = false;
    this.again = false;
  }
}
