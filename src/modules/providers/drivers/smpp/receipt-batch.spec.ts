import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '../../ports/message-driver.js';
import { type Delivery, ReceiptBatch } from './receipt-batch.js';

const receipt = (id: number): Receipt => ({
  providerMessageId: String(id),
  status: 'delivered',
  errorCode: null,
  errorText: null,
  receiver: null,
});
const delivery = (sequence: number): Delivery => ({ sequence, answer: 0 });

/** A batch whose commits end when the test says so. */
function batch() {
  const commits: { ids: string[]; resolve: () => void; reject: (error: Error) => void }[] = [];
  const answers: [sequences: number[], committed: boolean][] = [];
  const receipts = new ReceiptBatch(
    (some) =>
      new Promise((resolve, reject) =>
        commits.push({ ids: some.map(({ providerMessageId }) => providerMessageId), resolve, reject }),
      ),
    (deliveries, committed) => answers.push([deliveries.map(({ sequence }) => sequence), committed]),
  );
  const add = (...ids: number[]) => ids.forEach((id) => receipts.add(receipt(id), delivery(id)));
  return { receipts, commits, answers, add };
}

describe('receipts of a session', () => {
  it('are handed over by turns of the event loop, and answered each after its own commit', async () => {
    const { receipts, commits, answers, add } = batch();
    add(1, 2);
    add(3);
    await turn();
    add(4);
    await turn();
    expect(commits.map(({ ids }) => ids)).toEqual([['1', '2', '3'], ['4']]);
    expect(receipts.unanswered).toBe(4);
    commits[1]?.resolve();
    await turn();
    expect(answers).toEqual([[[4], true]]);
    expect(receipts.unanswered).toBe(3);
    commits[0]?.reject(new Error('lost'));
    await turn();
    expect(answers).toEqual([
      [[4], true],
      [[1, 2, 3], false],
    ]);
    expect(receipts.unanswered).toBe(0);
  });

  it('are all answered before a session that closes goes on', async () => {
    const { receipts, commits, answers, add } = batch();
    add(1);
    await turn();
    add(2);
    const drained = receipts.drained(60_000).then(() => answers.length);
    await turn();
    commits[0]?.resolve();
    await turn();
    expect(answers).toHaveLength(1);
    commits[1]?.resolve();
    expect(await drained).toBe(2);
    await receipts.drained(60_000);
  });
});
