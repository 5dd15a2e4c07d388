import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/kernel/ids.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AudioLibrary } from '../../src/modules/audio/index.js';
import { AudioStore } from '../../src/modules/audio/audio.store.js';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { AudioServer, NUMBER, openVoice, type Voice, wav } from '../support/voice.js';

const SHORT = 'Your appointment is tomorrow.';
const OTHERS = ['919812345679', '919812345670'];
const WEEK_MS = 7 * 24 * 3_600_000;

let voice: Voice;
let audio: AudioServer;
let changing: Server;
let clip: Buffer;
let place: string;

beforeAll(async () => {
  voice = await openVoice({ USER_RATE_LIMIT: 0 });
  audio = await AudioServer.open();
  changing = createServer((_request, response) => response.writeHead(200).end(clip));
  await new Promise<void>((resolve) => changing.listen(0, '127.0.0.1', resolve));
  place = `http://127.0.0.1:${(changing.address() as AddressInfo).port}/clip`;
});
afterAll(async () => {
  await voice.stop();
  await audio.close();
  changing.closeAllConnections();
  changing.close();
});

const count = async (table: 'audio_files' | 'audio_chunks'): Promise<number> => {
  const [row] = await voice.dataSource.query<{ rows: string }[]>(`SELECT COUNT(*) AS \`rows\` FROM ${table}`);
  return Number(row?.rows);
};
const contentOf = async (requestId: unknown): Promise<Record<string, unknown>> => {
  const [row] = await voice.dataSource.query<{ content: string }[]>(
    'SELECT content FROM campaigns WHERE request_id = ?',
    [requestId],
  );
  return JSON.parse(row?.content ?? '{}') as Record<string, unknown>;
};
const played = async (path: unknown): Promise<Buffer> =>
  Buffer.from(await (await fetch(voice.url + String(path))).arrayBuffer());
const send = (member: Member, more: Record<string, unknown>) =>
  voice.send(member, { broadcast_name: 'Clips', message: SHORT, contacts: [NUMBER], ...more });
const rowsOf = (...audio: string[]) => ({
  rows: audio.map((url, index) => ({ digit: String(index), action: 'audio', audio: url })),
});

describe('a refused voice send leaves no audio behind', () => {
  it('without a credit for each contact nothing is spoken or fetched', async () => {
    const poor = await voice.join({ voice_credits: 2 });
    const before = await count('audio_files');
    const asked = audio.asked;
    for (const source of [{ message: `New text ${Date.now()}` }, { audio_url: audio.url(4_321) }]) {
      const answer = await send(poor, { ...source, contacts: [NUMBER, ...OTHERS] });
      expectRefused(answer, 400, 'Insufficient credits. Required: 3, Available: 2');
    }
    expect(audio.asked).toBe(asked);
    expect(await count('audio_files')).toBe(before);
  });

  it('nor does one whose audio turns out to be too dear, or that has no route', async () => {
    const poor = await voice.join({ voice_credits: 1 });
    const [files, chunks] = [await count('audio_files'), await count('audio_chunks')];
    const dear = { message: 'word '.repeat(60) + String(Date.now()) };
    expect((await send(poor, dear)).body['message']).toMatch(/^Insufficient credits\. Required: \d+, Available: 1$/);
    const long = await send(poor, { audio_url: audio.url(15_002), dtmf_flow: rowsOf(audio.url(777)) });
    expectRefused(long, 400, 'Insufficient credits. Required: 2, Available: 1');
    expect([await count('audio_files'), await count('audio_chunks')]).toEqual([files, chunks]);
    const paid = await send(await voice.rich(), dear);
    expect(paid.status).toBe(200);
    expect(await count('audio_files')).toBe(files + 1);
    expect(await played(paid.body['audio_url'])).not.toHaveLength(0);
  });

  it('keeps the same audio once, however many accept it at the same moment', async () => {
    const members = await Promise.all(Array.from({ length: 8 }, () => voice.rich()));
    const flow = rowsOf(audio.url(611), audio.url(612), audio.url(611));
    const body = { audio_url: audio.url(613), dtmf_flow: flow };
    const before = await count('audio_files');
    const answers = await Promise.all(members.map((member) => send(member, body)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await count('audio_files')).toBe(before + 3);
    const contents = await Promise.all(answers.map(({ body: { request_id } }) => contentOf(request_id)));
    expect(new Set(contents.map(({ audio_url }) => audio_url)).size).toBe(1);
  });

  /** Marks what no campaign plays, as if that had been a week ago. */
  const markLongAgo = async (): Promise<void> => {
    for (let after: number | null = 0; after !== null;) after = await voice.part(AudioStore).markUnused(after);
    await voice.dataSource.query('UPDATE audio_files SET unused_since = ? WHERE unused_since IS NOT NULL', [
      new Date(Date.now() - WEEK_MS),
    ]);
  };
  const sweep = (): Promise<boolean> => voice.part(AudioStore).sweep(new Date(Date.now() - WEEK_MS / 7));
  const lengths = async (from: number, to: number): Promise<number[]> => {
    const rows = await voice.dataSource.query<{ milliseconds: number }[]>(
      'SELECT milliseconds FROM audio_files WHERE milliseconds BETWEEN ? AND ? ORDER BY milliseconds',
      [from, to],
    );
    return rows.map(({ milliseconds }) => milliseconds);
  };
  /** As its day does when it goes (reference/running#retention). */
  const removeCampaign = async ({ body }: Answer): Promise<void> => {
    const [campaign] = await voice.dataSource.query<{ id: number }[]>('SELECT id FROM campaigns WHERE request_id = ?', [
      body['request_id'],
    ]);
    for (const [table, key] of [
      ['campaigns', 'id'],
      ['campaign_audio', 'campaign_id'],
    ]) {
      await voice.dataSource.query(`DELETE FROM ${table} WHERE ${key} = ?`, [campaign?.id]);
    }
  };

  it('goes a day after the last campaign that plays it, and is not swept while somebody takes it up', async () => {
    const member = await voice.rich();
    const [left, taken, shared] = [audio.url(701), audio.url(702), audio.url(703)];
    const first = await Promise.all([left, taken, shared].map((url) => send(member, { audio_url: url })));
    await send(member, { audio_url: shared });
    for (const answer of first) await removeCampaign(answer);
    await markLongAgo();
    expect((await send(member, { audio_url: taken })).status).toBe(200);
    expect(await sweep()).toBe(false);
    expect(await lengths(701, 703)).toEqual([702, 703]);
    const orphans: unknown[] = await voice.dataSource.query(
      'SELECT 1 FROM audio_chunks c LEFT JOIN audio_files f ON f.id = c.audio_id WHERE f.id IS NULL',
    );
    expect(orphans).toEqual([]);
    expect((await send(member, { audio_url: left })).status).toBe(200);
  });

  it('loses its mark when a campaign plays it that was not seen yet', async () => {
    const member = await voice.rich();
    await send(member, { audio_url: audio.url(711) });
    const marked = 'UPDATE audio_files SET unused_since = ? WHERE milliseconds = 711';
    await voice.dataSource.query(marked, [new Date(Date.now() - WEEK_MS)]);
    await sweep();
    expect(
      await voice.dataSource.query('SELECT 1 FROM audio_files WHERE milliseconds = 711 AND unused_since IS NULL'),
    ).toHaveLength(1);
  });

  it('a draft whose audio was swept meanwhile is made again', async () => {
    const library = voice.part(AudioLibrary);
    const draft = await library.fetch(audio.url(811), 1);
    await voice.dataSource.transaction((tx) => library.keep(tx, { id: newId(), accountId: 1 }, [draft, draft]));
    const second = await library.fetch(audio.url(811), 1);
    expect(second.url).toBe(draft.url);
    await voice.dataSource.query('DELETE FROM audio_chunks WHERE audio_id = ?', [draft.id]);
    await voice.dataSource.query('DELETE FROM audio_files WHERE id = ?', [draft.id]);
    await voice.dataSource.transaction((tx) => library.keep(tx, { id: newId(), accountId: 1 }, [second]));
    expect(await library.byId(second.id)).toMatchObject({ milliseconds: 811 });
  });
});

describe('speech', () => {
  it('of one account fills no queue: beyond its share it is told to wait, and others are spoken', async () => {
    const [greedy, other] = [await voice.rich(), await voice.rich()];
    const text = (index: number): string => `${'The quick brown fox jumps over the lazy dog. '.repeat(3)} ${index}`;
    const flood = Promise.all(Array.from({ length: 60 }, (_, index) => send(greedy, { message: text(index) })));
    const spoken = await Promise.all(
      Array.from({ length: 3 }, (_, index) => send(other, { message: `Hello ${index}` })),
    );
    expect(spoken.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answers = await flood;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectRefused(answer, 429, 'Too many requests. Please try again later.');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(4);
  });
});

describe('the clips of a menu', () => {
  it('are fetched at acceptance, and these bytes are played, whatever becomes of the address', async () => {
    clip = wav(8_000);
    const member = await voice.rich();
    const dtmf_flow = {
      rows: [
        {
          digit: '1',
          action: 'submenu',
          prompt_audio: place,
          rows: [{ digit: '2', action: 'audio', audio: audio.url(200) }],
        },
      ],
    };
    const answer = await send(member, { dtmf_flow });
    expect(answer.status).toBe(200);
    const heard = clip;
    clip = wav(16);
    const { menu } = (await contentOf(answer.body['request_id'])) as {
      menu: { prompt: string; source: string; rows: { audio: string; source: string; after: string }[] }[];
    };
    expect(menu).toMatchObject([{ source: place, rows: [{ source: audio.url(200), after: 'hangup' }] }]);
    expect((await played(menu[0]?.prompt)).equals(heard)).toBe(true);
    expect(await played(menu[0]?.rows[0]?.audio)).toHaveLength(44 + 200 * 16);
  });

  it.each([
    ['missing', 'could not be fetched', () => audio.url(1).replace('1.wav', 'missing')],
    ['an address that is closed', 'could not be fetched', () => 'http://10.0.0.1/clip.wav'],
    ['no audio', 'is not a playable audio file', () => ((clip = Buffer.from('no audio')), place)],
    ['too long', 'duration cannot exceed 120 seconds', () => audio.url(120_010)],
  ])('%s: the path is named', async (_name, fault, url) => {
    const member = await voice.rich();
    const before = await count('audio_files');
    const first = { digit: '1', action: 'audio', audio: audio.url(100) };
    const deep = (rows: unknown[]) => ({
      rows: [first, { digit: '2', action: 'submenu', prompt_audio: audio.url(100), rows }],
    });
    const bad = url();
    expectRefused(
      await send(member, { dtmf_flow: { rows: [first, { ...first, digit: '3', audio: bad }] } }),
      400,
      `dtmf_flow.rows[1].audio ${fault}`,
    );
    const inside = { digit: '1', action: 'submenu', prompt_audio: bad, rows: [{ digit: '1', action: 'record' }] };
    const answer = await send(member, { dtmf_flow: deep([inside]) });
    expectRefused(answer, 400, `dtmf_flow.rows[1].rows[0].prompt_audio ${fault}`);
    expect(await count('audio_files')).toBe(before);
  });

  it('are bounded in number and in bytes', async () => {
    const member = await voice.rich();
    const TEXT = 'dtmf_flow has too much audio: at most 50 clips and 20 MB in all';
    const submenu = (urls: string[]): Record<string, unknown> => ({
      action: 'submenu',
      prompt_audio: urls[0],
      ...rowsOf(...urls.slice(1)),
    });
    const menuOf = (urls: string[]) => ({
      rows: Array.from({ length: Math.ceil(urls.length / 10) }, (_, index) => ({
        digit: String(index),
        ...submenu([...urls.slice(index * 10, index * 10 + 10), urls[0] ?? '']),
      })),
    });
    const many = Array.from({ length: 51 }, (_, index) => audio.url(index + 20));
    expectRefused(await send(member, { dtmf_flow: menuOf(many) }), 400, TEXT);
    expect((await send(member, { dtmf_flow: menuOf(many.slice(1)) })).status).toBe(200);
    const large = Array.from({ length: 12 }, (_, index) => audio.url(110_000 + index));
    expectRefused(await send(member, { dtmf_flow: menuOf(large) }), 400, TEXT);
  });
});
