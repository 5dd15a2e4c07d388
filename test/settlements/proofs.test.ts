import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type RecipientProof,
  verifyBundle,
  verifyChain,
  verifyProof,
  verifySettlement,
} from '../../packages/verify/src/index.js';
import { RecipientStatus } from '../../src/modules/engine/index.js';
import { SettlementErasure } from '../../src/modules/settlements/index.js';
import { newId } from '../../src/kernel/ids.js';
import type { Member } from '../support/sms.js';
import { linesIn, numbers, openSettlements, type Settlements } from './support.js';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url).pathname;

describe('the verifier', () => {
  let settlements: Settlements;
  let owner: Member;

  beforeAll(async () => {
    settlements = await openSettlements();
    owner = await settlements.join({ gsm_credits: 10_000 });
  });
  afterAll(() => settlements.stop());

  it('finds each flipped bit of a bundle', async () => {
    const requestId = await settlements.done(owner, numbers(5), [2]);
    await settlements.settleDue();
    const bytes = Buffer.from(await settlements.bundle(owner, requestId));
    for (let at = 0; at < bytes.length - 1; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      const verdict = await verifyBundle(linesIn(flipped.toString()));
      expect(verdict, `byte ${at}: ${flipped.subarray(Math.max(0, at - 10), at + 10).toString()}`).toMatchObject({
        ok: false,
      });
    }
  });

  it('says in one sentence what is wrong with a bundle', async () => {
    const requestId = await settlements.done(owner, numbers(4), [4]);
    await settlements.settleDue();
    const lines = (await settlements.bundle(owner, requestId)).trimEnd().split('\n');
    const problem = async (changed: string[]): Promise<string> => {
      const verdict = await verifyBundle(linesIn(changed.join('\n')));
      return verdict.ok ? 'none' : verdict.problem;
    };
    const at = (index: number, text: string): string[] => lines.map((line, place) => (place === index ? text : line));
    const price = lines[3]?.replace(/,1,1,0,/, ',1,2,0,') ?? '';
    expect(await problem(lines)).toBe('none');
    expect(await problem(at(3, price))).toMatch(/^The recipients are not those that were signed/);
    expect(await problem(at(1, lines[1]?.replace('-4', '-5') ?? ''))).toMatch(/^The ledger entries are not those/);
    const [header = '', debit = '', refund = '', ...recipients] = lines;
    expect(await problem([header, refund, debit, ...recipients])).toMatch(/^The ledger entries are not those/);
    expect(await problem([header, debit, refund, ...recipients.toReversed()])).toMatch(/^Recipient 1 is missing/);
    expect(await problem(lines.slice(0, -1))).toBe('The bundle ends before its last recipient.');
    expect(await problem([...lines, lines.at(-1) ?? ''])).toMatch(/^The bundle goes on/);
    expect(await problem(at(0, header.replace('"net":3', '"net":4')))).toBe('The digest is not that of the statement.');
    expect(await problem(['', ...lines])).toBe('The file is no bundle.');
  });

  it('finds whatever is changed in a proof', async () => {
    const requestId = await settlements.done(owner, numbers(6));
    await settlements.settleDue();
    const proof = await settlements.proof(owner, requestId, 4);
    const wrong = async (change: (copy: RecipientProof) => void): Promise<unknown> => {
      const copy = structuredClone(proof);
      change(copy);
      return verifyProof(copy);
    };
    expect(await verifyProof(proof)).toMatchObject({ ok: true });
    expect(await wrong((copy) => (copy.recipient.receiver = '919800000009'))).toEqual({
      ok: false,
      problem: 'The signed recipient is not 919800000009.',
    });
    for (const change of [
      (copy: RecipientProof) => (copy.recipient.status = 'failed'),
      (copy: RecipientProof) => (copy.recipient.price = 0),
      (copy: RecipientProof) => (copy.recipient.final_at = copy.recipient.accepted_at),
      (copy: RecipientProof) => (copy.index = 2),
      (copy: RecipientProof) => copy.path.pop(),
      (copy: RecipientProof) => copy.path.reverse(),
      (copy: RecipientProof) => copy.path.push(copy.path[0] ?? ''),
      (copy: RecipientProof) => (copy.statement.root = copy.digest),
      (copy: RecipientProof) => (copy.salt = 'AAAAAAAAAAAAAAAAAAAAAA'),
    ]) {
      expect(await wrong(change), change.toString()).toMatchObject({ ok: false });
    }
  });

  it('refuses a settlement that another key signed, and one of another house', async () => {
    const requestId = await settlements.done(owner, numbers(1));
    await settlements.settleDue();
    const settlement = await settlements.settlement(owner, requestId);
    expect(await verifySettlement(settlement, { keys: [] })).toMatchObject({
      problem: `The house has not published the key ${settlement.statement.key}, which signed the settlement.`,
    });
    const other = { ...settlement.statement, number: 99 };
    expect(await verifySettlement({ ...settlement, statement: other })).toMatchObject({ ok: false });
  });

  it('tells where the chain forked after the house was restored from a copy', async () => {
    const member = await settlements.join({ gsm_credits: 10 });
    const issue = async () => {
      const requestId = await settlements.done(member, numbers(1));
      await settlements.settleDue();
      return settlements.settlement(member, requestId);
    };
    const first = await issue();
    const lost = await issue();
    // the copy has neither the second settlement nor its end of the chain
    await settlements.dataSource.query('DELETE FROM settlements WHERE digest = ?', [Buffer.from(lost.digest, 'hex')]);
    await settlements.dataSource.query('UPDATE settlement_chains SET number = 1, digest = ? WHERE account_id = ?', [
      Buffer.from(first.digest, 'hex'),
      member.account.id,
    ]);
    await settlements.dataSource.query('INSERT INTO restores (id, restored_at) VALUES (?, UTC_TIMESTAMP(3))', [
      newId(),
    ]);
    const again = await issue();
    const next = await issue();
    expect(again.statement.restored_at).not.toBeNull();
    expect(next.statement.restored_at).toBeNull();
    expect(await verifyChain([first, again, next])).toEqual({ ok: true, statement: null });
    expect(await verifyChain([first, lost, again])).toEqual({
      ok: false,
      problem: `The chain forks: there are two settlements with the number 2, since the house was restored from a copy at ${String(again.statement.restored_at)}.`,
    });
  });

  it('still finds a settlement good after a person of it was erased, whom nothing proves any more', async () => {
    const requestId = await settlements.done(owner, numbers(4));
    await settlements.settleDue();
    const id = await settlements.idOf(requestId);
    const before = await settlements.bundle(owner, requestId);
    const erasure = settlements.part(SettlementErasure);
    await erasure.forget(id, [2]);
    await settlements.dataSource.query(
      "UPDATE campaign_recipients SET receiver = '' WHERE campaign_id = ? AND seq = 2",
      [id],
    );
    await erasure.forget(id, [2, 4]);
    expect(await settlements.bundle(owner, requestId)).toBe(before);
    expect(await verifyBundle(linesIn(before))).toMatchObject({ ok: true });
    expect((await settlements.answer(owner, `campaigns/${requestId}/contacts/2/proof`)).body).toMatchObject({
      statusCode: 409,
      message: 'Recipient is erased',
    });
    expect(await verifyProof(await settlements.proof(owner, requestId, 3))).toMatchObject({ ok: true });
    const [page] = await settlements.dataSource.query<{ salts: Buffer }[]>(
      'SELECT salts FROM settlement_pages WHERE campaign_id = ?',
      [id],
    );
    expect(page?.salts.subarray(16, 32).equals(Buffer.alloc(16))).toBe(true);
  });

  it('finds every campaign good, whatever became of its recipients', async () => {
    const { Delivered, Failed, Submitted, Unknown } = RecipientStatus;
    const fate = fc.constantFrom('delivered', 'failed', 'refunded', 'unknown, delivered', 'cancelled');
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 12 }), async (fates) => {
        const requestId = await settlements.send(owner, numbers(fates.length));
        const those = (name: string): number[] => fates.flatMap((one, at) => (one === name ? [at + 1] : []));
        await settlements.begin(requestId);
        await settlements.settle(requestId, those('failed'), Failed, 'Absent');
        await settlements.settle(requestId, those('refunded'), Failed, 'No route', true);
        await settlements.settle(requestId, those('unknown, delivered'), Unknown);
        await settlements.settle(requestId, those('unknown, delivered'), Delivered);
        await settlements.settle(requestId, those('delivered'), Submitted);
        await settlements.settle(requestId, those('cancelled'), RecipientStatus.Cancelled, null, true);
        await settlements.settle(requestId, those('delivered'), Delivered);
        await settlements.settleDue();
        const verdict = await verifyBundle(linesIn(await settlements.bundle(owner, requestId)));
        const refunded = those('refunded').length + those('cancelled').length;
        expect(verdict).toMatchObject({ ok: true, statement: { totals: { charged: fates.length, refunded } } });
      }),
      { numRuns: 15 },
    );
  });

  it('runs as a program', async () => {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'packages/verify')]);
    const requestId = await settlements.done(owner, numbers(2));
    await settlements.settleDue();
    const directory = mkdtempSync(join(tmpdir(), 'verify-'));
    const cli = join(ROOT, 'packages/verify/dist/cli.js');
    const said = async (name: string, text: string, ...more: string[]): Promise<string> => {
      writeFileSync(join(directory, name), text);
      const ended = run(process.execPath, [cli, join(directory, name), ...more]);
      return (await ended.catch((error: unknown) => error as { stdout: string })).stdout;
    };
    try {
      const bundle = await settlements.bundle(owner, requestId);
      const keys = `${settlements.url}/.well-known/switchboard-settlement-keys`;
      expect(await said('good', bundle, '--keys', keys)).toMatch(
        /^Good: settlement \d+ of .*, 2 recipients, 2 credits\.\n$/,
      );
      expect(await said('bad', bundle.replace('delivered', 'deliverer'))).toMatch(/^Wrong: /);
      const list = await settlements.answer(owner, 'settlements?limit=1000');
      expect(await said('list', JSON.stringify(list.body))).toMatch(/^Good: the settlements follow each other\./);
      const proof = await settlements.proof(owner, requestId, 1);
      expect(await said('proof', JSON.stringify({ data: proof }))).toMatch(/^Good: /);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
