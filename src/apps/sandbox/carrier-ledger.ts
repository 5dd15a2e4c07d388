import { Injectable } from '@nestjs/common';
import Denque from 'denque';
import { newId } from '../../kernel/ids.js';
import type { CallRecord } from './voice/calls.js';

/** `ACCEPTED` = no receipt yet; `READ` only on the chat channel. */
export type LedgerStatus = 'ACCEPTED' | 'DELIVERED' | 'READ' | 'FAILED';

/** One message at the carrier; all its parts are one entry. */
export interface LedgerEntry {
  id: string;
  protocol: 'smpp' | 'http' | 'chat' | 'voice';
  /** system_id (SMPP), 'gateway' (HTTP), phone number id (chat) or account SID (voice) */
  account: string;
  from: string;
  to: string;
  text: string;
  mediaUrl: string | null;
  validity?: string;
  tlvs?: { tag: string; hex: string; text: string | null }[];
  parts: number;
  ref: string | null;
  request?: Record<string, unknown>;
  call?: CallRecord;
  status: LedgerStatus;
  at: number;
}

export interface Refusals extends Record<string, number> {
  throttled: number;
  errors: number;
}

/** The carriers' ledger: tests compare the service's reports with it. */
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

  slice(offset: number, limit: number, to: string | null = null): LedgerEntry[] {
    const entries = to === null ? this.entries : this.entries.filter((entry) => entry.to === to);
    return entries.slice(offset, offset + limit);
  }

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

/** Ascending message ids, higher than those of any earlier run. */
export class MessageIds {
  private last = newId();

  next(): number {
    return ++this.last;
  }
}

/** A message id as the chat provider writes it: base64 with padding, case-sensitive. */
export const messageId = (phone: string, serial: number): string =>
  `wamid.${Buffer.from(`\x1d\x18${phone}\x15\x02\0${serial.toString(36)}`, 'latin1').toString('base64')}`;

/** A FIFO queue that returns only due items. */
export class DueQueue<Item extends { dueAt: number }> {
  private readonly items = new Denque<Item>();

  get length(): number {
    return this.items.length;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  // `now` is a time of `performance.now()`
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
