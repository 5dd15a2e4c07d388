import { digitsOf } from '../../../../kernel/phone-number.js';
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

/** Fields stand between spaces, or between commas. */
const ID = /(?:^|[\s,;])id:\s*([^\s,;]+)/i;
const STAT = /(?:^|[\s,;])stat:\s*([A-Za-z]+)/i;
const ERR = /(?:^|[\s,;])err:\s*([0-9A-Za-z]+)/i;
/** Shorter numbers are short codes, to which no message goes. */
const FEWEST_DIGITS = 8;

/** True for receipts; false for messages from handsets, whose text must not be taken for a receipt. */
export const isReceipt = (message: DeliverSm): boolean =>
  (message.esmClass & MESSAGE_TYPE) !== 0 || message.receiptedMessageId !== null;

/**
 * A receipt in our words, from its text form, its TLV form or both (the TLVs win). Its dates are not read: they lie.
 * @returns null when it names no message or says nothing final (UNKNOWN): it is acknowledged, and we wait on
 */
export function readReceipt(message: DeliverSm): Receipt | null {
  const head = message.text.search(/\btext:/i);
  const fields = head < 0 ? message.text : message.text.slice(0, head);
  const id = message.receiptedMessageId ?? ID.exec(fields)?.[1];
  if (id === undefined || id === '') return null;
  const said = STAT.exec(fields)?.[1]?.toUpperCase();
  const word = (message.messageState === null ? undefined : STATES[message.messageState]) ?? said;
  const meaning = word === undefined ? null : (WORDS[word] ?? null);
  if (!meaning) return null;
  const receiver = digitsOf(message.sourceAddr);
  const otherAddress = digitsOf(message.destinationAddr);
  return {
    providerMessageId: id,
    status: meaning.status,
    errorCode: meaning.status === 'failed' ? errorCode(fields, message.networkErrorCode) : null,
    errorText: meaning.text,
    receiver: receiver === '' ? null : receiver,
    ...(otherAddress.length >= FEWEST_DIGITS && { otherAddress }),
  };
}

function errorCode(fields: string, network: number | null): number | null {
  const text = ERR.exec(fields)?.[1];
  if (text !== undefined && /^[0-9]{1,9}$/.test(text)) return Number(text);
  return network;
}
