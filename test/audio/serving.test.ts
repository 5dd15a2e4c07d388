import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioLibrary } from '../../src/modules/audio/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { FileServer, kept, toneWav } from '../support/audio-files.js';

let api: RunningApi;
let url: string;
const files = new FileServer();
/** Several chunks of the database long. */
const FILE = toneWav(400_000);

beforeAll(async () => {
  await files.listen();
  api = await startApi({ OUTBOUND_ALLOW: '127.0.0.1/32', OPEN_MISS_LIMIT: 0, DATABASE_POOL_SIZE: 2 });
  const library = api.app.get(AudioLibrary, { strict: false });
  const stored = await kept(api, library, library.fetch(files.put('/tone.wav', FILE), 1));
  expect(stored.url).toMatch(/^\/audio\/[A-Za-z0-9_-]{32}\.wav$/);
  url = api.url + stored.url;
});
afterAll(async () => {
  await api.stop();
  files.close();
});

const get = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(url, { method, headers });
const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe('GET /audio/:name', () => {
  it('gives the bytes that were kept', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(FILE.length),
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect((await bytes(answer)).equals(FILE)).toBe(true);
  });

  it('needs no login, and says nothing of the database', async () => {
    for (const name of [
      'x',
      'x.wav',
      `${'a'.repeat(32)}.wav`,
      url.split('/').pop()!.replace('.wav', '.mp3'),
      '%00.wav',
      '%ff',
    ]) {
      const answer = await fetch(`${api.url}/audio/${name}`);
      expect(answer.headers.get('content-type')).toMatch(/json/);
      const body = (await answer.json()) as { statusCode: number };
      expect([404, 400]).toContain(answer.status);
      expect(body).toMatchObject({ success: false, statusCode: answer.status });
      if (!name.startsWith('%ff')) expect(body).toMatchObject({ statusCode: 404, message: 'Not Found' });
    }
  });

  it('answers HEAD without the bytes', async () => {
    const answer = await get({}, 'HEAD');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(FILE.length)]);
    expect(await bytes(answer)).toHaveLength(0);
  });

  it('refuses other methods', async () => {
    const answer = await get({}, 'POST');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('ranges', () => {
  const CHUNK = 256 * 1024;
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-1023', 0, 1_023],
    [`bytes=${CHUNK - 1}-${CHUNK}`, CHUNK - 1, CHUNK],
    [`bytes=${CHUNK}-${2 * CHUNK - 1}`, CHUNK, 2 * CHUNK - 1],
    ['bytes=100-700000', 100, 700_000],
    ['bytes=-1', FILE.length - 1, FILE.length - 1],
    ['bytes=-300000', FILE.length - 300_000, FILE.length - 1],
    ['bytes=799000-', 799_000, FILE.length - 1],
    ['bytes=5-99999999', 5, FILE.length - 1],
  ])('%s', async (range, from, to) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to}/${FILE.length}`);
    expect(answer.headers.get('content-length')).toBe(String(to - from + 1));
    expect((await bytes(answer)).equals(FILE.subarray(from, to + 1))).toBe(true);
  });

  it.each([`bytes=${FILE.length}-`, 'bytes=99999999-', 'bytes=-0'])('%s is 416', async (range) => {
    const answer = await get({ range });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${FILE.length}`]);
    expect(await answer.json()).toMatchObject({
      success: false,
      statusCode: 416,
      message: 'Range Not Satisfiable',
      error: 'Range Not Satisfiable',
    });
  });

  it.each(['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'nonsense'])('%s is the whole', async (range) => {
    const answer = await get({ range });
    expect(answer.status).toBe(200);
    expect(await bytes(answer)).toHaveLength(FILE.length);
  });

  it('count only for the content that the client has begun with', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag')!;
    expect((await get({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
  });
});

describe('what the client has already', () => {
  it('is not sent again', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag')!;
    for (const value of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const answer = await get({ 'if-none-match': value });
      expect([value, answer.status, await answer.text()]).toEqual([value, 304, '']);
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

describe('readers that stall', () => {
  it('hold no connection to the database', async () => {
    const stalled = Array.from({ length: 10 }, () => {
      const call = request(url, { agent: false });
      call.on('response', (answer) => answer.pause());
      call.on('error', () => undefined);
      call.end();
      return call;
    });
    await Promise.all(stalled.map((call) => new Promise((resolve) => call.once('response', resolve))));
    expect((await bytes(await get())).equals(FILE)).toBe(true);
    for (const call of stalled) call.destroy();
  });
});

describe('guessing', () => {
  it('is limited by its misses; what is found is not', async () => {
    const guarded = await startApi({ ...api.environment, OPEN_MISS_LIMIT: 3 }, api.database);
    try {
      const path = new URL(url).pathname;
      const statusOf = async (name: string): Promise<number> => (await fetch(guarded.url + name)).status;
      for (let i = 0; i < 5; i++) expect(await statusOf(path)).toBe(200);
      for (let i = 0; i < 3; i++) expect(await statusOf(`/audio/${'b'.repeat(32)}.wav`)).toBe(404);
      expect(await statusOf(`/audio/${'c'.repeat(32)}.wav`)).toBe(429);
    } finally {
      await guarded.stop();
    }
  });
});
