import type { TestingModule } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';
import { type Campaigns, type Json, openCampaigns } from '../support/campaigns.js';
import { numbers } from '../support/client.js';
import type { Answer, Member } from '../support/sms.js';
import { AudioServer } from '../support/voice.js';
import { startWorker } from '../support/worker.js';

const PATIENCE = { timeout: 60_000, interval: 20 };
/** The promise (reference/suppressions#stop-words). */
const SILENT_AFTER_MS = 2_000;
const PER_SECOND = 20;
const RECIPIENTS = 160;
const SYSTEM_ID = 'silence';
const GRAPH = ['106540352242922', '106540352242923'] as const;
const RICH = { gsm_credits: 9_000, bulk_chat_credits: 9_000, voice_credits: 9_000, chat_marketing_credits: 9_000 };

/** From a committed STOP to silence, in the middle of running campaigns, by the clock of the carriers. */
describe('a stop word in the middle of campaigns', () => {
  let sandbox: OpenSandbox;
  let campaigns: Campaigns;
  let worker: TestingModule;
  let audio: AudioServer;

  beforeAll(async () => {
    [sandbox, audio] = await Promise.all([openSandbox(), AudioServer.open()]);
    campaigns = await openCampaigns(
      { OUTBOUND_ALLOW: '127.0.0.0/8', VOICE_AUTO_APPROVE: true, PUBLIC_URL: 'http://127.0.0.1:9' },
      { route: false },
    );
    const login = { host: '127.0.0.1', port: sandbox.smppPort, system_id: SYSTEM_ID, password: 'secret' };
    const gateway = { url: `${sandbox.url}/gateway/messages`, body: { to: '{{to}}', text: '{{text}}' }, id_path: 'id' };
    const network = {
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: 'token',
      base_url: sandbox.url,
      from: '918000000000',
    };
    await addRoute('texts', 'sms', 'smpp', login, PER_SECOND);
    await addRoute('narrow', 'sms', 'smpp', { ...login, window: 2 }, null);
    await addRoute('chats', 'unofficial', 'http', gateway, PER_SECOND);
    await addRoute('calls', 'voice', 'twilio', network, PER_SECOND);
    worker = await startWorker(campaigns.environment);
  });
  afterAll(async () => {
    await worker.close();
    await campaigns.stop();
    await Promise.all([sandbox.stop(), audio.close()]);
  });

  const addRoute = async (
    name: string,
    channel: 'sms' | 'unofficial' | 'voice',
    driver: string,
    config: Json,
    messagesPerSecond: number | null,
  ): Promise<void> => {
    const routes = campaigns.part(RouteDirectory);
    const draft = { name, channel, driver, config, messagesPerSecond, isDefault: name !== 'narrow' };
    await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
  };

  /** Says STOP; resolves with the moment at which it is seen to be committed. */
  const stop = async (member: Member, from: string): Promise<number> => {
    const answer = await fetch(`${sandbox.url}/smpp/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ system_id: SYSTEM_ID, from, text: 'STOP' }),
    });
    expect(answer.status).toBe(200);
    await vi.waitUntil(async () => {
      const rows: unknown[] = await campaigns.dataSource.query(
        'SELECT 1 FROM suppressions WHERE account_id = ? AND number = ?',
        [member.account.id, from],
      );
      return rows.length > 0;
    }, PATIENCE);
    return Date.now();
  };

  /** When messages to the person reached the carriers. */
  const arrivals = async (person: readonly string[], isOf: (entry: Json) => boolean): Promise<number[]> => {
    const { messages } = await sandbox.ledger();
    return messages.flatMap((entry) => (person.includes(entry.to) && isOf(entry as unknown as Json) ? [entry.at] : []));
  };

  const requestIdOf = (answer: Answer): string => {
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    const data = (answer.body['data'] as Json | undefined) ?? answer.body;
    return String(data['request_id']);
  };

  interface Ending {
    sent: number;
    suppressed: number;
    refunded: number;
  }
  /** What has become of the person's rows once none of them is pending. */
  const ending = async (requestId: string, person: readonly string[]): Promise<Ending> => {
    const campaignId = await campaigns.idOf(requestId);
    const rows = await vi.waitUntil(async () => {
      const found: { status: RecipientStatus; error_message: string | null }[] = await campaigns.dataSource.query(
        'SELECT status, error_message FROM campaign_recipients WHERE campaign_id = ? AND receiver IN (?)',
        [campaignId, person],
      );
      return found.every(({ status }) => status !== RecipientStatus.Pending) && found;
    }, PATIENCE);
    const [campaign] = await campaigns.dataSource.query<{ refunded: number }[]>(
      'SELECT refunded_credits AS refunded FROM campaigns WHERE id = ?',
      [campaignId],
    );
    const suppressed = rows.filter((row) => row.error_message === 'Suppressed').length;
    return { sent: rows.length - suppressed, suppressed, refunded: Number(campaign?.refunded) };
  };

  it('is obeyed on every channel within two seconds, and what has not left is refunded', async () => {
    const member = await campaigns.join(RICH);
    // One person in two spellings: calls leave out the second of equal numbers.
    const person = ['5511987654321', '551187654321'] as const;
    const [usual] = person;
    const others = numbers(RECIPIENTS, '9198765402');
    const mixed = others.map((number, index) => (index % 2 === 0 ? usual : number));
    await campaigns.template(member, 'offer');
    for (const [index, connection] of (['official', 'branded'] as const).entries())
      await campaigns.connect(member, connection, {
        url: `${sandbox.url}/v21.0/${GRAPH[index] ?? ''}`,
        messagesPerSecond: PER_SECOND,
      });
    const template = { messaging_product: 'chat', to: mixed, type: 'template' };
    const named = { ...template, template: { name: 'offer', language: { code: 'en_US' } } };
    const { username } = member.account;
    const broadcast = { broadcast_name: 'Spring', contacts: mixed, message: 'Hello' };
    const calls = [usual, ...others.slice(0, RECIPIENTS / 2), person[1]];
    const accountOf =
      (account: string) =>
      (entry: Json): boolean =>
        entry['account'] === account;
    const sends: [name: string, answer: Promise<Answer>, isOf: (entry: Json) => boolean][] = [
      [
        'SMS',
        campaigns.broadcast(member, { ...broadcast, brodcast_service: 'texts' }),
        (entry) => entry['text'] === 'Hello' && entry['protocol'] === 'smpp',
      ],
      [
        'personalised SMS',
        campaigns.post('/v6/api/campaigns', member, {
          ...{ channel: 'sms', route: 'texts', broadcast_name: 'Own', message: 'Hi {{name}}' },
          recipients: mixed.map((to) => ({ to, variables: { name: 'you' } })),
        }),
        (entry) => entry['text'] === 'Hi you',
      ],
      [
        'unofficial chat',
        campaigns.unofficial(member, { ...broadcast, brodcast_service: 'chats' }),
        (entry) => entry['protocol'] === 'http',
      ],
      [
        'template messages',
        campaigns.post(`/v6/api/chatTemplate/24/${username}/messages`, member, named),
        accountOf(GRAPH[0]),
      ],
      ['branded', campaigns.post(`/v6/api/chatBranded/24/${username}/messages`, member, named), accountOf(GRAPH[1])],
      [
        'voice',
        campaigns.post('/v6/api/v1/voice/send', member, {
          ...{ broadcast_name: 'Ring', audio_url: audio.url(1_000), contacts: calls, caller_id: '918000000001' },
        }),
        (entry) => entry['protocol'] === 'voice',
      ],
    ];
    const running = await Promise.all(
      sends.map(async ([name, answer, isOf]) => ({ name, requestId: requestIdOf(await answer), isOf })),
    );
    for (const { isOf } of running) await vi.waitUntil(async () => (await arrivals(person, isOf)).length > 0, PATIENCE);
    const stoppedAt = await stop(member, usual);
    for (const { name, requestId, isOf } of running) {
      const { sent, suppressed, refunded } = await ending(requestId, person);
      expect(suppressed, name).toBeGreaterThan(0);
      expect(refunded, name).toBe(suppressed);
      const times = await arrivals(person, isOf);
      expect(times.length, name).toBe(sent);
      expect(Math.max(...times) - stoppedAt, name).toBeLessThan(SILENT_AFTER_MS);
    }
  });

  it('is obeyed in the middle of a batch that a slow carrier takes longer for', async () => {
    const member = await campaigns.join(RICH);
    const person = '919876540999';
    const others = numbers(RECIPIENTS, '9198765403');
    await sandbox.faults({ answerDelayMs: 250 });
    const mixed = others.map((number, index) => (index % 2 === 0 ? person : number));
    const requestId = await campaigns.send(member, mixed, { brodcast_service: 'narrow' });
    const isOf = (): boolean => true;
    await vi.waitUntil(async () => (await arrivals([person], isOf)).length > 1, PATIENCE);
    const stoppedAt = await stop(member, person);
    const { sent, suppressed, refunded } = await ending(requestId, [person]);
    await sandbox.faults({ answerDelayMs: 0 });
    // All of them were in one batch: nothing else has read the stop list since it began.
    expect(suppressed).toBeGreaterThan(RECIPIENTS / 4);
    expect(refunded).toBe(suppressed);
    const times = await arrivals([person], isOf);
    expect(times.length).toBe(sent);
    expect(Math.max(...times) - stoppedAt).toBeLessThan(SILENT_AFTER_MS);
  });
});
