import { Inject, Injectable } from '@nestjs/common';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { RedisLink } from '../../../platform/redis/index.js';

/** The bound holds this long after each urgent message. */
const ACTIVE_MS = 2_000;
/** Interval of reading and publishing the p95, and the minimum time before the bound rises. */
const EVERY_MS = 200;
const RISE_MS = 1_000;
/** Measured commits of the p95. */
const SAMPLES = 64;
/** From here on, further batches are no faster. */
const MOST = 4;

/**
 * Bounds the batches of campaigns while urgent messages (one recipient) arrive: it falls to half when the p95 of their commits
 * in the cell exceeds `URGENT_COMMIT_TARGET`, and rises by one otherwise (docs/decisions/0064). Workers share the p95 through
 * Redis; without Redis each follows its own.
 */
@Injectable()
export class UrgentBound {
  private lastUrgent = -Infinity;
  private readonly commits: { at: number; milliseconds: number }[] = [];
  /** begin of commits under way: those that hang count too */
  private readonly underWay = new Set<{ begun: number }>();
  private bound = 1;
  private changedAt = -Infinity;
  private readAt = -Infinity;
  private publishedAt = -Infinity;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'URGENT_COMMIT_TARGET'>,
    private readonly redis: RedisLink,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'switchboard_urgent_commit_p95_seconds',
      'p95 of commits of urgent messages in this worker, last two seconds; 0 = none',
      [],
      (gauge) => gauge.set((this.ownP95 ?? 0) / 1_000),
    );
  }

  /** Records an urgent message. @param at clock of `performance.now()` */
  received(at = performance.now()): void {
    if (!this.isActive) [this.bound, this.changedAt] = [1, performance.now()];
    this.lastUrgent = Math.max(this.lastUrgent, at);
  }

  /** Full batches of campaigns over a quick route; Infinity = no urgent message within two seconds. Never waits. */
  get most(): number {
    const now = performance.now();
    if (now - this.readAt >= EVERY_MS) void this.follow(now);
    return this.isActive ? this.bound : Infinity;
  }

  /** Runs a commit of urgent messages and records its time, also of one that fails. @throws what `commit` throws */
  async measure<Result>(commit: () => Promise<Result>): Promise<Result> {
    const running = { begun: performance.now() };
    this.underWay.add(running);
    try {
      return await commit();
    } finally {
      this.underWay.delete(running);
      const at = performance.now();
      this.commits.push({ at, milliseconds: at - running.begun });
      if (this.commits.length > SAMPLES) this.commits.shift();
      this.publish(at);
    }
  }

  private get isActive(): boolean {
    return performance.now() - this.lastUrgent < ACTIVE_MS;
  }

  /** Milliseconds; null = no urgent message within two seconds. */
  private get ownP95(): number | null {
    const now = performance.now();
    const recent = this.commits.flatMap(({ at, milliseconds }) => (at > now - ACTIVE_MS ? [milliseconds] : []));
    const ended = recent.sort((a, b) => a - b)[Math.floor(recent.length * 0.95)] ?? null;
    const [oldest] = this.underWay;
    const waiting = oldest ? now - oldest.begun : 0;
    return waiting > this.environment.URGENT_COMMIT_TARGET ? Math.max(waiting, ended ?? 0) : ended;
  }

  private publish(now: number): void {
    if (now - this.publishedAt < EVERY_MS || !this.redis.ready) return;
    this.publishedAt = now;
    this.redis.client.set(this.key, (this.ownP95 ?? 0).toFixed(2), 'PX', ACTIVE_MS).catch(() => undefined);
  }

  private async follow(now: number): Promise<void> {
    this.readAt = now;
    const stored = await this.redis.answer(() => this.redis.client.get(this.key));
    if (stored !== null) this.received(now);
    const known = [stored === null ? null : Number(stored), this.ownP95].filter((p95) => p95 !== null);
    if (this.isActive && known.length > 0) this.adapt(Math.max(...known));
  }

  private adapt(p95: number): void {
    const now = performance.now();
    if (p95 > this.environment.URGENT_COMMIT_TARGET) this.bound = Math.max(1, Math.floor(this.bound / 2));
    else if (now - this.changedAt >= RISE_MS) this.bound = Math.min(MOST, this.bound + 1);
    else return;
    this.changedAt = now;
  }

  private get key(): string {
    return `${this.redis.prefix}:urgent-commits`;
  }
}
