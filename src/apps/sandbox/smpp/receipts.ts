import { Command, encodePdu, HEADER_LENGTH, writeHeader } from '../../../platform/smpp/index.js';
import { DueQueue, type LedgerEntry } from '../carrier-ledger.js';
import type { Faults, FaultSettings } from '../faults.js';

export interface DueReceipt {
  /** time of `performance.now()`; 0 = immediately */
  dueAt: number;
  id: string;
  delivered: boolean;
  /** DLT error code; null = not refused */
  refusal: number | null;
  entry: LedgerEntry;
}

export interface HandsetText {
  from: string;
  to: string;
  text: string;
}

/** A bound session that accepts receipts. */
export interface ReceiptTaker {
  readonly room: number;
  deliver(receipt: DueReceipt): void;
  deliverText(text: HandsetText): void;
}

const TICK_MS = 10;
const REPEAT_MS = 500;

/** Receipts of one system_id, kept until a session acknowledges them: another worker gets them if one dies. */
export class ReceiptOutbox {
  private readonly takers = new Set<ReceiptTaker>();
  private readonly urgent = new DueQueue<DueReceipt>();
  private readonly timed = new DueQueue<DueReceipt>();
  private readonly repeats = new Set<NodeJS.Timeout>();
  private readonly timer = setInterval(() => this.flush(), TICK_MS);
  private flushing = false;

  constructor(private readonly faults: Faults) {}

  join(taker: ReceiptTaker): void {
    this.takers.add(taker);
  }

  // Unanswered receipts of the session go to another one.
  leave(taker: ReceiptTaker, unanswered: Iterable<DueReceipt>): void {
    this.takers.delete(taker);
    for (const receipt of unanswered) this.urgent.push(receipt);
  }

  add(receipt: DueReceipt): void {
    (receipt.dueAt === 0 ? this.urgent : this.timed).push(receipt);
  }

  deliverText(text: HandsetText): boolean {
    const [taker] = this.takers;
    taker?.deliverText(text);
    return taker !== undefined;
  }

  acknowledged(): void {
    if (this.flushing || this.urgent.length + this.timed.length === 0) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  repeat(receipt: DueReceipt): void {
    const timer = setTimeout(() => {
      this.repeats.delete(timer);
      this.urgent.push(receipt);
    }, REPEAT_MS);
    this.repeats.add(timer);
  }

  clear(): void {
    this.urgent.clear();
    this.timed.clear();
    for (const timer of this.repeats) clearTimeout(timer);
    this.repeats.clear();
  }

  stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  // Sends due receipts over the sessions with room, in rotation.
  flush(): void {
    if (this.takers.size === 0 || this.faults.current.holdReceipts) return;
    const now = performance.now();
    let takers = [...this.takers].filter((taker) => taker.room > 0);
    for (let index = 0; takers.length > 0; index++) {
      const taker = takers[index % takers.length] as ReceiptTaker;
      const receipt = this.urgent.take(now) ?? this.timed.take(now);
      if (!receipt) return;
      receipt.entry.status = receipt.delivered ? 'DELIVERED' : 'FAILED';
      taker.deliver(receipt);
      if (taker.room <= 0) takers = takers.filter((other) => other.room > 0);
    }
  }
}

export interface ReceiptFacts {
  id: string;
  to: string;
  from: string;
  delivered: boolean;
  refusal?: number | null;
  at: number;
}

const RECEIPT_CLASS = 0x04;
const MANDATORY_TAIL = 10;
const RECEIPTED_MESSAGE_ID = 0x001e;
const MESSAGE_STATE = 0x0427;
const NETWORK_ERROR_CODE = 0x0423;
const DELIVERED = 2;
const UNDELIVERABLE = 5;
const REJECTED = 8;
const UNKNOWN_SUBSCRIBER = 1;

function shortTime(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/[^0-9]/g, '')
    .slice(2, 12);
}

function endOf({ delivered, refusal }: ReceiptFacts): { word: string; state: number; code: number } {
  if (delivered) return { word: 'DELIVRD', state: DELIVERED, code: 0 };
  if (refusal == null) return { word: 'UNDELIV', state: UNDELIVERABLE, code: UNKNOWN_SUBSCRIBER };
  return { word: 'REJECTD', state: REJECTED, code: refusal };
}

function receiptText(facts: ReceiptFacts, separator: string): string {
  const { id, delivered, at } = facts;
  const { word, code } = endOf(facts);
  const time = shortTime(at);
  const fields = [
    `id:${id}`,
    'sub:001',
    `dlvrd:${delivered ? '001' : '000'}`,
    `submit date:${time}`,
    `done date:${time}`,
  ];
  fields.push(`stat:${word}`, `err:${String(code).padStart(3, '0')}`, 'text:');
  return fields.join(separator);
}

/** A deliver_sm with a receipt, encoded by hand for speed: the sandbox must not limit a measurement. */
export function receiptPdu(
  facts: ReceiptFacts,
  form: FaultSettings['receiptForm'],
  sequence: number,
  separator = ' ',
): Buffer {
  const text = form === 'tlv' ? '' : receiptText(facts, separator);
  const { id, to, from } = facts;
  const options = form === 'text' ? 0 : 4 + id.length + 1 + 5 + (facts.delivered ? 0 : 7);
  const length = HEADER_LENGTH + 3 + to.length + 1 + 2 + from.length + 1 + MANDATORY_TAIL + text.length + options;
  const bytes = Buffer.alloc(length);
  writeHeader(bytes, 0, length, Command.DeliverSm, 0, sequence);
  let at = HEADER_LENGTH + 1;
  bytes[at++] = 1;
  bytes[at++] = 1;
  at += bytes.write(to, at, 'latin1') + 1 + 2;
  at += bytes.write(from, at, 'latin1') + 1;
  bytes[at] = RECEIPT_CLASS;
  at += MANDATORY_TAIL - 1;
  bytes[at++] = text.length;
  at += bytes.write(text, at, 'latin1');
  if (form === 'text') return bytes;
  at = bytes.writeUInt16BE(RECEIPTED_MESSAGE_ID, at);
  at = bytes.writeUInt16BE(id.length + 1, at);
  at += bytes.write(id, at, 'latin1') + 1;
  at = bytes.writeUInt16BE(MESSAGE_STATE, at);
  at = bytes.writeUInt16BE(1, at);
  bytes[at++] = endOf(facts).state;
  if (!facts.delivered) {
    at = bytes.writeUInt16BE(NETWORK_ERROR_CODE, at);
    at = bytes.writeUInt16BE(3, at);
    bytes[at] = 3;
    bytes.writeUInt16BE(endOf(facts).code, at + 1);
  }
  return bytes;
}

/** The receipt as a data_sm, which carries its text as a TLV. */
export function dataReceiptPdu(
  facts: ReceiptFacts,
  form: FaultSettings['receiptForm'],
  sequence: number,
  separator: string,
): Buffer {
  const { id, to, from } = facts;
  return encodePdu('data_sm', sequence, {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: to,
    destination_addr: from,
    esm_class: RECEIPT_CLASS,
    ...(form !== 'tlv' && { message_payload: Buffer.from(receiptText(facts, separator), 'latin1') }),
    ...(form !== 'text' && { receipted_message_id: id, message_state: endOf(facts).state }),
  });
}

/** An alert_notification: the handset is reachable again. */
export const alertPdu = ({ to, from }: ReceiptFacts, sequence: number): Buffer =>
  encodePdu('alert_notification', sequence, { source_addr: to, esme_addr: from });
