import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { MOST_ROW_FAULTS, type RowFault } from '../../../kernel/errors.js';
import { personKey } from '../../../kernel/phone-numbers.js';
import type { SourcedRecipient } from '../../engine/index.js';
import type { HeldRecipients } from '../../recipient-lists/index.js';

/** What a send leaves out instead of being refused, or of sending twice. */
export interface Skipping {
  /** all numbers of a person but the first */
  removeDuplicates: boolean;
  /** rows for which the send would be refused */
  skipInvalid: boolean;
}

export const isSkipping = ({ removeDuplicates, skipInvalid }: Skipping): boolean => removeDuplicates || skipInvalid;

export interface Skip {
  fault: RowFault;
  /** place among the recipients that are read; null = it is not among them */
  at: number | null;
}

export type FaultOf = (recipient: SourcedRecipient) => RowFault | null;

const DUPLICATE = { reason: 'duplicate', message: 'the person is in an earlier row' };
const AT_ONCE_MS = 8;
const BETWEEN_CLOCK_READS = 64;

/** Rows that a send leaves out, in their order, part by part. */
export async function* skipsOf(
  all: HeldRecipients,
  { removeDuplicates, skipInvalid }: Skipping,
  faultOf: FaultOf,
): AsyncGenerator<readonly Skip[], void, undefined> {
  const seen = new Set<string>();
  let skips: Skip[] = [];
  let at = 0;
  let until = performance.now() + AT_ONCE_MS;
  const refuse = skipInvalid ? (fault: RowFault): void => void skips.push({ fault, at: null }) : undefined;
  for await (const some of all.read(refuse)) {
    for (const recipient of some) {
      const fault = skipInvalid ? faultOf(recipient) : null;
      if (fault) skips.push({ fault, at });
      else if (removeDuplicates) {
        const person = personKey(recipient.number);
        if (seen.has(person)) skips.push({ fault: { row: recipient.row, value: recipient.number, ...DUPLICATE }, at });
        else seen.add(person);
      }
      at += 1;
      if (at % BETWEEN_CLOCK_READS !== 0 || performance.now() < until) continue;
      await yieldToOthers();
      until = performance.now() + AT_ONCE_MS;
    }
    if (skips.length > 0) yield skips;
    skips = [];
  }
}

/** Recipients without those that a send leaves out. */
export class SkippedRecipients implements HeldRecipients {
  /** the first hundred that are left out; `count` counts all */
  readonly rows: RowFault[] = [];
  count = 0;
  private isLeftOut = new Uint8Array();
  private leftOut = 0;

  private constructor(
    private readonly all: HeldRecipients,
    private readonly skipping: Skipping,
  ) {}

  /** @param before rows that were left out while they were read, and how many they are */
  static async of(
    all: HeldRecipients,
    skipping: Skipping,
    faultOf: FaultOf,
    before: { rows: readonly RowFault[]; count: number },
  ): Promise<SkippedRecipients> {
    const made = new SkippedRecipients(all, skipping);
    made.rows.push(...before.rows);
    made.count = before.count;
    made.isLeftOut = new Uint8Array(all.total);
    for await (const skips of skipsOf(all, skipping, faultOf)) for (const skip of skips) made.leaveOut(skip);
    return made;
  }

  get total(): number {
    return this.all.total - this.leftOut;
  }

  async *read(): AsyncGenerator<readonly SourcedRecipient[], void, undefined> {
    let at = 0;
    const refuse = this.skipping.skipInvalid ? (): void => undefined : undefined;
    for await (const some of this.all.read(refuse)) {
      const first = at;
      at += some.length;
      const kept = some.filter((_, index) => this.isLeftOut[first + index] !== 1);
      if (kept.length > 0) yield kept;
    }
  }

  freeze(tx: EntityManager): Promise<void> {
    return this.all.freeze(tx);
  }

  private leaveOut({ at, fault }: Skip): void {
    this.count += 1;
    this.leftOut += 1;
    if (at !== null) this.isLeftOut[at] = 1;
    if (this.rows.length < MOST_ROW_FAULTS) this.rows.push(fault);
  }
}
