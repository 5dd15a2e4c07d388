import type { RecipientStatus } from '../engine/index.js';
import type { Direction } from './messages.errors.js';

/** A message of any kind, as it is listed. */
export interface ListedMessage {
  id: string;
  direction: Direction;
  channel: string;
  type: string;
  from: string | null;
  to: string | null;
  text: string | null;
  /** null = inbound */
  status: RecipientStatus | null;
  /** it waits for its schedule */
  isScheduled: boolean;
  errorCode: number | null;
  errorMessage: string | null;
  credits: number;
  refunded: boolean;
  isTest: boolean;
  /** null = parts depend on the values of each recipient */
  segments: number | null;
  tags: { client_ref?: string; metadata?: object } | null;
  requestId: string | null;
  createdAt: Date;
  scheduledAt: Date | null;
  updatedAt: Date;
}

export interface MessageFilter {
  isTest: boolean;
  direction: Direction | null;
  /** spellings of one number; null = any */
  numbers: readonly string[] | null;
  from: Date;
  to: Date;
}

/** Where a list goes on: behind this recipient, session message or SMS, and below this chat message. */
export interface MessagePosition {
  id: number;
  seq: number;
  chat: number;
}

export interface RecipientKey {
  campaignId: number;
  seq: number;
}

export interface Placed {
  /** ids of all kinds but chat messages are in the order of time */
  at: { id: number; seq: number };
  /** 0 = no chat message */
  chat: number;
  message: ListedMessage;
}

/** A part of one source. @property end where a search stopped before its range ended */
export interface Part {
  placed: Placed[];
  end: { id: number; seq: number } | null;
}
