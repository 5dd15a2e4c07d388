import { randomBytes } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CHANNELS } from '../../src/modules/channels/index.js';
import { ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { LeaderGate, WakeCalls } from '../../src/platform/periodic/index.js';
import { QueuesModule, RelayNotifier, JobQueues, queuesOf } from '../../src/platform/queues/index.js';
import { RedisClients, RedisLink } from '../../src/platform/redis/index.js';
import { RateCounters } from '../../src/platform/security/index.js';
import { testEnvironment } from './api.js';
import { requireVariable } from './database.js';

/** Where Redis is, and how its keys begin. */
export type RedisSettings = Pick<Environment, 'REDIS_URL' | 'REDIS_PREFIX'> & Partial<Pick<Environment, 'REDIS_CA'>>;

export const ownPrefix = (): { REDIS_PREFIX: string } => ({ REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}` });

export const CHANNEL_NAMES = CHANNELS.map(({ name }) => name);

/** The queues of the service. */
export const QUEUES = CHANNEL_NAMES.flatMap(queuesOf);

@Global()
@Module({})
class Settings {
  static of(settings: RedisSettings) {
    const environment = testEnvironment(requireVariable('DATABASE_URL'), settings);
    return { module: Settings, providers: [{ provide: ENVIRONMENT, useValue: environment }], exports: [ENVIRONMENT] };
  }
}

/** What a process has Redis for, without anything else of it. */
export async function redisProcess(settings: RedisSettings) {
  const module = await Test.createTestingModule({
    imports: [Settings.of(settings), QueuesModule.of(CHANNEL_NAMES)],
  }).compile();
  const [clients, link, queues] = [module.get(RedisClients), module.get(RedisLink), module.get(JobQueues)];
  const calls = new WakeCalls(clients, link);
  const notifier = new RelayNotifier(settings, clients, link);
  await module.init();
  return {
    clients,
    link,
    limits: new RateCounters(link),
    gate: new LeaderGate(link),
    calls,
    notifier,
    queues,
    stop: async () => {
      notifier.onApplicationShutdown();
      calls.onApplicationShutdown();
      await module.close();
    },
  };
}

export type RedisProcess = Awaited<ReturnType<typeof redisProcess>>;
