import type { TestingModule } from '@nestjs/testing';
import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ProveCreditsQuery } from '../../src/modules/credits/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { RouteDirectory } from '../../src/modules/providers/index.js';
import { Command, encodePdu, headerOnly } from '../../src/platform/smpp/index.js';
import { type Campaigns, listOf, openCampaigns } from '../support/campaigns.js';
import { samples } from '../support/fuzz.js';
import type { Member } from '../support/sms.js';
import { startWorker } from '../support/worker.js';
import { MadCarrier, type Manner, manner, type Noise, noise, sessionBreak } from './mad-carrier.js';

const PATIENCE = { timeout: 60_000, interval: 100 };
const ROUNDS = 10;
const RECIPIENTS = 25;
const SANE: Manner = {
  fate: 'delivered',
  answer: 'plain',
  early: false,
  dialect: 'both',
  copies: 1,
  contradicts: false,
};
const MEGABYTE = 1024 * 1024;

interface Rave {
  manners: Manner[];
  noises: Noise[];
  breaks: Noise[];
}

const raving: fc.Arbitrary<Rave> = fc.record({
  manners: fc.array(manner, { minLength: RECIPIENTS, maxLength: RECIPIENTS }),
  noises: fc.array(noise, { minLength: 20, maxLength: 20 }),
  breaks: fc.array(sessionBreak, { maxLength: 2 }),
});

interface Row {
  number: string;
  status: number;
}

describe('a carrier gone mad over SMPP', () => {
  let campaigns: Campaigns;
  let worker: TestingModule;
  let carrier: MadCarrier;
  const manners = new Map<string, Manner>();

  beforeAll(async () => {
    campaigns = await openCampaigns({}, { route: false });
    carrier = await MadCarrier.open((number) => manners.get(number) ?? SANE);
    worker = await startWorker(campaigns.environment);
  });
  afterAll(async () => {
    await worker.close();
    await campaigns.stop();
    await carrier.stop();
  });

  async function addRoute(name: string): Promise<void> {
    const routes = campaigns.part(RouteDirectory);
    const config = {
      host: '127.0.0.1',
      port: carrier.port,
      system_id: name,
      password: 'x',
      window: 10,
      submit_timeout_ms: 1_000,
    };
    const draft = { name, channel: 'sms', driver: 'smpp', config, messagesPerSecond: null, isDefault: false } as const;
    await campaigns.dataSource.transaction((tx) => routes.put(tx, draft));
    routes.forget();
  }

  const rowsOf = (requestId: string): Promise<Row[]> =>
    campaigns.dataSource.query(
      `SELECT r.receiver AS number, r.status FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
       WHERE c.request_id = ? ORDER BY r.seq`,
      [requestId],
    );
  const takenOf = (login: string) => carrier.taken.filter((taken) => taken.login === login);

  async function expectProved(owner: Member): Promise<void> {
    const proofs = await campaigns.part(QueryBus).execute(new ProveCreditsQuery(owner.account.id, true));
    for (const proof of proofs) expect(proof).toMatchObject({ ok: true, usage: { ok: true } });
  }

  /** One campaign over a login of its own, while the carrier raves. */
  async function rave({ manners: given, noises, breaks }: Rave, index: number): Promise<void> {
    const login = `mad-${index}`;
    const to = given.map((_, index) => `9190${String(index).padStart(3, '0')}${String(index).padStart(5, '0')}`);
    for (const [index, made] of given.entries()) manners.set(to[index] ?? '', made);
    const said = [...noises];
    for (const end of breaks) said.splice(7 * (1 + breaks.indexOf(end)), 0, end);
    carrier.plan(login, said);
    await addRoute(login);
    const owner = await campaigns.join();
    const requestId = await campaigns.send(owner, to, { brodcast_service: login });
    const finals: number[] = [RecipientStatus.Delivered, RecipientStatus.Failed];
    const rows = await vi.waitFor(async () => {
      const now = await rowsOf(requestId);
      const taken = new Set(takenOf(login).map(({ number }) => number));
      const open = now.filter(
        (row) =>
          !finals.includes(row.status) && (taken.has(row.number) || row.status !== Number(RecipientStatus.Unknown)),
      );
      expect(open, login).toEqual([]);
      return now;
    }, PATIENCE);
    // Nobody got it twice, and each has the word of the carrier's book.
    const fates = new Map(takenOf(login).map(({ number, manner: { fate } }) => [number, fate]));
    expect(takenOf(login)).toHaveLength(fates.size);
    const words = rows.flatMap(({ number, status }) =>
      fates.has(number) ? [[number, RecipientStatus[status]?.toLowerCase()]] : [],
    );
    expect(words).toEqual(rows.flatMap(({ number }) => (fates.has(number) ? [[number, fates.get(number)]] : [])));
    await expectProved(owner);
    expect(await campaigns.credits(owner)).toBe(1_000 - RECIPIENTS);
    const { body } = await campaigns.request(`/webhook/api/getGSMreport.php?request_id=${requestId}`);
    const counts = (body['data'] as { status_counts: Record<string, number> }).status_counts;
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(RECIPIENTS);
  }

  it('changes nothing that it does not know, and everything it knows is settled', async () => {
    const victim = await campaigns.join();
    await addRoute('victim');
    const to = ['919111100001', '919111100002'];
    for (const number of to) manners.set(number, { ...SANE, answer: 'plain' });
    await vi.waitUntil(() => carrier.say('victim', Buffer.alloc(0)) > 0, PATIENCE);
    const requestId = await campaigns.send(victim, to, { brodcast_service: 'victim' });
    await vi.waitFor(
      async () => expect((await rowsOf(requestId)).every(({ status }) => status === 2)).toBe(true),
      PATIENCE,
    );
    const before = process.memoryUsage.rss();
    await Promise.all(samples(raving, ROUNDS).map((made, index) => rave(made, index)));
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * MEGABYTE);
    expect((await rowsOf(requestId)).map(({ status }) => status)).toEqual([2, 2]);
    await expectProved(victim);
  });

  it('takes no other message down with receipts of huge addresses', async () => {
    const owner = await campaigns.join();
    await addRoute('huge');
    const to = '919222200001';
    manners.set(to, SANE);
    await vi.waitUntil(() => carrier.say('huge', Buffer.alloc(0)) > 0, PATIENCE);
    const huge = encodePdu('deliver_sm', 0x30000000, {
      source_addr: '7'.repeat(60_000),
      destination_addr: '8',
      esm_class: 4,
      short_message: Buffer.from('id:999 stat:DELIVRD err:000 text:'),
    });
    for (let count = 0; count < 300; count++) carrier.say('huge', huge);
    const requestId = await campaigns.send(owner, [to], { brodcast_service: 'huge' });
    await vi.waitFor(async () => expect(await rowsOf(requestId)).toEqual([{ number: to, status: 2 }]), PATIENCE);
  });

  it('is not listened to while it asks without reading answers', async () => {
    await addRoute('deaf');
    await vi.waitUntil(() => carrier.say('deaf', Buffer.alloc(0)) > 0, PATIENCE);
    const enquiries = Buffer.concat(
      Array.from({ length: 4_000 }, () => headerOnly(Command.EnquireLink, 0, 0x30000002)),
    );
    carrier.hold('deaf');
    // Far more than both kernels keep.
    for (let count = 0; count < 500; count++) carrier.say('deaf', enquiries);
    await vi.waitUntil(() => carrier.say('deaf', Buffer.alloc(0)) === 0, PATIENCE);
    await vi.waitUntil(() => carrier.say('deaf', Buffer.alloc(0)) > 0, PATIENCE);
  });

  it('is obeyed when a person says STOP in the middle of it', async () => {
    const owner = await campaigns.join();
    await addRoute('people');
    const to = '919333300001';
    manners.set(to, SANE);
    const requestId = await campaigns.send(owner, [to], { brodcast_service: 'people' });
    await vi.waitFor(async () => expect(await rowsOf(requestId)).toEqual([{ number: to, status: 2 }]), PATIENCE);
    const text = (source: string): Buffer =>
      encodePdu('deliver_sm', 0x30000001, {
        source_addr: source,
        destination_addr: 'x',
        esm_class: 0,
        short_message: Buffer.from('STOP'),
      });
    for (const source of ['', '7'.repeat(60_000), '\0', 'ACME', '7'.repeat(150), to, '0'.repeat(33)])
      carrier.say('people', text(source));
    await vi.waitFor(
      async () =>
        expect(listOf(await campaigns.get('/v6/api/suppressions', owner)).map(({ number }) => number)).toEqual([to]),
      PATIENCE,
    );
  });
});
