import { randomBytes } from 'node:crypto';
import type { Environment } from '../../src/platform/config/index.js';
import { DutyGate, WakeCalls } from '../../src/platform/duties/index.js';
import { RelayNotifier, SingleNotices, TurnQueues } from '../../src/platform/queues/index.js';
import { RedisClients } from '../../src/platform/redis/index.js';
import { RateCounters, RedisLink } from '../../src/platform/security/index.js';

/** Where Redis is, and how its keys begin. */
export type RedisSettings = Pick<Environment, 'REDIS_URL' | 'REDIS_PREFIX'> & Partial<Pick<Environment, 'REDIS_CA'>>;

export const ownPrefix = (): { REDIS_PREFIX: string } => ({ REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}` });

/** What a process has Redis for, without anything else of it. */
export async function redisProcess(settings: RedisSettings) {
  const clients = new RedisClients(settings);
  const link = new RedisLink(settings, clients);
  const calls = new WakeCalls(clients, link);
  const notifier = new RelayNotifier(settings, clients, link);
  const notices = new SingleNotices(clients, link);
  const queues = new TurnQueues(settings, clients);
  await link.onModuleInit();
  return {
    clients,
    link,
    limits: new RateCounters(link),
    gate: new DutyGate(link),
    calls,
    notifier,
    notices,
    queues,
    stop: async () => {
      notifier.onApplicationShutdown();
      calls.onApplicationShutdown();
      notices.onApplicationShutdown();
      await queues.onApplicationShutdown();
      clients.onApplicationShutdown();
    },
  };
}

export type RedisProcess = Awaited<ReturnType<typeof redisProcess>>;
