import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { Type } from '@nestjs/common';
import { ApiModule, configureApi } from '../../src/apps/api/api.module.js';
import { CHANNELS } from '../../src/modules/channels/index.js';
import type { Channel } from '../../src/modules/engine/index.js';
import { ENVIRONMENT, type Environment, readEnvironment } from '../../src/platform/config/index.js';
import { ExpressServer } from '../../src/platform/http/index.js';
import { recordAnswers } from './answer-recorder.js';
import { createTestDatabase, requireVariable, type TestDatabase } from './database.js';
import { CHANNEL_LIST } from '../../src/modules/engine/channels.js';

/** The real API, listening, on a database and a Redis prefix of its own. */
export interface RunningApi {
  /** such as http://127.0.0.1:40123 */
  url: string;
  app: NestExpressApplication;
  database: TestDatabase;
  environment: Environment;
  stop(): Promise<void>;
}

/** A valid environment for tests: production-like, silent, with secrets of its own. */
export function testEnvironment(databaseUrl: string, overrides: Partial<Environment> = {}): Environment {
  const environment = readEnvironment({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    REDIS_URL: requireVariable('REDIS_URL'),
    REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    JWT_SECRET: randomBytes(32).toString('base64url'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'silent',
    SHUTDOWN_DELAY: '0s',
  });
  return { ...environment, ...overrides };
}

/** Channels of a test's own, beside those of the service. */
export interface OwnChannels {
  channels: readonly Channel[];
  /** with their controllers */
  modules: readonly Type[];
}

/** An app's module with the channels of a test. */
export function withChannels(app: Type, own?: OwnChannels): TestingModuleBuilder {
  const builder = Test.createTestingModule({ imports: [app, ...(own?.modules ?? [])] });
  return own ? builder.overrideProvider(CHANNEL_LIST).useValue([...CHANNELS, ...own.channels]) : builder;
}

/**
 * Starts the ApiModule on 127.0.0.1 and a free port.
 * @param overrides variables that the test needs otherwise
 * @param database a database of an earlier call, which is then not dropped here. A second instance of the same
 * installation (secrets, Redis prefix): `startApi(first.environment, first.database)`
 */
export async function startApi(
  overrides: Partial<Environment> = {},
  database?: TestDatabase,
  channels?: OwnChannels,
): Promise<RunningApi> {
  const own = database ?? (await createTestDatabase());
  const module = await withChannels(ApiModule, channels)
    .overrideProvider(ENVIRONMENT)
    .useValue(testEnvironment(own.url, overrides))
    .compile();
  const app = module.createNestApplication<NestExpressApplication>(new ExpressServer(), {
    bodyParser: false,
    bufferLogs: true,
  });
  const environment = configureApi(app);
  // the document tells of the service's own channels
  if (!channels) recordAnswers(app.getHttpServer());
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    app,
    database: own,
    environment,
    stop: async () => {
      app.getHttpServer().closeAllConnections();
      await app.close();
      if (!database) await own.drop();
    },
  };
}
