import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiClient } from './api-client.js';
import { watch } from './campaign.js';
import { Unanswered } from './terminal.js';

/** Never answered. */
const SILENT: [number, object] = [0, {}];

/** Answers in their order, the last one for ever. */
let answers: [status: number, body: object][];
let asked: number;
let server: Server;
let api: ApiClient;

beforeEach(async () => {
  asked = 0;
  server = createServer((_request, response) => {
    const [status, body] = answers[Math.min(asked++, answers.length - 1)] ?? [500, {}];
    if (status === 0) return;
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0.01' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = new ApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, token: 'x' });
});
afterEach(async () => {
  await api.close();
  server.closeAllConnections();
  server.close();
});

const LIMIT: [number, object] = [429, { message: 'Too many requests. Please try again later.' }];

describe('ApiClient', () => {
  it('waits with a look that is over the limit, and never repeats a change', async () => {
    answers = [LIMIT, LIMIT, [200, { data: 1 }]];
    expect(await api.call('GET', '/x')).toEqual({ data: 1 });
    expect(asked).toBe(3);
    answers = [LIMIT];
    await expect(api.call('POST', '/x', {})).rejects.toThrow('Too many requests');
    expect(asked).toBe(4);
  });

  it('keeps the hint of an error', async () => {
    answers = [[400, { message: 'schedule_time is invalid', hint: 'It is past\u001b[2J' }]];
    await expect(api.call('POST', '/x', {})).rejects.toMatchObject({ hint: 'It is past [2J', code: 1 });
  });

  it('tells refusals from an API that is away', async () => {
    answers = [[404, { message: 'Campaign not found' }]];
    await expect(api.call('GET', '/x')).rejects.not.toBeInstanceOf(Unanswered);
    answers = [[503, {}]];
    await expect(api.call('GET', '/x')).rejects.toBeInstanceOf(Unanswered);
    const away = new ApiClient({ url: 'http://127.0.0.1:1', token: 'x' });
    await expect(away.call('GET', '/x')).rejects.toThrow('http://127.0.0.1:1 does not answer');
    await away.close();
  });
});

describe('watch', () => {
  /** milliseconds; long enough for an answer on a machine with other work */
  const timeout = 2_000;
  const stand = (state: string) => [200, { data: { state, total_rows: 1, status_counts: { SENT: 1 } } }] as const;

  it('goes on after a restart of the API, which it saw before', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    answers = [[...stand('running')], [503, {}], [...stand('completed')]];
    await watch(api, 'x').finally(() => write.mockRestore());
    expect(asked).toBe(3);
    answers = [[503, {}]];
    await expect(watch(api, 'x')).rejects.toBeInstanceOf(Unanswered);
    expect(asked).toBe(4);
  });

  it('ends with 124 when the time is up, and says how to go on', async () => {
    answers = [[...stand('running')]];
    const fault = await watch(api, 'x', { timeout }).catch((error: unknown) => error);
    expect(fault).toMatchObject({
      code: 124,
      message: 'The time is up. x is running: SENT 1',
      hint: expect.stringContaining('watch x') as string,
    });
  });

  it('ends so too when the API takes the question and is silent', async () => {
    answers = [SILENT];
    await expect(watch(api, 'x', { timeout })).rejects.toMatchObject({
      code: 124,
      message: 'The time is up, and the API has not answered',
    });
    answers = [[...stand('running')], SILENT];
    asked = 0;
    await expect(watch(api, 'x', { timeout })).rejects.toMatchObject({
      code: 124,
      message: 'The time is up. x is running: SENT 1',
    });
  });
});
