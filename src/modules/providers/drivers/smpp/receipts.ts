import { digitsOf } from '../../../../kernel/contacts.js';
import { decodeText, type DeliverSm, type HandsetText, writeIdResponse } from '../../../../platform/smpp/index.js';
import type { InboundSms, InboundText, Receipt } from '../../message-driver.js';
import { type MappedStatus, numericCode, textCode } from '../carrier-answers.js';
import { deliveryOf } from '../inbound-delivery.js';
import { within } from './smpp-socket.js';

/** Bits 5 to 2 of esm_class give a deliver_sm's type; 0 is a message from a handset. */
const MESSAGE_TYPE = 0x3c;

/** Words of carriers in our statuses; `null` = not final. */
const WORDS: Readonly<Record<string, { status: Receipt['status']; text: string | null } | null>> = {
  DELIVRD: { status: 'delivered', text: null },
  DELIVERED: { status: 'delivered', text: null },
  EXPIRED: { status: 'failed', text: 'Expired before delivery' },
  DELETED: { status: 'failed', text: 'Deleted by the carrier' },
  UNDELIV: { status: 'failed', text: 'Undeliverable' },
  UNDELIVERED: { status: 'failed', text: 'Undeliverable' },
  UNDELIVERABLE: { status: 'failed', text: 'Undeliverable' },
  REJECTD: { status: 'failed', text: 'Rejected by the carrier' },
  REJECTED: { status: 'failed', text: 'Rejected by the carrier' },
  FAILED: { status: 'failed', text: 'Failed at the carrier' },
  ACCEPTD: { status: 'submitted', text: null },
  ACCEPTED: { status: 'submitted', text: null },
  ENROUTE: { status: 'submitted', text: null },
  UNKNOWN: null,
};

/** message_state of the TLV form (SMPP 3.4 §5.2.28). */
const STATES: Readonly<Record<number, string>> = {
  1: 'ENROUTE',
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  6: 'ACCEPTD',
  7: 'UNKNOWN',
  8: 'REJECTD',
};

const ID = /(?:^|[\s,;])id:\s*([^\s,;]+)/i;
const STAT = /(?:^|[\s,;])stat:\s*([A-Za-z0-9_-]+)/i;
const ERR = /(?:^|[\s,;])err:\s*([0-9A-Za-z_.-]+)/i;
const UNMARKED = /^\s*id:\s*[^\s,;]+/i;
/** Shorter numbers are short codes, which get no messages. */
const FEWEST_DIGITS = 8;

/** False for messages from handsets, whose text must not be read as a receipt. Kannel's emulator names a receipted id in those. */
export const isReceipt = (message: DeliverSm): boolean =>
  (message.esmClass & MESSAGE_TYPE) !== 0 ||
  (message.receiptedMessageId !== null && (message.text === '' || statusWordOf(message) !== null));

export const mayBeReceipt = (message: DeliverSm): boolean => !isReceipt(message) && UNMARKED.test(message.text);

type StatusWords = ReadonlyMap<string, MappedStatus>;
const NO_WORDS: StatusWords = new Map();

const fieldsOf = ({ text }: DeliverSm): string => {
  const head = text.search(/\btext:/i);
  return head < 0 ? text : text.slice(0, head);
};

export const statusWordOf = (message: DeliverSm): string | null =>
  STAT.exec(fieldsOf(message))?.[1] ?? message.messageState?.toString() ?? null;

/** Reads text, TLVs (which win) or both. @param words `status_map`, in lower case @returns null = no id, or not final */
export function readReceipt(message: DeliverSm, words: StatusWords = NO_WORDS): Receipt | null {
  const fields = fieldsOf(message);
  const id = message.receiptedMessageId ?? ID.exec(fields)?.[1];
  if (id === undefined || id === '') return null;
  const meaning = meaningOf(message, STAT.exec(fields)?.[1], words);
  if (!meaning) return null;
  const receiver = digitsOf(message.sourceAddr);
  const otherAddress = digitsOf(message.destinationAddr);
  return {
    providerMessageId: id,
    status: meaning.status,
    ...(meaning.status === 'failed' ? codesOf(fields, message, meaning.code) : { errorCode: null }),
    errorText: meaning.text,
    receiver: receiver === '' ? null : receiver,
    ...(otherAddress.length >= FEWEST_DIGITS && { otherAddress }),
  };
}

type Meaning = MappedStatus & { text: string | null };

function meaningOf({ messageState: state }: DeliverSm, said: string | undefined, words: StatusWords): Meaning | null {
  const own = words.get(said?.toLowerCase() ?? '') ?? (state === null ? undefined : words.get(String(state)));
  const word = (state === null ? undefined : STATES[state]) ?? said?.toUpperCase();
  const usual = word === undefined ? null : (WORDS[word] ?? null);
  if (!own) return usual && { status: usual.status as MappedStatus['status'], code: null, text: usual.text };
  const text = own.status === 'failed' ? (usual?.status === 'failed' ? usual.text : 'Failed at the carrier') : null;
  return { ...own, text };
}

function codesOf(
  fields: string,
  { networkErrorCode, networkErrorText }: DeliverSm,
  mapped: number | null,
): Pick<Receipt, 'errorCode' | 'carrierCode'> {
  const text = ERR.exec(fields)?.[1];
  const isNumber = text !== undefined && /^[0-9]{1,9}$/.test(text);
  const errorCode = isNumber ? Number(text) : (networkErrorCode ?? numericCode(networkErrorText) ?? mapped);
  return { errorCode, ...textCode(isNumber ? networkErrorText : (text ?? networkErrorText)) };
}

/** A text of a handset as the sink takes it. @param login host and system id: a carrier repeats over any of its sessions */
export function inboundText(
  { host, systemId }: { host: string; systemId: string },
  { sourceAddr, sourceTon, destinationAddr, dataCoding, body, part, language }: HandsetText,
  sequence: number,
): InboundText & { sms: InboundSms } {
  const written = body.toString('hex');
  const common = [host, systemId, sourceTon, sourceAddr, destinationAddr, dataCoding, part, written];
  const sms: InboundSms = {
    ...{ source: sourceAddr, ton: sourceTon, to: destinationAddr },
    ...{ encoding: 'binary', part: part && { ...part, body: written, dataCoding, ...(language && { language }) } },
    delivery: deliveryOf(common, sequence),
  };
  const { text, encoding } = decodeText([{ body, dataCoding, ...(language && { language }) }]);
  return { from: digitsOf(sourceAddr), text, sms: { ...sms, encoding } };
}

export interface Delivery {
  sequence: number;
  answer: number;
}

/** Header and an empty message id of a deliver_sm_resp or data_sm_resp. */
const ANSWER_LENGTH = 17;

export function answersTo(deliveries: readonly Delivery[], status: number): Buffer {
  const bytes = Buffer.allocUnsafe(deliveries.length * ANSWER_LENGTH);
  let at = 0;
  for (const { sequence, answer } of deliveries) at = writeIdResponse(bytes, at, answer, status, sequence, '');
  return bytes;
}

/**
 * Hands over together the receipts of one event-loop iteration; their deliveries get success only after the commit
 * (reference/providers#smpp). Several batches may be under way, because the receipt writer combines them into transactions.
 */
export class ReceiptBatch {
  private receipts: Receipt[] = [];
  private deliveries: Delivery[] = [];
  private committing = 0;
  private idle: (() => void)[] = [];

  constructor(
    private readonly commit: (receipts: Receipt[]) => Promise<void>,
    private readonly answer: (deliveries: readonly Delivery[], committed: boolean) => void,
  ) {}

  get unanswered(): number {
    return this.receipts.length + this.committing;
  }

  add(receipt: Receipt, delivery: Delivery): void {
    if (this.receipts.length === 0) setImmediate(() => void this.handOver());
    this.receipts.push(receipt);
    this.deliveries.push(delivery);
  }

  drained(milliseconds: number): Promise<void> {
    return this.unanswered === 0 ? Promise.resolve() : within(milliseconds, (resolve) => this.idle.push(resolve));
  }

  private async handOver(): Promise<void> {
    const { receipts, deliveries } = this;
    this.receipts = [];
    this.deliveries = [];
    this.committing += receipts.length;
    const committed = await this.commit(receipts).then(
      () => true,
      () => false,
    );
    this.committing -= receipts.length;
    this.answer(deliveries, committed);
    if (this.unanswered === 0) for (const resolve of this.idle.splice(0)) resolve();
  }
}
