import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { canonical, spellings } from '../../src/modules/engine/settle/message-ids.js';
import { type OpenSandbox, openSandbox } from './open-sandbox.js';
import { type BoundRoute, openRoute, TEXTS } from './smpp-route.js';

const PATIENCE = { timeout: 60_000 };

const accepted = (outcome: { kind: string; providerMessageIds?: string[] }): string[] => {
  expect(outcome.kind).toBe('accepted');
  return outcome.providerMessageIds ?? [];
};

/** The driver against the sandbox carrier: fates, faults, receipts. */
describe('SMPP driver and sandbox', () => {
  let sandbox: OpenSandbox;
  let route: BoundRoute;

  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  beforeEach(async () => {
    await sandbox.clear();
    route = openRoute(sandbox.smppPort, { submit_timeout_ms: 400, enquire_link_ms: 150 });
    await route.bound();
  });
  afterEach(async () => route.connection.close());
  afterAll(async () => sandbox.stop());

  /** As the engine looks messages up: by the id as it is, or by what it may mean. */
  const receiptOf = (id: string | undefined) =>
    vi.waitUntil(
      () =>
        route.receipts.find(({ providerMessageId: said }) => {
          return said === id || (id !== undefined && spellings(said).includes(canonical(id)));
        }),
      { timeout: 60_000 },
    );

  it.each(TEXTS)('text stands identical in the ledger: %s', async (_name, text, parts) => {
    expect(accepted(await route.send('4915112345678', text))).toHaveLength(parts);
    expect((await sandbox.ledger()).messages).toMatchObject([{ to: '4915112345678', from: 'Switchbrd', text, parts }]);
  });

  it('brings the receipt of each part', async () => {
    const ids = accepted(await route.send('4915100000001', 'x'.repeat(400)));
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(await receiptOf(id)).toMatchObject({ status: 'delivered', receiver: '4915100000001' });
  });

  it('brings what handsets write, and answers once it is taken', async () => {
    const write = (text: string) =>
      fetch(`${sandbox.url}/smpp/inbound`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ system_id: 'tester', from: '+4915100000009', to: '4477', text }),
      });
    expect((await write('Stop, bitte ✋')).status).toBe(200);
    await vi.waitUntil(() => route.inbound.texts.length > 0, PATIENCE);
    expect(route.inbound.texts).toMatchObject([
      { from: '4915100000009', text: 'Stop, bitte ✋', sms: { to: '4477', encoding: 'ucs2', part: null } },
    ]);
    expect(route.receipts).toEqual([]);
    route.inbound.run = () => Promise.reject(new Error('not now'));
    await write('STOP');
    expect(accepted(await route.send('4915100000001', 'still bound'))).toHaveLength(1);
  });

  it('knows every fate', async () => {
    const [unreachable] = accepted(await route.send('4915100000404', 'hi'));
    expect(await receiptOf(unreachable)).toMatchObject({ status: 'failed', errorCode: 1, errorText: 'Undeliverable' });
    expect(await route.send('4915100000603', 'hi')).toEqual({
      kind: 'rejected',
      code: 0x45,
      text: 'Submission failed',
      submitted: true,
    });
    expect(await route.send('4915100000429', 'hi')).toMatchObject({ kind: 'retry', code: 0x58, throttled: true });
    const [second] = accepted(await route.send('4915100000429', 'hi'));
    expect(await route.send('4915100000500', 'hi')).toMatchObject({ kind: 'retry', code: 0x08, throttled: false });
    accepted(await route.send('4915100000500', 'hi'));
    const [silent] = accepted(await route.send('4915100000408', 'hi'));
    expect(await receiptOf(second)).toMatchObject({ status: 'delivered' });
    expect(route.receipts.some((receipt) => receipt.providerMessageId === silent)).toBe(false);
    // the silent one stays; the receipt of the one before may still be on its way
    const counts = { throttled: 1, errors: 1, FAILED: 2, ACCEPTED: 1 };
    await vi.waitFor(async () => expect((await sandbox.ledger()).counts).toMatchObject(counts), PATIENCE);
  });

  it('retries the whole of a long message that was throttled, and doubles nothing', async () => {
    expect(await route.send('4915100000429', 'y'.repeat(400))).toMatchObject({ kind: 'retry', throttled: true });
    accepted(await route.send('4915100000429', 'y'.repeat(400)));
    expect((await sandbox.ledger()).messages).toMatchObject([{ text: 'y'.repeat(400), parts: 3 }]);
  });

  it('takes 20 digits and no more', async () => {
    accepted(await route.send('12345678901234567890', 'hi'));
    expect(await route.send('123456789012345678901', 'hi')).toEqual({
      kind: 'rejected',
      code: null,
      text: 'Number too long for the carrier',
      submitted: false,
    });
    expect((await sandbox.ledger()).total).toBe(1);
  });

  it('writes nothing after the lease has passed', async () => {
    const late = await route.send('4915100000001', 'hi', { notAfter: performance.now() - 1 });
    expect(late).toMatchObject({ kind: 'unsent', afterMs: 0 });
    expect((await sandbox.ledger()).total).toBe(0);
  });

  it('calls a submit without an answer unknown', async () => {
    await sandbox.faults({ stopAnswering: true });
    expect(await route.send('4915100000001', 'hi')).toEqual({ kind: 'unknown' });
    expect(route.connection.ready).toBe(true);
    expect((await sandbox.ledger()).total).toBe(1);
  });

  it('holds the window, and what was not written when the line dropped is certain not to have left', async () => {
    const narrow = openRoute(sandbox.smppPort, { window: 10, submit_timeout_ms: 5_000 });
    await narrow.bound();
    await sandbox.faults({ stopAnswering: true });
    const sends = Array.from({ length: 50 }, (_, index) => narrow.send(`49151000010${index + 10}`, 'hi'));
    await vi.waitUntil(async () => (await sandbox.ledger()).total >= 10, PATIENCE);
    await sandbox.faults({ stopAnswering: false, dropConnections: true });
    const outcomes = await Promise.all(sends);
    expect(outcomes.filter((outcome) => outcome.kind === 'unknown')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome.kind === 'unsent' && outcome.afterMs === 0)).toHaveLength(40);
    expect((await sandbox.ledger()).total).toBe(10);
    await narrow.connection.close();
  });

  it('reconnects after a drop', async () => {
    await sandbox.faults({ dropConnections: true });
    await vi.waitUntil(() => !route.connection.ready, PATIENCE);
    expect(await route.send('4915100000001', 'hi')).toMatchObject({ kind: 'unsent' });
    await vi.waitUntil(() => route.connection.ready, { timeout: 60_000 });
    accepted(await route.send('4915100000001', 'hi'));
  });

  it('accepts receipts that come before the answer, and ids in hexadecimal', async () => {
    await sandbox.faults({ receiptsFirst: true, answerDelayMs: 100, hexIds: true });
    const [id] = accepted(await route.send('4915100000001', 'hi'));
    expect(id).toMatch(/^[0-9A-F]+$/);
    expect(route.receipts).toHaveLength(1);
    expect(await receiptOf(id)).toMatchObject({ status: 'delivered' });
  });

  it.each(['text', 'tlv', 'both'])('reads receipts in the form: %s', async (receiptForm) => {
    await sandbox.faults({ receiptForm, receiptDelayMs: 0 });
    const [id] = accepted(await route.send('4915100000001', 'hi'));
    expect(await receiptOf(id)).toMatchObject({ status: 'delivered' });
  });

  it.each(['padded hex', 'padded', 'stripped', '0x', 'uuid'])(
    'finds the message by its id in the dialect: %s',
    async (idDialect) => {
      await sandbox.faults({ idDialect });
      const [id] = accepted(await route.send('4915100000001', 'hi'));
      const receipt = await receiptOf(id);
      expect(receipt).toMatchObject({ status: 'delivered', receiver: '4915100000001' });
      expect(receipt.providerMessageId).not.toBe(id);
    },
  );

  it.each(['text', 'tlv', 'both'])('takes receipts in data_sm, with alerts between them: %s', async (receiptForm) => {
    await sandbox.faults({ receiptCommand: 'data_sm', receiptSeparator: ',', alerts: true, receiptForm });
    const [good] = accepted(await route.send('4915100000001', 'hi'));
    const [bad] = accepted(await route.send('4915100000404', 'hi'));
    expect(await receiptOf(good)).toMatchObject({ status: 'delivered', receiver: '4915100000001' });
    expect(await receiptOf(bad)).toMatchObject({ status: 'failed' });
    // Each was acknowledged, so none comes again over the next session.
    await route.connection.close();
    route = openRoute(sandbox.smppPort, { submit_timeout_ms: 400 });
    await route.bound();
    const [last] = accepted(await route.send('4915100000002', 'hi'));
    await receiptOf(last);
    expect(route.receipts).toHaveLength(1);
  });

  it('acknowledges receipts after their commit only: a failed commit brings them again', async () => {
    let failures = 0;
    route.commit.run = () => (++failures === 1 ? Promise.reject(new Error('database is away')) : Promise.resolve());
    const [id] = accepted(await route.send('4915100000001', 'hi'));
    expect(await receiptOf(id)).toMatchObject({ status: 'delivered' });
    expect(failures).toBe(2);
  });

  it('leaves receipts of a closed session to another one', async () => {
    const other = openRoute(sandbox.smppPort);
    await sandbox.faults({ holdReceipts: true });
    const [id] = accepted(await route.send('4915100000001', 'hi'));
    await route.connection.close();
    await other.bound();
    await sandbox.faults({ holdReceipts: false });
    await vi.waitUntil(() => other.receipts.some((receipt) => receipt.providerMessageId === id), { timeout: 60_000 });
    await other.connection.close();
  });

  it('waits for answers under way when it closes', async () => {
    await sandbox.faults({ answerDelayMs: 200 });
    const sends = Array.from({ length: 20 }, (_, index) => route.send(`49151000020${index + 10}`, 'hi'));
    await vi.waitUntil(async () => (await sandbox.ledger()).total === 20, PATIENCE);
    await route.connection.close();
    expect((await Promise.all(sends)).every((outcome) => outcome.kind === 'accepted')).toBe(true);
  });

  it('backs off while the carrier does nothing but throttle', async () => {
    await sandbox.faults({ throttleAll: true });
    const rests: number[] = [];
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const outcome = await route.send(`4915100${index + 3000}`, 'hi');
        rests.push(route.connection.backoffMs ?? 0);
        return outcome;
      }),
    );
    // The engine puts the route's lanes down for so long, instead of keeping windows waiting.
    expect(Math.max(...rests)).toBeGreaterThan(0);
    expect(outcomes.every((outcome) => outcome.kind === 'retry')).toBe(true);
    expect(outcomes.some((outcome) => outcome.kind === 'retry' && outcome.throttled)).toBe(true);
    await sandbox.faults({ throttleAll: false });
    await vi.waitUntil(async () => (await route.send('4915100003001', 'hi')).kind === 'accepted', { timeout: 60_000 });
  });

  it('sends thousands with none lost and none doubled', async () => {
    const numbers = Array.from({ length: 5_000 }, (_, index) => `49152${String(index).padStart(5, '0')}111`);
    const outcomes = await Promise.all(numbers.map((to) => route.send(to, 'bulk')));
    const ids = outcomes.flatMap(accepted);
    expect(new Set(ids).size).toBe(numbers.length);
    expect((await sandbox.ledger()).messages.map((message) => message.to)).toEqual(numbers);
    await vi.waitUntil(() => route.receipts.length === numbers.length, { timeout: 60_000 });
    expect(new Set(route.receipts.map((receipt) => receipt.providerMessageId))).toEqual(new Set(ids));
  });
});
