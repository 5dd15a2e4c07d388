import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';
import type { RouteJob } from './route-jobs.js';

/** A turn that no worker takes is forgotten: the next look at MySQL finds what it was about. */
const KEPT_MS = 60_000;
/** So long a holder of a further route may wait until it is asked for that one too. */
const LISTENED_SECONDS = 1;
const AGAIN_MS = 200;

/** A route's turns of one channel. */
export interface HeldRoute {
  channel: string;
  routeId: number;
}

/** A turn as the set of its route has it: a second one of the same text is none. */
const textOf = ({ single, slot }: RouteJob): string => `${single ? 'single' : 'campaign'}-${slot}`;
/** A turn as the set of a worker has it. */
const addressedTextOf = (channel: string, job: RouteJob): string => `${channel}:${job.routeId}:${textOf(job)}`;

function readTurn(channel: string, routeId: string | number, text: string): { channel: string; job: RouteJob } {
  const [kind, slot] = text.split('-');
  return { channel, job: { routeId: Number(routeId), single: kind === 'single', slot: Number(slot), turn: 0 } };
}

/** Takes a turn; never rejects. @param isAddressed it was put to this worker alone */
export type OnRouteJob = (channel: string, job: RouteJob, isAddressed: boolean) => Promise<void>;

interface Taken {
  channel: string;
  job: RouteJob;
  isAddressed: boolean;
}

/**
 * The turns that not every worker of a channel takes, in sorted sets: those of a route with `binds`, of which only the workers that
 * hold a bind of it take (docs/decisions/0023), so that no worker gets a turn that it could only hand on; and those that
 * are put to one worker. Only hints, as all jobs: MySQL is the truth.
 */
@Injectable()
export class HolderJobs implements OnApplicationShutdown {
  private listener: RedisClient | null = null;
  private routes: readonly HeldRoute[] = [];
  /** the set of this worker's own */
  private own = '';
  private isAddressed = false;
  private change: (() => void) | null = null;
  private first = 0;
  private hasEnded = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
    private readonly redis: RedisLink,
  ) {}

  /** Puts turns where the holders take them. @throws while Redis is away */
  async add(channel: string, jobs: readonly RouteJob[]): Promise<void> {
    const at = Date.now();
    for (const routeId of new Set(jobs.map((job) => job.routeId))) {
      const texts = jobs.flatMap((job) => (job.routeId === routeId ? [textOf(job)] : []));
      const key = this.key({ channel, routeId });
      const calls = this.redis.client.multi().zadd(key, 'NX', ...texts.flatMap((text) => [at, text]));
      await calls.pexpire(key, KEPT_MS).exec();
    }
  }

  /** Puts a turn where this worker alone takes it. @throws while Redis is away */
  async addTo(worker: string, channel: string, job: RouteJob): Promise<void> {
    const key = this.ownKey(worker);
    const calls = this.redis.client.multi().zadd(key, 'NX', Date.now(), addressedTextOf(channel, job));
    await calls.pexpire(key, KEPT_MS).exec();
  }

  /** Takes also what is put to this worker, from now on. @returns false when it takes none any more */
  address(): boolean {
    if (!this.isAddressed) this.wakeUp();
    this.isAddressed = true;
    return !this.hasEnded;
  }

  /** The routes of which turns are taken from now on. */
  serve(routes: readonly HeldRoute[]): void {
    this.routes = [...routes];
    if (routes.length > 0) this.wakeUp();
  }

  /** Takes turns of the served routes, and those put to this worker, one after the other; the next one when `onTurn` resolves. */
  listen(worker: string, onTurn: OnRouteJob): void {
    this.own = this.ownKey(worker);
    void this.take(onTurn);
  }

  /** Takes no further turn. */
  stop(): void {
    this.hasEnded = true;
    this.wakeUp();
  }

  onApplicationShutdown(): void {
    this.stop();
    this.listener?.disconnect();
  }

  private wakeUp(): void {
    this.change?.();
    this.change = null;
  }

  private async take(onTurn: OnRouteJob): Promise<void> {
    while (!this.hasEnded) {
      if (this.routes.length === 0 && !this.isAddressed) {
        await new Promise<void>((resolve) => (this.change = resolve));
        continue;
      }
      const connection = (this.listener ??= this.clients.open('blocking'));
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const next = await this.next(connection).catch(() => sleep(AGAIN_MS, null));
      if (next) await onTurn(next.channel, next.job, next.isAddressed);
    }
  }

  /** @returns null when there has been none for a while */
  private async next(connection: RedisClient): Promise<Taken | null> {
    const routes = new Map(this.routes.map((route) => [this.key(route), route]));
    const all = [this.own, ...routes.keys()];
    // Each time another set comes first: none waits behind one that always has turns.
    this.first = (this.first + 1) % all.length;
    const taken = await connection.bzpopmin([...all.slice(this.first), ...all.slice(0, this.first)], LISTENED_SECONDS);
    if (!taken) return null;
    const [key, text] = taken;
    if (key === this.own) {
      const [channel = '', routeId = '', turn = ''] = text.split(':');
      return { ...readTurn(channel, routeId, turn), isAddressed: true };
    }
    const route = routes.get(key);
    return route ? { ...readTurn(route.channel, route.routeId, text), isAddressed: false } : null;
  }

  /** One hash slot for all sets, so that one command may wait for all of them. */
  private key({ channel, routeId }: HeldRoute): string {
    return `{${this.environment.REDIS_PREFIX}:turns}:${channel}:${routeId}`;
  }

  private ownKey(worker: string): string {
    return `{${this.environment.REDIS_PREFIX}:turns}:worker:${worker}`;
  }
}
