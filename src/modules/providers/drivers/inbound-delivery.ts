import { hash } from 'node:crypto';
import { z } from 'zod';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { isCountry } from '../../numbers/index.js';
import type { InboundDelivery } from '../message-driver.js';

/** `country` of a route: numbers of senders without a country code are read as dialled there. */
export const countryOfSenders = z
  .string()
  .refine(isCountry, 'must be a country code of ISO 3166 in capital letters, such as "IN"')
  .optional();

/** Carriers repeat what was not answered, or over a session that broke. */
const REPEATABLE_MS = 10 * 60_000;
/** A gateway's id names one text for good; gateways repeat for days. */
export const ID_REPEATABLE_MS = 3 * 86_400_000;

const fingerprintOf = (parts: unknown): string => hash('sha256', JSON.stringify(parts), 'base64url');

/** @param common what a repetition has in common with the first delivery, of one login or gateway */
export const deliveryOf = (
  common: readonly unknown[],
  sequence: number | null,
  repeatableMs = REPEATABLE_MS,
): InboundDelivery => ({ fingerprint: fingerprintOf(common), sequence, repeatableMs, isAnother: false });

export const ofRoute = (routeId: number, fingerprint: string): string => fingerprintOf([routeId, fingerprint]);

/** A later answer may have come after the carrier's own time limit: it repeats such a text. */
const PROMPT_MS = 5_000;
/** What the carrier sends this long after an answer shows that the connection still carries both ways. */
export const ANSWER_ARRIVES_MS = 1_000;
const REMEMBERED = 10_000;
const NONE = -1;

/** The texts that one session, or the callbacks of this process, answered in time. */
export class AnsweredTexts {
  private readonly sequences = boundedCache<string, number>(REMEMBERED);
  private answered: { fingerprint: string; at: number }[] = [];

  /** Marks a delivery as another text when an equal one was answered. */
  mark(delivery: InboundDelivery): void {
    const { fingerprint, sequence } = delivery;
    const known = this.sequences.get(fingerprint);
    delivery.isAnother = known !== undefined && (known !== sequence || known === NONE);
  }

  /** @param takenAt `performance.now()` when it came */
  add({ fingerprint, sequence }: InboundDelivery, takenAt: number): void {
    const at = performance.now();
    if (at - takenAt > PROMPT_MS) return;
    this.sequences.set(fingerprint, sequence ?? NONE);
    this.answered.push({ fingerprint, at });
  }

  /** Takes the texts whose answers have arrived. @param heardAt `performance.now()` when the carrier was last heard */
  acknowledged(heardAt: number): string[] {
    const count = this.answered.findIndex(({ at }) => heardAt - at < ANSWER_ARRIVES_MS);
    const taken = this.answered.splice(0, count < 0 ? this.answered.length : count);
    return taken.map(({ fingerprint }) => fingerprint);
  }
}
