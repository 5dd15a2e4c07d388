import { Injectable } from '@nestjs/common';
import Denque from 'denque';
import { newId } from '../../kernel/ids.js';
import type { CallRecord } from './voice/calls.js';

/** `ACCEPTED` = no receipt (yet); `READ` on the chat channel alone. */
export type LedgerStatus = 'ACCEPTED' | 'DELIVERED' | 'READ' | 'FAILED';

/** One message as the carrier has it. A message of several parts is one entry. */
export interface LedgerEntry {
  id: string;
  protocol: 'smpp' | 'http' | 'chat' | 'voice';
  /** who sent it: system_id of the bind; 'gateway' over HTTP; phone number id on the chat channel; account SID of a call */
  account: string;
  from: string;
  to: string;
  text: string;
  mediaUrl: string | null;
  /** SMPP: until when it is to be tried, as it was written */
  validity?: string;
  /** SMPP: optional parameters, in their order; `text` where the bytes are one */
  tlvs?: { tag: string; hex: string; text: string | null }[];
  parts: number;
  /** our client reference, where the protocol carries one */
  ref: string | null;
  /** chat: the request as it came */
  request?: Record<string, unknown>;
  /** voice: what was heard, pressed, forwarded and recorded; DELIVERED = answered */
  call?: CallRecord;
  status: LedgerStatus;
  /** milliseconds since 1970 */
  at: number;
}

/** What was turned away without becoming a message. */
export interface Refusals extends Record<string, number> {
  throttled: number;
  errors: number;
}

/** The carrier's own books: what tests hold the service's reports against. */
@Injectable()
export class CarrierLedger {
  private entries: LedgerEntry[] = [];
  readonly refusals: Refusals = { throttled: 0, errors: 0 };

  add(entry: LedgerEntry): LedgerEntry {
    this.entries.push(entry);
    return entry;
  }

  get size(): number {
    return this.entries.length;
  }

  /** Entries in the order of their arrival. @param to only those of one recipient */
  slice(offset: number, limit: number, to: string | null = null): LedgerEntry[] {
    const entries = to === null ? this.entries : this.entries.filter((entry) => entry.to === to);
    return entries.slice(offset, offset + limit);
  }

  /** How many messages stand at each status, and what was turned away. */
  counts(): Record<LedgerStatus, number> & Refusals {
    const counts = { ACCEPTED: 0, DELIVERED: 0, READ: 0, FAILED: 0, ...this.refusals };
    for (const entry of this.entries) counts[entry.status] += 1;
    return counts;
  }

  clear(): void {
    this.entries = [];
    this.refusals.throttled = 0;
    this.refusals.errors = 0;
  }
}

/** The carrier's message ids: ascending numbers that begin after those of any earlier run. */
export class MessageIds {
  private last = newId();

  next(): number {
    return ++this.last;
  }
}

/** An id in the upstream's form: base64 with padding, case-sensitive. */
export const messageId = (phone: string, serial: number): string =>
  `wamid.${Buffer.from(`\x1d\x18${phone}\x15\x02\0${serial.toString(36)}`, 'latin1').toString('base64')}`;

/** First in, first out; gives out what is due. */
export class DueQueue<Item extends { dueAt: number }> {
  private readonly items = new Denque<Item>();

  get length(): number {
    return this.items.length;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  /** The next one, if it is due. @param now on the clock of `performance.now()` */
  take(now: number): Item | null {
    const item = this.items.peekFront();
    if (!item || item.dueAt > now) return null;
    this.items.shift();
    return item;
  }

  clear(): void {
    this.items.clear();
  }
}
