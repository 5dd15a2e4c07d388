import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { LeaderGate } from '../../platform/periodic/index.js';
import { RedisLink } from '../../platform/redis/index.js';

export const ROUTE_HEALTHS = ['up', 'degraded', 'down', 'unknown'] as const;

/** Whether all, some or none of the workers reach a carrier, or unknown. */
export type RouteHealth = (typeof ROUTE_HEALTHS)[number];

export const SHOWN_HEALTHS = [...ROUTE_HEALTHS, 'stopped'] as const;
export type ShownHealth = (typeof SHOWN_HEALTHS)[number];

/** Older reports do not count. */
const FRESH_MS = 15_000;
/** Interval of unchanged reports. */
const SAY_AGAIN_MS = 5_000;
const KEPT_SECONDS = 60;

/** One worker's report: its connections by route id. Workers of an older version omit the optional fields. */
interface Report {
  at: number;
  ready: Record<string, boolean>;
  faults?: Record<string, string>;
  circuits?: Record<string, CircuitState>;
  shares?: number[];
}

export const CIRCUIT_STATES = ['closed', 'half_open', 'open'] as const;

export type CircuitState = (typeof CIRCUIT_STATES)[number];

export interface Standing {
  ready: boolean;
  readonly onTrial?: boolean;
  fault: string | null;
}

export interface WorkerStanding {
  worker: string;
  ready: boolean;
  fault: string | null;
  circuit: CircuitState | null;
}

/** A route as seen by all workers. */
export interface RouteStanding {
  health: RouteHealth;
  lastError: string | null;
  workers: readonly WorkerStanding[];
}

export const UNREPORTED: RouteStanding = { health: 'unknown', lastError: null, workers: [] };

/** The workers' reports on their connections, for staff. Kept in Redis only: without Redis every route is `unknown`. */
@Injectable()
export class RouteHealthBoard {
  readonly worker = `${hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '')
    .slice(0, 40)}:${process.pid}:${randomBytes(4).toString('hex')}`;
  private said = { text: '', at: -Infinity };
  private readonly key: string;

  constructor(
    private readonly redis: RedisLink,
    private readonly gate: LeaderGate,
  ) {
    this.key = `${redis.prefix}:route-health`;
  }

  /** Reports on changes and at intervals; never fails. @param shares routes whose binds this worker shares */
  async report(standings: ReadonlyMap<number, Standing>, shares: readonly number[] = []): Promise<void> {
    const entries = [...standings];
    const report: Omit<Report, 'at'> = {
      ready: Object.fromEntries(entries.map(([id, { ready, fault }]) => [id, ready && fault === null])),
      faults: Object.fromEntries(entries.flatMap(([id, { fault }]) => (fault === null ? [] : [[id, fault]]))),
      circuits: Object.fromEntries(
        entries.flatMap(([id, { ready, onTrial }]) =>
          onTrial === undefined ? [] : [[id, onTrial ? (ready ? 'half_open' : 'open') : 'closed']],
        ),
      ),
      shares: [...shares],
    };
    const text = JSON.stringify(report);
    const at = performance.now();
    if (text === this.said.text && at - this.said.at < SAY_AGAIN_MS) return;
    await this.quietly(async () => {
      const { client } = this.redis;
      await client.hset(this.key, this.worker, JSON.stringify({ at: now().getTime(), ...report }));
      this.said = { text, at };
      await client.expire(this.key, KEPT_SECONDS);
      if (await this.gate.isMine('route-health', FRESH_MS)) await this.forgetSilent();
    });
  }

  async leave(): Promise<void> {
    this.said = { text: '', at: -Infinity };
    await this.quietly(() => this.redis.client.hdel(this.key, this.worker));
  }

  /** Workers that share the binds of routes, by route; none without Redis. */
  async candidates(): Promise<ReadonlyMap<number, readonly string[]>> {
    const workers = new Map<number, string[]>();
    await this.quietly(async () => {
      for (const [worker, text] of Object.entries(await this.redis.client.hgetall(this.key))) {
        for (const id of readReport(text)?.shares ?? []) workers.set(id, [...(workers.get(id) ?? []), worker]);
      }
    });
    return workers;
  }

  /** By route; routes without a report are absent. */
  async read(): Promise<ReadonlyMap<number, RouteStanding>> {
    const said = new Map<number, WorkerStanding[]>();
    await this.quietly(async () => {
      const known = Object.entries(await this.redis.client.hgetall(this.key)).sort();
      for (const [worker, text] of known) {
        const report = readReport(text);
        for (const [id, ready] of Object.entries(report?.ready ?? {})) {
          const [fault, circuit] = [report?.faults?.[id] ?? null, report?.circuits?.[id] ?? null];
          said.set(Number(id), [...(said.get(Number(id)) ?? []), { worker, ready, fault, circuit }]);
        }
      }
    });
    return new Map(
      [...said].map(([id, workers]) => [
        id,
        {
          health: healthOf(workers.map(({ ready }) => ready)),
          lastError: workers.findLast(({ fault }) => fault !== null)?.fault ?? null,
          workers,
        },
      ]),
    );
  }

  /** Killed workers do not remove their reports. */
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

function readReport(text: string): Report | null {
  const report = JSON.parse(text) as Report;
  return now().getTime() - report.at <= FRESH_MS ? report : null;
}
