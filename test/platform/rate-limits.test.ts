import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NextFunction, Response } from 'express';
import { IsInt, IsNotEmpty, IsString } from 'class-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigModule, ENVIRONMENT, type Environment } from '../../src/platform/config/index.js';
import { DatabaseModule } from '../../src/platform/database/index.js';
import { configureHttp, ErrorShape, ExpressServer, HttpModule } from '../../src/platform/http/index.js';
import { ObservabilityModule } from '../../src/platform/observability/index.js';
import { type MeteredRequest, RateLimited, SecurityModule } from '../../src/platform/security/index.js';
import { testEnvironment } from '../support/api.js';
import { requireVariable } from '../support/database.js';

class Draft {
  @IsNotEmpty({ message: 'first is required' })
  @IsString({ message: 'first must be a text' })
  first!: string;

  @IsInt({ message: 'second must be an integer' })
  second!: number;
}

/** Routes with each kind of limit; the technical layers under test are the real ones. */
@Controller('limited')
class LimitedController {
  @Post('one')
  @RateLimited('broadcast')
  one(): object {
    return {};
  }

  @Post('two')
  @RateLimited('broadcast')
  two(): object {
    return {};
  }

  @Get('plain')
  plain(): object {
    return {};
  }

  @Get('free')
  @RateLimited('none')
  free(): object {
    return {};
  }

  @Post('draft')
  draft(@Body() draft: Draft): Draft {
    return draft;
  }

  @Get('odd')
  @ErrorShape('public')
  odd(): never {
    throw new Error('a secret of the inside');
  }
}

@Module({
  imports: [ConfigModule, DatabaseModule, SecurityModule, ObservabilityModule, HttpModule],
  controllers: [LimitedController],
})
class LimitedModule {}

const running: NestExpressApplication[] = [];

/** @returns the URL; the header `x-user` stands for authentication, which puts the account on the request */
async function start(overrides: Partial<Environment>): Promise<string> {
  const environment = testEnvironment(requireVariable('DATABASE_URL'), overrides);
  const module = await Test.createTestingModule({ imports: [LimitedModule] })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  const app = module.createNestApplication<NestExpressApplication>(new ExpressServer(), {
    bodyParser: false,
    logger: false,
  });
  configureHttp(app, environment);
  app.use((request: MeteredRequest, _response: Response, next: NextFunction) => {
    const username = request.headers['x-user'];
    if (typeof username === 'string') request.actor = { account: { username } };
    next();
  });
  await app.listen(0, '127.0.0.1');
  running.push(app);
  return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
}

const statuses = async (count: number, send: () => Promise<globalThis.Response>): Promise<number[]> => {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push((await send()).status);
  return found;
};
const post = (url: string, headers: Record<string, string> = {}): Promise<globalThis.Response> =>
  fetch(url, { method: 'POST', headers });

let prefix: Partial<Environment>;
beforeAll(() => {
  prefix = { REDIS_PREFIX: testEnvironment(requireVariable('DATABASE_URL')).REDIS_PREFIX };
});
afterAll(async () => {
  for (const app of running) await app.close();
});

describe('the limit of broadcasts', () => {
  it('is 10 in 60 seconds (reference/requests#limits), over two instances, with text and Retry-After', async () => {
    const [a, b] = [await start(prefix), await start(prefix)];
    const bob = { 'x-user': 'bob' };
    expect(await statuses(5, () => post(`${a}/limited/one`, bob))).toEqual(Array(5).fill(201));
    expect(await statuses(5, () => post(`${b}/limited/one`, bob))).toEqual(Array(5).fill(201));
    for (const url of [a, b]) {
      const refused = await post(`${url}/limited/one`, bob);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(await refused.json()).toMatchObject({
        success: false,
        statusCode: 429,
        message: 'Too many requests. Please try again later.',
        error: 'Too Many Requests',
      });
    }
    expect((await post(`${a}/limited/one`, { 'x-user': 'BOB' })).status).toBe(201);
    expect((await post(`${a}/limited/two`, bob)).status).toBe(201);
  });

  it('does not exist with 0', async () => {
    const url = await start({ BROADCAST_RATE_LIMIT: 0 });
    expect(new Set(await statuses(30, () => post(`${url}/limited/one`)))).toEqual(new Set([201]));
  });

  it('counts in this process while Redis is away', async () => {
    const url = await start({ REDIS_URL: 'redis://127.0.0.1:1', BROADCAST_RATE_LIMIT: 3 });
    expect(await statuses(5, () => post(`${url}/limited/one`))).toEqual([201, 201, 201, 429, 429]);
  });

  it('tells clients apart by X-Forwarded-For only behind a trusted proxy', async () => {
    const direct = await start({ BROADCAST_RATE_LIMIT: 1 });
    const behind = await start({ BROADCAST_RATE_LIMIT: 1, TRUST_PROXY: '1' });
    const from = (ip: string): Record<string, string> => ({ 'X-Forwarded-For': ip });
    expect((await post(`${direct}/limited/one`, from('9.9.9.1'))).status).toBe(201);
    expect((await post(`${direct}/limited/one`, from('9.9.9.2'))).status).toBe(429);
    expect((await post(`${behind}/limited/one`, from('9.9.9.1'))).status).toBe(201);
    expect((await post(`${behind}/limited/one`, from('9.9.9.2'))).status).toBe(201);
    expect((await post(`${behind}/limited/one`, from('9.9.9.2'))).status).toBe(429);
  });
});

describe('the limit of carriers', () => {
  /** The head of a request whose body never comes. */
  const announce = (url: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 3_000_000 };
      const out = request(url, { method: 'POST', headers }, (answer) => {
        resolve(answer.statusCode ?? 0);
        out.destroy();
      });
      out.on('error', reject);
      out.flushHeaders();
    });

  it('stands on callbacks and audio, per address over two instances, before a body is read', async () => {
    const own = {
      ...prefix,
      REDIS_PREFIX: `${prefix.REDIS_PREFIX}-carrier`,
      CARRIER_RATE_LIMIT: 4,
      USER_RATE_LIMIT: 2,
    };
    const [a, b] = [await start(own), await start(own)];
    expect(await statuses(2, () => post(`${a}/provider/sms/any/secret`))).toEqual([404, 404]);
    expect(await statuses(2, () => fetch(`${b}/audio/any.wav`))).toEqual([404, 404]);
    expect(await announce(`${a}/provider/sms/any/secret`)).toBe(429);
    const refused = await post(`${b}/PROVIDER/chat/1`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statuses(3, () => fetch(`${a}/nowhere`))).toEqual([404, 404, 429]); // which counts by itself
  });
});

describe('the limit of everything else', () => {
  it('stands per user, over two instances, and not on free routes', async () => {
    const own = { ...prefix, REDIS_PREFIX: `${prefix.REDIS_PREFIX}-user`, USER_RATE_LIMIT: 6 };
    const [a, b] = [await start(own), await start(own)];
    const get = (url: string, user: string) => fetch(url, { headers: { 'x-user': user } });
    expect(await statuses(3, () => get(`${a}/limited/plain`, 'bob'))).toEqual([200, 200, 200]);
    expect(await statuses(4, () => get(`${b}/limited/plain`, 'bob'))).toEqual([200, 200, 200, 429]);
    const refused = await get(`${a}/limited/plain`, 'bob');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect((await get(`${a}/limited/plain`, 'eve')).status).toBe(200);
    expect((await get(`${a}/limited/free`, 'bob')).status).toBe(200);
  });

  it('counts unknown paths and bad bodies by address', async () => {
    const url = await start({ USER_RATE_LIMIT: 4 });
    const malformed = () =>
      fetch(`${url}/limited/draft`, { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } });
    expect(await statuses(2, () => fetch(`${url}/nowhere`))).toEqual([404, 404]);
    expect(await statuses(3, malformed)).toEqual([400, 400, 429]);
  });

  it('lets about its number through when parallel requests exchange late', async () => {
    const url = await start({ USER_RATE_LIMIT: 500 });
    const answers = await Promise.all(Array.from({ length: 600 }, () => fetch(`${url}/limited/plain`)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(500);
  });
});

describe('validation and faults', () => {
  it('answers the first fault in the order of the fields and drops unknown fields', async () => {
    const url = await start({});
    const send = async (body: unknown) => {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/limited/draft`, { method: 'POST', headers, body: JSON.stringify(body) });
      return await answer.json();
    };
    expect(await send({ second: 'x' })).toMatchObject({ statusCode: 400, message: 'first must be a text' });
    expect(await send({ first: 'a', second: 'x' })).toMatchObject({ message: 'second must be an integer' });
    expect(await send({ first: 'a', second: 2, third: 3 })).toEqual({ first: 'a', second: 2 });
    expect(await send({ first: { a: 1 }, second: [] })).toMatchObject({ statusCode: 400 });
  });

  it('tells nothing of an unexpected error, in the shape of the handler', async () => {
    const url = await start({});
    const answer = await fetch(`${url}/limited/odd`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ error: 'Internal Server Error', message: 'Database query failed' });
  });
});
