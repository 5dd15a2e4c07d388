import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { type RunningApi, startApi } from '../support/api.js';
import type { Member } from '../support/sms.js';
import { AudioServer, voiceOf, type Voice } from '../support/voice.js';
import { startWorker } from '../support/worker.js';

const PATIENCE = { timeout: 60_000, interval: 50 };
const CALLER_ID = '918000000001';
const [SALES, SERVICE, DOOR] = ['493000000001', '493000000002', '493000000003'] as const;

/** What stands at PUBLIC_URL: hands requests to the instances in turn, and names itself as host. */
class Balancer {
  readonly targets: string[] = [];
  /** callbacks each instance got, in the order of the targets */
  readonly callbacks = [0, 0];
  private turn = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server);
    server.on('request', (request, response) => {
      const index = balancer.turn++ % balancer.targets.length;
      if (request.url?.startsWith('/provider/')) balancer.callbacks[index] = (balancer.callbacks[index] ?? 0) + 1;
      const target = new URL(request.url ?? '', balancer.targets[index]);
      const { method = 'GET', headers } = request;
      const onward = forward(target, { method, headers: { ...headers, host: 'inside.example' } }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.writeHead(502).end());
      request.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('a menu walked by real calls', () => {
  let sandbox: OpenSandbox;
  let balancer: Balancer;
  let audio: AudioServer;
  let first: RunningApi;
  let second: RunningApi;
  let worker: TestingModule;
  let voice: Voice;
  let member: Member;

  beforeAll(async () => {
    [sandbox, balancer, audio] = await Promise.all([openSandbox(), Balancer.open(), AudioServer.open()]);
    first = await startApi({ PUBLIC_URL: balancer.url, VOICE_AUTO_APPROVE: true, VOICE_DEFAULT_CALLER_ID: CALLER_ID });
    second = await startApi(first.environment, first.database);
    balancer.targets.push(first.url, second.url);
    worker = await startWorker(first.environment);
    voice = voiceOf(first);
    member = await voice.rich();
    const routes = first.app.get(RouteDirectory, { strict: false });
    await voice.dataSource.transaction((tx) =>
      routes.put(tx, {
        name: 'telephone',
        channel: 'voice',
        driver: 'twilio',
        config: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'token-of-the-route', base_url: sandbox.url },
        messagesPerSecond: null,
        isDefault: true,
      }),
    );
    routes.forget();
  });
  afterAll(async () => {
    await worker.close();
    await second.stop();
    await first.stop();
    await Promise.all([sandbox.stop(), audio.close()]);
    balancer.close();
  });

  const callee = async (body: Record<string, unknown>): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${sandbox.url}/voice/script`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
  };
  const finished = (requestId: unknown): Promise<Record<string, unknown>> =>
    vi.waitUntil(async () => {
      const path = `/v6/api/voice/report?request_id=${String(requestId)}`;
      const { body } = await voice.request(path, { headers: { authorization: `Bearer ${member.token}` } });
      const data = body['data'] as { status_counts: Record<string, number> } & Record<string, unknown>;
      return data.status_counts['PENDING'] || data.status_counts['INITIATED'] ? false : data;
    }, PATIENCE);

  it('goes three menus deep and on to the third number, whichever instance is asked', async () => {
    const clips = [audio.url(100), audio.url(200), audio.url(300)];
    const [walker, silent, wrong] = ['919812345701', '919812345702', '919812345703'] as const;
    const busy = '919812345486';
    await callee({ to: walker, digits: ['1', '#', '3'], forwards: { [SALES]: 'busy', [SERVICE]: 'busy' } });
    await callee({ to: wrong, digits: ['9', '2', ''] });
    const answer = await voice.send(member, {
      broadcast_name: 'Menu',
      audio_url: clips[0],
      contacts: [walker, silent, wrong, busy],
      dtmf_flow: {
        rows: [
          {
            digit: '1',
            action: 'submenu',
            prompt_audio: clips[1],
            rows: [
              {
                digit: '#',
                action: 'submenu',
                prompt_audio: clips[2],
                rows: [
                  { digit: '3', action: 'transfer', number: SALES, fallback_numbers: [SERVICE, DOOR] },
                  { digit: '0', action: 'back' },
                ],
              },
            ],
          },
          { digit: '2', action: 'record' },
        ],
      },
    });
    expect(answer.body).toMatchObject({ contacts: 4, ivr_enabled: true });
    const data = await finished(answer.body['request_id']);
    expect(data['status_counts']).toEqual({ ANSWERED: 3, BUSY: 1 });
    const records = data['records'] as Record<string, unknown>[];
    expect(records.map(({ receiver, status, duration }) => [receiver, status, duration])).toEqual([
      // three prompts, three keys, and ten seconds with the door
      [walker, 'ANSWERED', 22],
      // twice the prompt and silence
      [silent, 'ANSWERED', 16],
      // the prompt, a wrong key, the prompt, a key, what was said
      [wrong, 'ANSWERED', 12],
      [busy, 'BUSY', 0],
    ]);
    const { messages } = await sandbox.ledger();
    const record = (to: string) => messages.find((entry) => entry.to === to)?.call;
    const prompt = expect.stringMatching(new RegExp(`^${balancer.url}/audio/`)) as unknown;
    const dialed = { callerId: `+${CALLER_ID}`, timeLimit: 600 };
    expect(record(walker)).toMatchObject({
      heard: [prompt, prompt, prompt],
      pressed: ['1', '#', '3'],
      dialed: [
        { ...dialed, number: SALES, outcome: 'busy' },
        { ...dialed, number: SERVICE, outcome: 'busy' },
        { ...dialed, number: DOOR, outcome: 'completed' },
      ],
      faults: [],
    });
    // What was fetched at acceptance is what was heard.
    const heard = (record(walker)?.heard ?? []).map(String);
    const lengths = await Promise.all(heard.map(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength));
    expect(lengths).toEqual([100, 200, 300].map((milliseconds) => 44 + milliseconds * 16));
    expect(audio.asked).toBe(3);
    expect(record(silent)).toMatchObject({ heard: [prompt, prompt], pressed: ['', ''], dialed: [], faults: [] });
    expect(record(wrong)).toMatchObject({ heard: [prompt, prompt], pressed: ['9', '2'], faults: [] });
    const rows: { digits: string; recording_urls: string | null }[] = await voice.dataSource.query(
      'SELECT digits, recording_urls FROM voice_calls ORDER BY seq',
    );
    expect(rows.map(({ digits }) => digits)).toEqual(['1#3', '', '92', '']);
    expect(JSON.parse(rows[2]?.recording_urls ?? '')).toEqual(record(wrong)?.recordings);
    // Both instances answered, and each knew what the other had.
    expect(Math.min(...balancer.callbacks)).toBeGreaterThan(3);
  });
});
