import { hash } from 'node:crypto';
import { cutCodePoints } from '../../../kernel/text.js';
import { type CodedText, decodeText, type TextEncoding, TypeOfNumber } from '../../../platform/smpp/index.js';
import { readSender, type SenderForm } from '../../numbers/index.js';
import type { InboundDelivery, InboundText } from '../../providers/index.js';

/** What becomes of the automatic answer to a text. */
export const ReplyState = {
  /** no keyword wants one */
  None: 0,
  Due: 1,
  Sent: 2,
  /** the person got one in the last 24 hours, or cannot be written to */
  Silent: 3,
  /** the third in ten minutes: looks automatic */
  Automatic: 4,
  /** no credits, no route */
  Failed: 5,
} as const;
export type ReplyState = (typeof ReplyState)[keyof typeof ReplyState];

/** Owner of the texts that belong to no account: the operator. */
export const OPERATOR = 0;

/** A text of a person over an operator's route, complete, or as far as its parts came. */
export interface WholeText {
  routeId: number;
  /** digits with country code where they can be read so */
  sender: string;
  recipient: string;
  text: string;
  encoding: TextEncoding;
  parts: number;
  incomplete: boolean;
  /** null = put together from parts, which were claimed before */
  delivery: InboundDelivery | null;
  /** key of its parts */
  messageKey: string | null;
}

/** A part of a longer text, as it is kept until the others are there. */
export interface KeptPart extends Omit<CodedText, 'body'> {
  messageKey: string;
  number: number;
  total: number;
  routeId: number;
  sender: string;
  recipient: string;
  body: string;
  delivery: InboundDelivery;
}

export type StoredPart = Omit<KeptPart, 'messageKey' | 'delivery' | 'number'>;

const LONGEST_TEXT = 40_000;
const LONGEST_ADDRESS = 32;

const FORMS: Readonly<Record<number, SenderForm>> = {
  [TypeOfNumber.International]: 'international',
  [TypeOfNumber.National]: 'national',
  [TypeOfNumber.Alphanumeric]: 'name',
};

/** Digits without signs for a number or short code; a name as it is. */
export const addressOf = (text: string): string => readSender(text, 'international', null).slice(0, LONGEST_ADDRESS);

/** Sorts an arrived text: whole, or a part. @param country of its route @param login the first route of the login */
export function readArrival(
  routeId: number,
  { from, text, sms }: InboundText,
  country: string | null,
  login: number,
): WholeText | KeptPart {
  if (!sms) {
    const whole = { routeId, sender: from.slice(0, LONGEST_ADDRESS), recipient: '', text: bounded(text) };
    return { ...whole, encoding: 'text', parts: 1, incomplete: false, delivery: null, messageKey: null };
  }
  const sender = readSender(sms.source, FORMS[sms.ton] ?? 'open', country).slice(0, LONGEST_ADDRESS);
  const recipient = addressOf(sms.to);
  const { part, delivery, encoding } = sms;
  if (part) {
    const { reference, ...own } = part;
    const messageKey = hash('sha256', JSON.stringify([login, sender, recipient, reference]), 'base64url');
    return { ...own, messageKey, routeId, sender, recipient, delivery };
  }
  const whole = { routeId, sender, recipient, text: bounded(text), encoding, delivery, messageKey: null };
  return { ...whole, parts: 1, incomplete: false };
}

export const isPart = (arrival: WholeText | KeptPart): arrival is KeptPart => 'number' in arrival;

const bounded = (text: string): string => cutCodePoints(text, LONGEST_TEXT);

/** Puts the parts of a message together, in their order. */
export function assembled(messageKey: string, parts: ReadonlyMap<number, StoredPart>): WholeText | null {
  const numbers = [...parts.keys()].sort((a, b) => a - b);
  const [first] = numbers.map((number) => parts.get(number));
  if (!first) return null;
  const bodies = numbers.map((number) => {
    const { body = '', dataCoding = 0, language } = parts.get(number) ?? {};
    return { body: Buffer.from(body, 'hex'), dataCoding, ...(language && { language }) };
  });
  const { text, encoding } = decodeText(bodies);
  const { routeId, sender, recipient, total } = first;
  return {
    ...{ routeId, sender, recipient, text: bounded(text), encoding, messageKey },
    ...{ parts: total, incomplete: numbers.length < total, delivery: null },
  };
}

const ANSWERABLE = /^[0-9]{8,20}$/;

/** Whether a person can be answered at this address: no name, and no short code. */
export const isAnswerable = (sender: string): boolean => ANSWERABLE.test(sender);
