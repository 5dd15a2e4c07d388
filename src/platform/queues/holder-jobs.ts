import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/index.js';
import { type RedisClient, RedisClients, RedisLink } from '../redis/index.js';
import type { RouteJob } from './route-jobs.js';

/** Jobs that no worker takes expire: the next query of MySQL finds their lanes. */
const KEPT_MS = 60_000;
/** Maximum delay until a blocking read includes a newly served route. */
const LISTENED_SECONDS = 1;
const AGAIN_MS = 200;

export interface HeldRoute {
  channel: string;
  routeId: number;
}

/** Member of a route's set; duplicates collapse. */
const textOf = ({ single, slot }: RouteJob): string => `${single ? 'single' : 'campaign'}-${slot}`;
/** Member of a worker's set. */
const addressedTextOf = (channel: string, job: RouteJob): string => `${channel}:${job.routeId}:${textOf(job)}`;

function readJob(channel: string, routeId: string | number, text: string): { channel: string; job: RouteJob } {
  const [kind, slot] = text.split('-');
  return { channel, job: { routeId: Number(routeId), single: kind === 'single', slot: Number(slot), turn: 0 } };
}

/** Runs a job; must not reject. @param isAddressed the job was added for this worker only */
export type OnRouteJob = (channel: string, job: RouteJob, isAddressed: boolean) => Promise<void>;

interface Taken {
  channel: string;
  job: RouteJob;
  isAddressed: boolean;
}

/** Jobs for one worker, or for those with a bind of the route (docs/decisions/0023). Only hints: MySQL decides. */
@Injectable()
export class HolderJobs implements OnApplicationShutdown {
  private listener: RedisClient | null = null;
  private routes: readonly HeldRoute[] = [];
  /** this worker's own set */
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

  /** Adds jobs for the workers with a bind. @throws while Redis is away */
  async add(channel: string, jobs: readonly RouteJob[]): Promise<void> {
    const at = Date.now();
    for (const routeId of new Set(jobs.map((job) => job.routeId))) {
      const texts = jobs.flatMap((job) => (job.routeId === routeId ? [textOf(job)] : []));
      const key = this.key({ channel, routeId });
      const calls = this.redis.client.multi().zadd(key, 'NX', ...texts.flatMap((text) => [at, text]));
      await calls.pexpire(key, KEPT_MS).exec();
    }
  }

  /** Adds a job for one worker. @throws while Redis is away */
  async addTo(worker: string, channel: string, job: RouteJob): Promise<void> {
    const key = this.ownKey(worker);
    const calls = this.redis.client.multi().zadd(key, 'NX', Date.now(), addressedTextOf(channel, job));
    await calls.pexpire(key, KEPT_MS).exec();
  }

  /** Starts taking jobs for this worker. @returns false when it is stopping */
  address(): boolean {
    if (!this.isAddressed) this.wakeUp();
    this.isAddressed = true;
    return !this.hasEnded;
  }

  /** Sets the routes whose jobs are taken. */
  serve(routes: readonly HeldRoute[]): void {
    this.routes = [...routes];
    if (routes.length > 0) this.wakeUp();
  }

  /** Takes jobs of the served routes and of this worker, one at a time; `onJob` is awaited. */
  listen(worker: string, onJob: OnRouteJob): void {
    this.own = this.ownKey(worker);
    void this.take(onJob);
  }

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

  private async take(onJob: OnRouteJob): Promise<void> {
    while (!this.hasEnded) {
      if (this.routes.length === 0 && !this.isAddressed) {
        await new Promise<void>((resolve) => (this.change = resolve));
        continue;
      }
      const connection = (this.listener ??= this.clients.open('blocking'));
      if (connection.status !== 'ready') await once(connection, 'ready').catch(() => undefined);
      const next = await this.next(connection).catch(() => sleep(AGAIN_MS, null));
      if (next) await onJob(next.channel, next.job, next.isAddressed);
    }
  }

  /** @returns null on timeout */
  private async next(connection: RedisClient): Promise<Taken | null> {
    const routes = new Map(this.routes.map((route) => [this.key(route), route]));
    const all = [this.own, ...routes.keys()];
    // Rotate, so that a busy set cannot starve the others.
    this.first = (this.first + 1) % all.length;
    const taken = await connection.bzpopmin([...all.slice(this.first), ...all.slice(0, this.first)], LISTENED_SECONDS);
    if (!taken) return null;
    const [key, text] = taken;
    if (key === this.own) {
      const [channel = '', routeId = '', jobText = ''] = text.split(':');
      return { ...readJob(channel, routeId, jobText), isAddressed: true };
    }
    const route = routes.get(key);
    return route ? { ...readJob(route.channel, route.routeId, text), isAddressed: false } : null;
  }

  /** One hash slot for all sets, so that one command can wait for all. */
  private key({ channel, routeId }: HeldRoute): string {
    return `{${this.environment.REDIS_PREFIX}:turns}:${channel}:${routeId}`;
  }

  private ownKey(worker: string): string {
    return `{${this.environment.REDIS_PREFIX}:turns}:worker:${worker}`;
  }
}
