import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { LeaderGate } from '../../platform/periodic/index.js';
import { RedisLink } from '../../platform/security/index.js';

export const ROUTE_HEALTHS = ['up', 'degraded', 'down', 'unknown'] as const;

/** Whether the workers reach a carrier: all of them, some, none, or unknown. */
export type RouteHealth = (typeof ROUTE_HEALTHS)[number];

/** What staff read of a route: how it stands, or that they have stopped it. */
export const SHOWN_HEALTHS = [...ROUTE_HEALTHS, 'stopped'] as const;
export type ShownHealth = (typeof SHOWN_HEALTHS)[number];

/** A worker that was silent for this long does not count. */
const FRESH_MS = 15_000;
/** What has not changed is said again so often. */
const SAY_AGAIN_MS = 5_000;
const KEPT_SECONDS = 60;

/** What one worker says: its connections by route id. */
interface Report {
  at: number;
  ready: Record<string, boolean>;
  /** why those that are not ready are not; absent from a worker of the version before */
  faults?: Record<string, string>;
  /** of connections that have a circuit; absent from a worker of the version before */
  circuits?: Record<string, CircuitState>;
  /** routes of whose binds it takes a share; absent from a worker of the version before */
  shares?: number[];
}

export const CIRCUIT_STATES = ['closed', 'half_open', 'open'] as const;

/** Whether a connection lets messages through: all, one that shows whether the upstream is well, or none. */
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/** How one connection stands. */
export interface Standing {
  ready: boolean;
  /** absent where the connection has no circuit; else whether it is broken */
  readonly onTrial?: boolean;
  /** why the upstream cannot be used; null while all is well */
  fault: string | null;
}

/** How one worker finds a route. */
export interface WorkerStanding {
  worker: string;
  ready: boolean;
  fault: string | null;
  /** null where its connection has none */
  circuit: CircuitState | null;
}

/** A route as all workers together see it. */
export interface RouteStanding {
  health: RouteHealth;
  /** what one of the workers that cannot use it says */
  lastError: string | null;
  /** those that keep it open and were heard of lately, by name */
  workers: readonly WorkerStanding[];
}

/** A route of which no worker has said anything lately. */
export const UNHEARD: RouteStanding = { health: 'unknown', lastError: null, workers: [] };

/**
 * What the workers say of their connections, for staff. It stands in Redis alone, since it is worth nothing a moment
 * later; without Redis every route is `unknown`, and nothing else depends on it.
 */
@Injectable()
export class RouteHealthBoard {
  /** This process, by host and process id; no other has the same. */
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

  /**
   * Says how this worker's connections stand: when something has changed, else now and then. Never fails.
   * @param shares routes of whose binds it takes a share
   */
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

  /** This worker says nothing any more. */
  async leave(): Promise<void> {
    this.said = { text: '', at: -Infinity };
    await this.quietly(() => this.redis.client.hdel(this.key, this.worker));
  }

  /** The workers that take a share of the binds of routes, by route; without Redis none is known. */
  async candidates(): Promise<ReadonlyMap<number, readonly string[]>> {
    const workers = new Map<number, string[]>();
    await this.quietly(async () => {
      for (const [worker, text] of Object.entries(await this.redis.client.hgetall(this.key))) {
        for (const id of readReport(text)?.shares ?? []) workers.set(id, [...(workers.get(id) ?? []), worker]);
      }
    });
    return workers;
  }

  /** How the routes stand; routes that no worker names are absent. */
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
