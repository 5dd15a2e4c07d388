import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { ReadDatabase } from '../../src/platform/database/index.js';
import { type RunningApi, startApi } from '../support/api.js';
import { Gate } from '../support/gate.js';
import { canReplicate, type ReplicatedDatabase, startReplicated } from '../support/replica.js';
import { type Member, smsOf } from '../support/sms.js';
import { storeCampaign } from '../support/stored-campaign.js';

const LAG_MS = 1_500;

describe.skipIf(!canReplicate)('reads with a replica', () => {
  let pair: ReplicatedDatabase;
  let gate: Gate;
  let api: RunningApi;
  let member: Member;
  let reads: ReadDatabase;
  const heard: string[] = [];

  beforeAll(async () => {
    pair = await startReplicated();
    const replica = new URL(pair.replicaUrl);
    gate = new Gate({ host: replica.hostname, port: Number(replica.port) });
    replica.port = String(await gate.open());
    api = await startApi(
      { DATABASE_READ_URL: replica.href, DATABASE_READ_LAG: LAG_MS, USER_RATE_LIMIT: 0, OPEN_MISS_LIMIT: 0 },
      pair.writer,
    );
    member = await smsOf(api).join();
    reads = api.app.get(ReadDatabase, { strict: false });
    reads.events.on('replica', () => heard.push('replica'));
    reads.events.on('writer', (reason) => heard.push(reason));
  });
  afterAll(async () => {
    await api.stop();
    await gate.close();
    await pair.stop();
  });
  beforeEach(() => {
    heard.length = 0;
  });

  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${member.token}` } });
    return { status: response.status, text: await response.text() };
  };
  const stored = (total = 3): Promise<string> =>
    storeCampaign(pair.writer.dataSource, member, total, [RecipientStatus.Delivered]);
  const report = (id: string) => get(`/webhook/api/getGSMreport.php?request_id=${id}`);
  const isListed = async (id: string): Promise<boolean> => {
    const { status, text } = await get('/v6/api/campaigns?limit=100');
    expect(status).toBe(200);
    return text.includes(id);
  };
  /** The way of the last read. */
  const way = async (): Promise<string | undefined> => {
    heard.length = 0;
    await get('/v6/api/campaigns');
    return heard.at(-1);
  };

  it('are answered by the replica', async () => {
    const id = await stored();
    await expect.poll(() => isListed(id)).toBe(true);
    await expect.poll(way).toBe('replica');
    for (const path of [
      `/webhook/api/getGSMreport.php?request_id=${id}`,
      `/v6/api/campaigns/${id}/export.csv`,
      `/v6/api/campaigns/${id}/contacts`,
      `/v6/api/campaigns/${id}/contacts?status=delivered`,
      '/v6/api/recipients?number=919800000001',
      '/v6/api/account/credits/ledger',
    ]) {
      heard.length = 0;
      const { status, text } = await get(path);
      expect({ path, status, heard: [...new Set(heard)] }).toEqual({ path, status: 200, heard: ['replica'] });
      if (path.includes(id)) expect(text.match(/91980000000\d/g)?.length).toBe(3);
    }
    expect(reads.lagMs).toBeLessThan(LAG_MS);
  });

  it('find what the replica does not have yet: a report, an export and a page of recipients ask the writer', async () => {
    await expect.poll(way).toBe('replica');
    await pair.pause();
    try {
      const id = await stored();
      heard.length = 0;
      const { status, text } = await report(id);
      expect({ status, records: text.match(/91980000000\d/g)?.length }).toEqual({ status: 200, records: 3 });
      expect((await get(`/v6/api/campaigns/${id}/export.csv`)).text.match(/91980000000\d/g)).toHaveLength(3);
      expect((await get(`/v6/api/campaigns/${id}/contacts`)).text.match(/91980000000\d/g)).toHaveLength(3);
      expect(heard.filter((word) => word !== 'replica')).not.toEqual([]);
      expect((await report('none')).status).toBe(404);
      // A list may be behind, by no more than the bound: then the writer is asked.
      await expect.poll(() => isListed(id)).toBe(true);
      expect(await way()).toBe('lag');
    } finally {
      await pair.resume();
    }
    await expect.poll(way).toBe('replica');
  });

  it('go to the writer while the replica is away, and back when it is there', async () => {
    await expect.poll(way).toBe('replica');
    await gate.close();
    const id = await stored();
    expect(await isListed(id)).toBe(true);
    expect((await report(id)).status).toBe(200);
    expect(await way()).toBe('away');
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(metrics).toMatch(/^database_writer_reads_total\{reason="fault"\} [1-9]/m);
    expect(metrics).toMatch(/^database_replica_reads_total [1-9]/m);
    await gate.open();
    await expect.poll(way).toBe('replica');
  });
});
