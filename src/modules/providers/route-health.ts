import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { DutyGate } from '../../platform/duties/index.js';
import { RedisLink } from '../../platform/security/index.js';

export const ROUTE_HEALTHS = ['up', 'degraded', 'down', 'unknown'] as const;

/** Whether the workers reach a carrier: all of them, some, none, or unknown. */
export type RouteHealth = (typeof ROUTE_HEALTHS)[number];

/** A worker that was silent for this long does not count. */
const FRESH_MS = 15_000;
const KEPT_SECONDS = 60;

/** What one worker says: its connections by route id. */
interface Report {
  at: number;
  ready: Record<string, boolean>;
  /** why those that are not ready are not; absent from a worker of the version before */
  faults?: Record<string, string>;
}

/** How one connection stands. */
export interface Standing {
  ready: boolean;
  /** why the upstream cannot be used; null while all is well */
  fault: string | null;
}

/** A route as all workers together see it. */
export interface RouteStanding {
  health: RouteHealth;
  /** what one of the workers that cannot use it says */
  lastError: string | null;
}

/**
 * What the workers say of their connections, for staff. It stands in Redis alone, since it is worth nothing a moment
 * later; without Redis every route is `unknown`, and nothing else depends on it.
 */
@Injectable()
export class RouteHealthBoard {
  private readonly worker = randomUUID();
  private readonly key: string;

  constructor(
    private readonly redis: RedisLink,
    private readonly gate: DutyGate,
  ) {
    this.key = `${redis.prefix}:route-health`;
  }

  /** Says how this worker's connections stand. Never fails. */
  async report(standings: ReadonlyMap<number, Standing>): Promise<void> {
    const entries = [...standings];
    const report: Report = {
      at: now().getTime(),
      ready: Object.fromEntries(entries.map(([id, { ready, fault }]) => [id, ready && fault === null])),
      faults: Object.fromEntries(entries.flatMap(([id, { fault }]) => (fault === null ? [] : [[id, fault]]))),
    };
    await this.quietly(async () => {
      await this.redis.client.hset(this.key, this.worker, JSON.stringify(report));
      await this.redis.client.expire(this.key, KEPT_SECONDS);
      if (await this.gate.isMine('route-health', FRESH_MS)) await this.forgetSilent();
    });
  }

  /** This worker says nothing any more. */
  async leave(): Promise<void> {
    await this.quietly(() => this.redis.client.hdel(this.key, this.worker));
  }

  /** How the routes stand; routes that no worker names are absent. */
  async read(): Promise<ReadonlyMap<number, RouteStanding>> {
    const said = new Map<number, boolean[]>();
    const faults = new Map<number, string>();
    await this.quietly(async () => {
      for (const text of Object.values(await this.redis.client.hgetall(this.key))) {
        const report = readReport(text);
        for (const [id, ready] of Object.entries(report?.ready ?? {})) {
          said.set(Number(id), [...(said.get(Number(id)) ?? []), ready]);
        }
        for (const [id, fault] of Object.entries(report?.faults ?? {})) faults.set(Number(id), fault);
      }
    });
    return new Map(
      [...said].map(([id, answers]) => [id, { health: healthOf(answers), lastError: faults.get(id) ?? null }]),
    );
  }

  /** Workers that were killed never leave by themselves. */
  private async forgetSilent(): Promise<void> {
    const known = await this.redis.client.hgetall(this.key);
    const silent = Object.entries(known).flatMap(([worker, text]) => (readReport(text) ? [] : [worker]));
    if (silent.length > 0) await this.redis.client.hdel(this.key, ...silent);
  }

  private async quietly(work: () => Promise<unknown>): Promise<void> {
    if (!this.redis.ready) return;
    await work().catch(() => undefined);
  }
}

const healthOf = (answers: readonly boolean[]): RouteHealth =>
  answers.every(Boolean) ? 'up' : answers.some(Boolean) ? 'degraded' : 'down';

/** @returns null for a report that is too old */
function readReport(text: string): Report | null {
  const report = JSON.parse(text) as Report;
  return now().getTime() - report.at <= FRESH_MS ? report : null;
}
