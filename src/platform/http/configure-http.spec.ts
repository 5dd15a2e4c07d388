import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainAnswers } from './configure-http.js';

/** What is answered, by path. */
const ANSWERS: Record<string, (response: Response) => unknown> = {
  '/object': (response) => response.status(201).json({ name: 'Zoë', list: [1, null, undefined], at: new Date(0) }),
  '/long': (response) => response.json({ text: 'ö'.repeat(5_000) }),
  '/text': (response) => response.json('text'),
  '/null': (response) => response.json(null),
  '/nothing': (response) => response.json(undefined),
  '/no-content': (response) => response.status(204).json({ lost: true }),
  '/reset': (response) => response.status(205).json({ lost: true }),
  '/typed': (response) => response.type('application/problem+json').json({ title: 'Typed' }),
};

async function serve(app: Express): Promise<Server> {
  for (const [path, answer] of Object.entries(ANSWERS)) app.get(path, (_request, response) => void answer(response));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function ask(server: Server, path: string, method: string, headers = {}): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const asked = request({ port, path, method, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { date: _, ...others } = answer.headers;
  return { status: answer.statusCode, headers: others, body: await text(answer) };
}

describe('plain answers', () => {
  let ordinary: Server;
  let plain: Server;
  beforeAll(async () => {
    ordinary = await serve(express().disable('etag'));
    const app = express();
    plainAnswers({
      disable: (setting: string) => app.disable(setting),
      getHttpAdapter: () => ({ getInstance: () => app }),
    } as unknown as NestExpressApplication);
    plain = await serve(app);
  });
  afterAll(() => {
    ordinary.close();
    plain.close();
  });

  it.each(Object.keys(ANSWERS).flatMap((path) => ['GET', 'HEAD'].map((method) => [method, path])))(
    'are those of Express: %s %s',
    async (method, path) => {
      expect(await ask(plain, path, method)).toEqual(await ask(ordinary, path, method));
    },
  );

  it('are never left out for tags that a client claims to have', async () => {
    const answer = await ask(plain, '/text', 'GET', { 'if-none-match': '*' });
    expect(answer).toMatchObject({ status: 200, body: '"text"' });
  });
});
