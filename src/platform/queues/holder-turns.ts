import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients } from '../redis/index.js';
import { RedisLink } from '../security/index.js';
import type { TurnJob } from './queues.js';

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
const textOf = ({ single, slot }: TurnJob): string => `${single ? 'single' : 'campaign'}-${slot}`;

/**
 * The turns of routes with `binds`: a sorted set a route, of which only the workers that hold a bind of it take
 * (docs/decisions/0039), so that no worker gets a turn that it could only hand on. Only hints, as all jobs: MySQL is the truth.
 */
@Injectable()
export class HolderTurns implements OnApplicationShutdown {
  private listener: RedisClient | null = null;
  private routes: readonly HeldRoute[] = [];
  private change: (() => void) | null = null;
  private first = 0;
  private hasEnded = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'REDIS_PREFIX'>,
    private readonly clients: RedisClients,
    private readonly redis: RedisLink,
  ) {}

  /** Puts turns where the holders take them. @throws while Redis is away */
  async add(channel: string, jobs: readonly TurnJob[]): Promise<void> {
    const at = Date.now();
    for (const routeId of new Set(jobs.map((job) => job.routeId))) {
      const texts = jobs.flatMap((job) => (job.routeId === routeId ? [textOf(job)] : []));
      const key = this.key({ channel, routeId });
      const calls = this.redis.client.multi().zadd(key, 'NX', ...texts.flatMap((text) => [at, text]));
      await calls.pexpire(key, KEPT_MS).exec();
    }
  }

  /** The routes of which turns are taken from now on. */
  serve(routes: readonly HeldRoute[]): void {
    this.routes = [...routes];
    if (routes.length > 0) this.wakeUp();
  }

  /**
   * Takes turns of the served routes, one after the other, until the end of the process.
   * @param onTurn never rejects; the next one is taken when it resolves
   */
  listen(onTurn: (channel: string, job: TurnJob) => Promise<void>): void {
    void this.take(onTurn);
  }

  onApplicationShutdown(): void {
    this.hasEnded = true;
    this.wakeUp();
    this.listener?.disconnect();
  }

  private wakeUp(): void {
    this.change?.();
    this.change = null;
  }

  private async take(onTurn: (channel: string, job: TurnJob) => Promise<void>): Promise<void> {
    while (!this.hasEnded) {
      if (this.routes.length === 0) {
        await new Promise<void>((resolve) => (this.change = resolve));
        continue;
      }
      const connection = (this.listener ??= this.clients.open('blocking'));
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const next = await this.next(connection).catch(() => sleep(AGAIN_MS, null));
      if (next) await onTurn(next.channel, next.job);
    }
  }

  /** @returns null when there has been none for a while */
  private async next(connection: RedisClient): Promise<{ channel: string; job: TurnJob } | null> {
    // Each time another route comes first: none waits behind one that always has turns.
    this.first = (this.first + 1) % this.routes.length;
    const routes = [...this.routes.slice(this.first), ...this.routes.slice(0, this.first)];
    const keys = routes.map((route) => this.key(route));
    const taken = await connection.bzpopmin(keys, LISTENED_SECONDS);
    if (!taken) return null;
    const [key, text] = taken;
    const route = routes[keys.indexOf(key)];
    if (!route) return null;
    const [kind, slot] = text.split('-');
    const { channel, routeId } = route;
    return { channel, job: { routeId, single: kind === 'single', slot: Number(slot), turn: 0 } };
  }

  /** One hash slot for all routes, so that one command may wait for all of them. */
  private key({ channel, routeId }: HeldRoute): string {
    return `{${this.environment.REDIS_PREFIX}:turns}:${channel}:${routeId}`;
  }
}
