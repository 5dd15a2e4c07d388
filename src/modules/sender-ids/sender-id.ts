import type { ReadNumber } from '../../kernel/phone-numbers.js';
import { codePoints, readText } from '../../kernel/text.js';

export const SENDER_CHANNELS = ['sms', 'voice'] as const;
export type SenderChannel = (typeof SENDER_CHANNELS)[number];

/** Statuses, in the order of a sender id's life (reference/sender-ids#life). */
export const SENDER_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type SenderStatus = (typeof SENDER_STATUSES)[number];

export interface SenderContent {
  channel: SenderChannel;
  senderId: string;
  /** the account's registration where operators require one (India's DLT) */
  dltEntityId: string | null;
  useCase: string | null;
}

export interface RegisteredSender extends SenderContent {
  id: number;
  accountId: number;
  status: SenderStatus;
  /** from staff; null = none */
  reason: string | null;
  /** 1 at first, incremented with each registration after a rejection */
  revision: number;
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export type RawSender = Partial<Record<'sender_id' | 'channel' | 'dlt_entity_id' | 'use_case', unknown>>;

/** The field of the 400, in the order of validation. */
export type SenderFault =
  'senderRequired' | 'channel' | 'senderForm' | 'callerForm' | 'dltEntityId' | 'useCase' | 'useCaseTooLong';

export const LONGEST_USE_CASE = 500;
export const LONGEST_REASON = 255;

/** Valid in the GSM address field of every carrier: eleven characters, no space at the ends. */
const NAME = /^(?=.{3,11}$)(?=.*[A-Za-z])[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
/** What a spreadsheet makes of a long number; as a name it would be sent. */
const EXPONENT = /^[0-9]+[eE][0-9]+$/;
/** Shorter than any number with a calling code. */
const SHORT_CODE = /^\+?([0-9]{5,7})$/;

/**
 * A sender id as stored and compared: a name as given, or the digits of a short code or a number (reference/sender-ids#form).
 * @returns null when invalid
 */
export function readSenderId(value: unknown, reader: ReadNumber): string | null {
  const read = readText(value);
  if (read.kind !== 'text') return null;
  const text = read.value.trim();
  const code = SHORT_CODE.exec(text)?.[1];
  if (code !== undefined) return code;
  if (NAME.test(text) && !EXPONENT.test(text)) return text;
  const number = reader(text);
  return 'refused' in number ? null : number.digits;
}

const KEPT = /^\+?([0-9]{5,15})$/;

/** Sender ids that a send may mean: as it is read, and the plain digits that older versions registered. */
export function senderIdsMeant(value: unknown, reader: ReadNumber): string[] {
  const senderId = readSenderId(value, reader);
  const text = readText(value);
  const digits = text.kind === 'text' ? KEPT.exec(text.value.trim())?.[1] : undefined;
  return [...new Set([senderId, digits].filter((id) => typeof id === 'string'))];
}

const isNumber = (senderId: string): boolean => /^[0-9]+$/.test(senderId);

const DLT_ID = /^[0-9]{1,30}$/;

/** Refuses unsafe JSON numbers, which have lost digits. @returns null for none, undefined when invalid */
export function readDltId(value: unknown): string | null | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const text = read.kind === 'text' ? read.value.trim() : '';
  return DLT_ID.test(text) ? text : undefined;
}

/** Reads a registration (reference/sender-ids#register). */
export function readSender(raw: RawSender, reader: ReadNumber): { content: SenderContent } | { fault: SenderFault } {
  if (readText(raw.sender_id).kind === 'empty') return { fault: 'senderRequired' };
  const channel = SENDER_CHANNELS.find((known) => known === raw.channel);
  if (!channel) return { fault: 'channel' };
  const senderId = readSenderId(raw.sender_id, reader);
  if (channel === 'voice' && !(senderId !== null && isNumber(senderId))) return { fault: 'callerForm' };
  if (senderId === null) return { fault: 'senderForm' };
  const dltEntityId = readDltId(raw.dlt_entity_id);
  if (dltEntityId === undefined) return { fault: 'dltEntityId' };
  const said = readText(raw.use_case);
  if (said.kind === 'fault') return { fault: 'useCase' };
  const useCase = said.kind === 'text' ? said.value.trim() : null;
  if (useCase !== null && codePoints(useCase) > LONGEST_USE_CASE) return { fault: 'useCaseTooLong' };
  return { content: { channel, senderId, dltEntityId, useCase } };
}

export type SenderMove = 'approve' | 'reject';

/** pending → approved or rejected; approved → rejected (reference/sender-ids#life). */
const MOVES: Readonly<Record<SenderMove, { from: readonly SenderStatus[]; to: SenderStatus }>> = {
  approve: { from: ['pending'], to: 'approved' },
  reject: { from: ['pending', 'approved'], to: 'rejected' },
};

/** The status after a move; null when the status does not allow it. */
export const statusAfter = (move: SenderMove, status: SenderStatus): SenderStatus | null =>
  MOVES[move].from.includes(status) ? MOVES[move].to : null;

export interface RawSmsOptions {
  sender_id?: unknown;
  dlt_template_id?: unknown;
  validity_s?: unknown;
}

/** Options of an SMS send (reference/sender-ids#sends); null = not given. */
export interface SmsOptions {
  /** unchanged: acceptance checks whether the account has it */
  senderId: string | null;
  dltTemplateId: string | null;
  validitySeconds: number | null;
}

export type SmsOptionFault = 'dltTemplateId' | 'validity';

/** Shorter ends before a carrier tries; no carrier tries for more than three days. */
export const VALIDITY_SECONDS = { from: 60, to: 259_200 };

export function readSmsOptions(raw: RawSmsOptions): { options: SmsOptions } | { fault: SmsOptionFault } {
  const sender = readText(raw.sender_id);
  const dltTemplateId = readDltId(raw.dlt_template_id);
  if (dltTemplateId === undefined) return { fault: 'dltTemplateId' };
  const validitySeconds = readValidity(raw.validity_s);
  if (validitySeconds === undefined) return { fault: 'validity' };
  // A value that is no text is refused like a sender id that is not approved.
  const senderId = sender.kind === 'empty' ? null : sender.kind === 'text' ? sender.value : '';
  return { options: { senderId, dltTemplateId, validitySeconds } };
}

const WHOLE = /^[0-9]+$/;

function readValidity(value: unknown): number | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const seconds = read.kind === 'text' && WHOLE.test(read.value.trim()) ? Number(read.value) : NaN;
  const { from, to } = VALIDITY_SECONDS;
  return seconds >= from && seconds <= to ? seconds : undefined;
}

/** Options as stored in a campaign's content. */
interface SmsExtras {
  dlt?: { entity_id?: string; template_id?: string };
  validity_s?: number;
}

export function extrasOf(options: SmsOptions, dltEntityId: string | null): SmsExtras {
  const { dltTemplateId, validitySeconds } = options;
  const dlt = {
    ...(dltEntityId !== null && { entity_id: dltEntityId }),
    ...(dltTemplateId !== null && { template_id: dltTemplateId }),
  };
  return {
    ...(Object.keys(dlt).length > 0 && { dlt }),
    ...(validitySeconds !== null && { validity_s: validitySeconds }),
  };
}

/** Options of each message, from a campaign's content. */
export function sentExtras(content: Readonly<Record<string, unknown>>): {
  dlt?: { entityId?: string; templateId?: string };
  validitySeconds?: number;
} {
  const { dlt, validity_s: validitySeconds } = content as SmsExtras;
  return {
    ...(dlt && {
      dlt: {
        ...(dlt.entity_id !== undefined && { entityId: dlt.entity_id }),
        ...(dlt.template_id !== undefined && { templateId: dlt.template_id }),
      },
    }),
    ...(validitySeconds !== undefined && { validitySeconds }),
  };
}
