import { codePoints, readText } from '../../kernel/text.js';

/** What a sender id may be registered for. */
export const SENDER_CHANNELS = ['sms', 'voice'] as const;
export type SenderChannel = (typeof SENDER_CHANNELS)[number];

/** Statuses, in the order of a sender id's life (reference/sender-ids#life). */
export const SENDER_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type SenderStatus = (typeof SENDER_STATUSES)[number];

/** What an account asks for. */
export interface SenderContent {
  channel: SenderChannel;
  senderId: string;
  /** the account's registration as a sender where operators ask for one (India's DLT) */
  dltEntityId: string | null;
  useCase: string | null;
}

/** A stored sender id. */
export interface RegisteredSender extends SenderContent {
  id: number;
  accountId: number;
  status: SenderStatus;
  /** what staff said of it; null = nothing */
  reason: string | null;
  /** 1 at first, one more with each registration after a rejection */
  revision: number;
  /** who asked for it (`kernel/maker.ts`) */
  createdBy: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A body as a client wrote it; every value may be of any type. */
export type RawSender = Partial<Record<'sender_id' | 'channel' | 'dlt_entity_id' | 'use_case', unknown>>;

/** The field whose 400 applies, in the order in which they are judged. */
export type SenderFault =
  'senderRequired' | 'channel' | 'senderForm' | 'callerForm' | 'dltEntityId' | 'useCase' | 'useCaseTooLong';

export const LONGEST_USE_CASE = 500;
export const LONGEST_REASON = 255;

/** What the address field of a message takes of the GSM alphabet in every network: eleven characters, no space at the ends. */
const NAME = /^(?=.{3,11}$)(?=.*[A-Za-z])[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const NUMBER = /^\+?([0-9]{5,15})$/;

/**
 * A sender id as it is compared and stored: a name as it is written, or digits (reference/sender-ids#form).
 * @returns null for what can be none
 */
export function readSenderId(value: unknown): string | null {
  const read = readText(value);
  if (read.kind !== 'text') return null;
  const text = read.value.trim();
  return NUMBER.exec(text)?.[1] ?? (NAME.test(text) ? text : null);
}

/** Whether it can stand as the caller of a call. */
const isNumber = (senderId: string): boolean => /^[0-9]+$/.test(senderId);

/** Ids of operators' registries: digits. */
const DLT_ID = /^[0-9]{1,30}$/;

/**
 * A JSON number of more digits than it can hold has lost the last ones: it would be another entity, or another text.
 * @returns null for none, undefined for what can be none
 */
export function readDltId(value: unknown): string | null | undefined {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const text = read.kind === 'text' ? read.value.trim() : '';
  return DLT_ID.test(text) ? text : undefined;
}

/** A registration (reference/sender-ids#register). */
export function readSender(raw: RawSender): { content: SenderContent } | { fault: SenderFault } {
  if (readText(raw.sender_id).kind === 'empty') return { fault: 'senderRequired' };
  const channel = SENDER_CHANNELS.find((known) => known === raw.channel);
  if (!channel) return { fault: 'channel' };
  const senderId = readSenderId(raw.sender_id);
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

/** What staff do to a sender id. */
export const SENDER_MOVES = ['approve', 'reject'] as const;
export type SenderMove = (typeof SENDER_MOVES)[number];

/** pending → approved or rejected; what was approved may be rejected later (reference/sender-ids#life). */
const MOVES: Readonly<Record<SenderMove, { from: readonly SenderStatus[]; to: SenderStatus }>> = {
  approve: { from: ['pending'], to: 'approved' },
  reject: { from: ['pending', 'approved'], to: 'rejected' },
};

/** The status after a move; null when the sender id's status does not allow it. */
export const statusAfter = (move: SenderMove, status: SenderStatus): SenderStatus | null =>
  MOVES[move].from.includes(status) ? MOVES[move].to : null;

/** What a send of SMS may say beside its text, as a client wrote it; every value may be of any type. */
export interface RawSmsOptions {
  sender_id?: unknown;
  dlt_template_id?: unknown;
  validity_s?: unknown;
}

/** The same, read (reference/sender-ids#sends); null = not said. */
export interface SmsOptions {
  /** as it was given: whether it is one of the account's is judged at acceptance */
  senderId: string | null;
  dltTemplateId: string | null;
  validitySeconds: number | null;
}

export type SmsOptionFault = 'dltTemplateId' | 'validity';

/** Less is over before a carrier has tried; no carrier tries for longer than three days. */
export const VALIDITY_SECONDS = { from: 60, to: 259_200 };

export function readSmsOptions(raw: RawSmsOptions): { options: SmsOptions } | { fault: SmsOptionFault } {
  const sender = readText(raw.sender_id);
  const dltTemplateId = readDltId(raw.dlt_template_id);
  if (dltTemplateId === undefined) return { fault: 'dltTemplateId' };
  const validitySeconds = readValidity(raw.validity_s);
  if (validitySeconds === undefined) return { fault: 'validity' };
  // What is no text is no sender id either, and is refused as one that is not approved.
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

/** How a campaign of SMS keeps what it says beside its text. */
interface SmsExtras {
  dlt?: { entity_id?: string; template_id?: string };
  validity_s?: number;
}

/** What goes into the content of a campaign. */
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

/** What leaves with each message of a campaign, by its content. */
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
