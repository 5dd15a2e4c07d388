import { type INestApplicationContext, type Type } from '@nestjs/common';
import { Command, Query } from '@nestjs/cqrs';
import { getQueueToken } from '@nestjs/bull';
import { ModulesContainer } from '@nestjs/core';
import { COMMAND_HANDLER_METADATA, QUERY_HANDLER_METADATA } from '@nestjs/cqrs/dist/decorators/constants.js';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiModule } from '../../src/apps/api/api.module.js';
import { WorkerModule } from '../../src/apps/worker/worker.module.js';
import { CHANNELS } from '../../src/modules/channels/index.js';
import { Channels } from '../../src/modules/engine/index.js';
import { queueOf, queuesOf } from '../../src/platform/queues/index.js';
import { processorFor, processorToken } from '../../src/modules/engine/route-job.processor.js';
import { ROOT, providersOf, scan, sourceFiles } from './house.js';

let api: INestApplicationContext;
let worker: INestApplicationContext;

beforeAll(async () => {
  api = await scan(ApiModule);
  worker = await scan(WorkerModule.of(CHANNELS));
});
afterAll(async () => {
  await api.close();
  await worker.close();
});

/** The messages that files of this ending export. */
async function messagesIn(ending: string, base: Type): Promise<Type[]> {
  const files = sourceFiles('src').filter((file) => file.path.endsWith(ending));
  const found = await Promise.all(
    files.map(async (file) => (await import(pathToFileURL(join(ROOT, file.path)).href)) as Record<string, unknown>),
  );
  return found.flatMap((exports) =>
    Object.values(exports).filter(
      (value): value is Type => value instanceof Function && value.prototype instanceof base,
    ),
  );
}

describe.each([
  ['command', '.commands.ts', Command, COMMAND_HANDLER_METADATA],
  ['query', '.queries.ts', Query, QUERY_HANDLER_METADATA],
])('every %s', (kind, ending, base, key) => {
  it('has exactly one handler, which some application knows', async () => {
    const messages = await messagesIn(ending, base);
    expect(messages.length).toBeGreaterThan(0);
    const handlers = [...new Set([...providersOf(api), ...providersOf(worker)])];
    const counts = messages.map((message) => ({
      message: message.name,
      handlers: handlers.filter((handler) => Reflect.getMetadata(key, handler) === message).length,
    }));
    expect(counts.filter((count) => count.handlers !== 1)).toEqual([]);
  });

  it('says in its name what it is', async () => {
    const messages = await messagesIn(ending, base);
    const suffix = kind === 'command' ? /Command$/ : /Query$/;
    expect(messages.map((message) => message.name).filter((name) => !suffix.test(name))).toEqual([]);
  });

  it('has handlers for nothing else', async () => {
    const messages = await messagesIn(ending, base);
    const strangers = [...providersOf(api), ...providersOf(worker)].filter((handler) => {
      const message: unknown = Reflect.getMetadata(key, handler);
      return message !== undefined && !messages.includes(message as Type);
    });
    expect(strangers.map((handler) => handler.name)).toEqual([]);
  });
});

describe('queues', () => {
  it('are frozen: their names stand in Redis and in WORKER_QUEUES', async () => {
    const lines = new Channels(CHANNELS).queues.map(({ name, purpose }) => `${name}: ${purpose}`);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/queues.txt');
  });

  it('are served by exactly one processor each, in the worker only', () => {
    const tokens = (app: INestApplicationContext): unknown[] =>
      [...app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.keys()]);
    const served = CHANNELS.flatMap(({ name }) => [false, true].map((single) => ({ name, single })));
    const wanted = served.map(({ name, single }) => processorToken(name, single));
    const ofQueues = (token: unknown): boolean => wanted.includes(token as string);
    expect(tokens(worker).filter(ofQueues)).toEqual(wanted);
    expect(tokens(api).filter(ofQueues)).toEqual([]);
    for (const { name, single } of served) {
      const processor = processorFor(name, single, 16);
      expect(Reflect.getMetadata('bull:module_queue', processor)).toEqual({ name: queueOf(name, { single }) });
      expect(
        Reflect.getMetadata('bull:module_queue_process', Reflect.get(processor.prototype, 'take') as object),
      ).toEqual({ concurrency: 16 });
    }
  });

  it('are registered by BullModule in the worker, and in the API by nothing that starts with it', () => {
    const registered = (app: INestApplicationContext): string[] =>
      [...app.get(ModulesContainer).values()].flatMap((module) =>
        [...module.providers.keys()].map(String).filter((token) => token.startsWith('BullQueue_')),
      );
    expect(registered(worker)).toEqual(
      CHANNELS.flatMap(({ name }) => queuesOf(name).map((queue) => getQueueToken(queue))),
    );
    expect(registered(api)).toEqual([]);
  });
});
