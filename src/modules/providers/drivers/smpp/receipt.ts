import type { DeliverSm } from '../../../../platform/smpp/index.js';
import type { Receipt } from '../../ports/message-driver.js';

/** Bits 5 to 2 of esm_class say what a deliver_sm is; 0 is a message from a handset. */
const MESSAGE_TYPE = 0x3c;

/** What a carrier's final or intermediate word means to us; `null` = wait on. */
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

const ID = /(?:^|\s)id:\s*([^\s]+)/i;
const STAT = /(?:^|\s)stat:\s*([A-Za-z]+)/i;
const ERR = /(?:^|\s)err:\s*([0-9A-Za-z]+)/i;

/** True for receipts; false for messages from handsets, whose text nobody may take for a receipt. */
export const isReceipt = (message: DeliverSm): boolean =>
  (message.esmClass & MESSAGE_TYPE) !== 0 || message.receiptedMessageId !== null;

/**
 * A receipt in our words, from its text form, its TLV form or both (the TLVs win). Its dates are not read: they lie.
 * @returns null when it names no message or says nothing final (UNKNOWN): it is acknowledged, and we wait on
 */
export function readReceipt(message: DeliverSm): Receipt | null {
  const head = /\btext:/i.exec(message.text);
  const fields = head ? message.text.slice(0, head.index) : message.text;
  const id = message.receiptedMessageId ?? ID.exec(fields)?.[1];
  if (id === undefined || id === '') return null;
  const said = STAT.exec(fields)?.[1]?.toUpperCase();
  const word = (message.messageState === null ? undefined : STATES[message.messageState]) ?? said;
  const meaning = word === undefined ? null : (WORDS[word] ?? null);
  if (!meaning) return null;
  const receiver = message.sourceAddr.replace(/[^0-9]/g, '');
  return new SmppReceipt(
    id,
    meaning.status,
    meaning.status === 'failed' ? errorCode(fields, message.networkErrorCode) : null,
    meaning.text,
    receiver === '' ? null : receiver,
  );
}

/** Works its other spellings out only when somebody asks: most receipts are found by the id as it came. */
class SmppReceipt implements Receipt {
  constructor(
    readonly providerMessageId: string,
    readonly status: Receipt['status'],
    readonly errorCode: number | null,
    readonly errorText: string | null,
    readonly receiver: string | null,
  ) {}

  get alternativeIds(): string[] {
    return otherSpellings(this.providerMessageId);
  }

  /** A getter of the class would not be among the fields that JSON keeps. */
  toJSON(): Receipt {
    const { providerMessageId, alternativeIds, status, errorCode, errorText, receiver } = this;
    return { providerMessageId, alternativeIds, status, errorCode, errorText, receiver };
  }
}

function errorCode(fields: string, network: number | null): number | null {
  const text = ERR.exec(fields)?.[1];
  if (text !== undefined && /^[0-9]{1,9}$/.test(text)) return Number(text);
  return network;
}

/** Longest ids that are numbers of 64 bits; longer ones are names (UUIDs …) with one spelling. */
const LONGEST_HEX = 16;
const LONGEST_DECIMAL = 20;

/**
 * Other spellings of a message id: some carriers answer a submit in hexadecimal and send the receipt in decimal, or the
 * other way round, in either case, with or without leading zeros.
 */
export function otherSpellings(id: string): string[] {
  const found = new Set<string>();
  if (/^[0-9]+$/.test(id) && id.length <= LONGEST_DECIMAL) {
    const hex = BigInt(id).toString(16);
    found.add(stripped(id)).add(hex).add(hex.toUpperCase());
    if (hex.length < 8) found.add(hex.padStart(8, '0')).add(hex.toUpperCase().padStart(8, '0'));
  }
  if (/^[0-9a-f]+$/i.test(id) && id.length <= LONGEST_HEX) {
    found.add(BigInt(`0x${id}`).toString());
    for (const hex of [id, stripped(id)]) found.add(hex.toLowerCase()).add(hex.toUpperCase());
  }
  found.delete(id);
  return [...found];
}

const stripped = (digits: string): string => digits.replace(/^0+(?=.)/, '');
