import { readText } from '../../../kernel/text.js';

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
  createdAt: Date;
  updatedAt: Date;
}

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
export const isNumber = (senderId: string): boolean => /^[0-9]+$/.test(senderId);

/** Ids of operators' registries: digits. */
const DLT_ID = /^[0-9]{1,30}$/;

/** @returns null for none, undefined for what can be none */
export function readDltId(value: unknown): string | null | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return null;
  const text = read.kind === 'text' ? read.value.trim() : '';
  return DLT_ID.test(text) ? text : undefined;
}
