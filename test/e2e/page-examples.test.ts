import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithExamples, Reader } from '../support/page-examples.js';
import { type Service, startService } from '../support/processes.js';
import { carrierLedger, type CarrierMessage } from '../support/sandbox.js';

/** What the carrier's books have of an SMS beside all channels' columns. */
interface Sent extends CarrierMessage {
  from: string;
  tlvs?: { tag: string; text: string | null }[];
}

/** Every command of every page, typed by one reader a page, against one service. */
describe('what the pages say to type', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(1, { BROADCAST_RATE_LIMIT: '0', LOGIN_FAILURE_LIMIT: '0' });
  });
  afterAll(() => service.stop());

  it.each(pagesWithExamples())('answers what $page shows', async ({ page, examples }) => {
    const reader = new Reader(service);
    try {
      for (const example of examples) expect(await reader.follow(example), `${page}:${example.line}`).toBeNull();
    } finally {
      await reader.close();
    }
  });

  it('sent a text of their own to each in India, under the approved sender', async () => {
    const messages = (await carrierLedger(service)) as Sent[];
    const texts = messages.map(({ to, from, text }) => `${to} ${from}: ${text}`);
    expect(texts).toContain('919800000001 ACMEIN: Dear Asha, your bill of Rs 1500 is due. Acme');
    expect(texts).toContain('919800000002 ACMEIN: Dear customer, your bill of Rs 275 is due. Acme');
    const ids = messages.find(({ to, from }) => to === '919800000001' && from === 'ACMEIN')?.tlvs;
    expect(ids?.map(({ tag, text }) => [tag, text])).toEqual([
      ['0x1400', '1101456789012345678'],
      ['0x1401', '1107161234567890123'],
    ]);
  });
});
