import { Agent, request } from 'node:http';
import { Controller, Get, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { describe, expect, it } from 'vitest';
import { stopGracefully } from '../../src/apps/api/api.module.js';
import { ConfigModule, ENVIRONMENT } from '../../src/platform/config/index.js';
import { DatabaseModule } from '../../src/platform/database/index.js';
import { configureHttp, ExpressServer, HttpModule } from '../../src/platform/http/index.js';
import { ObservabilityModule } from '../../src/platform/observability/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';
import { until } from '../support/processes.js';

/** Says that the slow request has come in. */
let enter: () => void;
const entered = new Promise<void>((resolve) => (enter = resolve));
/** Lets it be answered. */
let release: () => void;
const released = new Promise<void>((resolve) => (release = resolve));

@Controller()
class SlowController {
  @Get('slow')
  async slow(): Promise<{ done: true }> {
    enter();
    await released;
    return { done: true };
  }

  @Get('fast')
  fast(): { done: true } {
    return { done: true };
  }
}

@Module({ imports: [ConfigModule, DatabaseModule, ObservabilityModule, HttpModule], controllers: [SlowController] })
class SlowModule {}

interface Answer {
  status: number | undefined;
  connection: string | undefined;
  body: string;
}

const get = (url: string, agent: Agent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection, body }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });

describe('a graceful stop', () => {
  it('finishes what runs, tells keep-alive clients to leave, and closes', async () => {
    const environment = testEnvironment(requireVariable('DATABASE_URL'), { SHUTDOWN_DELAY: 1_000 });
    const module = await Test.createTestingModule({ imports: [SlowModule] })
      .overrideProvider(ENVIRONMENT)
      .useValue(environment)
      .compile();
    const app = module.createNestApplication<NestExpressApplication>(new ExpressServer(), {
      bodyParser: false,
      logger: false,
    });
    configureHttp(app, environment);
    await app.listen(0, '127.0.0.1');
    const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
    const agent = new Agent({ keepAlive: true });
    expect((await get(`${url}/fast`, agent)).connection).toBe('keep-alive');

    const underWay = get(`${url}/slow`, agent);
    await entered;
    const stopped = stopGracefully(app, environment);
    const meanwhile = await get(`${url}/fast`, agent);
    expect(meanwhile).toMatchObject({ status: 200, connection: 'close' });
    await until('new connections to be refused', () =>
      get(`${url}/fast`, new Agent()).then(
        () => false,
        () => true,
      ),
    );
    release();
    expect(await underWay).toMatchObject({ status: 200, body: '{"done":true}' });
    await stopped;
    await expect(get(`${url}/fast`, agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    agent.destroy();
  });
});
