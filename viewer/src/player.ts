/** The clock of the page: which instant of the run is shown, and how it goes on. */
export class Player {
  readonly start: number;
  private end_: number;
  private time_: number;
  private playing_ = false;
  private speed_ = 1;
  private last = 0;
  private readonly watchers: (() => void)[] = [];

  constructor(start: number, end: number) {
    this.start = start;
    this.end_ = end;
    this.time_ = start;
  }

  get time(): number {
    return this.time_;
  }
  get end(): number {
    return this.end_;
  }

  /** The run has grown; who was at its end stays there. */
  grow(end: number): void {
    const atEnd = this.time_ >= this.end_;
    this.end_ = end;
    this.seek(atEnd ? end : this.time_);
  }
  get playing(): boolean {
    return this.playing_;
  }
  get speed(): number {
    return this.speed_;
  }
  set speed(value: number) {
    this.speed_ = Math.min(64, Math.max(1 / 1024, value));
    this.tell();
  }

  /** Called whenever the instant, the speed or play and pause change. */
  watch(act: () => void): void {
    this.watchers.push(act);
  }

  seek(t: number): void {
    this.time_ = Math.min(this.end, Math.max(this.start, t));
    this.tell();
  }

  play(): void {
    if (this.playing_) return;
    if (this.time_ >= this.end) this.time_ = this.start;
    this.playing_ = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  pause(): void {
    this.playing_ = false;
    this.tell();
  }

  /** Stops at an instant. */
  halt(t: number): void {
    this.playing_ = false;
    this.seek(t);
  }

  toggle(): void {
    if (this.playing_) this.pause();
    else this.play();
  }

  private tick(now: number): void {
    if (!this.playing_) return;
    // a page in the background gets no frames: it goes on where it was instead of jumping
    const passed = Math.min(0.25, Math.max(0, now - this.last) / 1000);
    this.last = now;
    this.time_ += passed * this.speed_;
    if (this.time_ >= this.end) {
      this.time_ = this.end;
      this.playing_ = false;
    } else {
      requestAnimationFrame((next) => this.tick(next));
    }
    this.tell();
  }

  private tell(): void {
    for (const act of this.watchers) act();
  }
}
