import { codePoints, readText } from '../../kernel/text.js';

export const PROFILE_CHANNELS = ['official', 'branded'] as const;
export type ProfileChannel = (typeof PROFILE_CHANNELS)[number];

/** Statuses, in the order of a request's life (reference/profile-requests#life). */
export const PROFILE_STATUSES = ['pending', 'processing', 'completed', 'rejected'] as const;
export type ProfileStatus = (typeof PROFILE_STATUSES)[number];

/** What staff may set. */
export const PROCESSING_STATUSES = ['processing', 'completed', 'rejected'] as const satisfies readonly ProfileStatus[];
export type ProcessingStatus = (typeof PROCESSING_STATUSES)[number];

/** What a customer asks to have verified (reference/profile-requests#profile-request). */
export interface ProfileContent {
  verifiedName: string;
  /** the business number; null differs from every number */
  number: string | null;
  /** number that receives the OTP; '' when none was given */
  numberForOtp: string;
  channel: ProfileChannel;
}

/** A stored profile request. */
export interface ProfileRequest extends ProfileContent {
  id: number;
  accountId: number;
  status: ProfileStatus;
  /** 1 at first, one more with each change of the owner's */
  revision: number;
  /** of staff, with their last decision; null = none given */
  reason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A body as a client wrote it; every value may be of any type. */
export type RawProfile = Partial<Record<'verified_name' | 'number' | 'numberForOTP' | 'channel', unknown>>;

/** The field whose 400 applies. */
export type ProfileFault = 'verifiedName' | 'verifiedNameTooLong' | 'number' | 'numberForOtp' | 'channel';

export const LONGEST_NAME = 255;
/** Longest reason of a decision, in code points. */
export const LONGEST_REASON = 500;
const LONGEST_NUMBER = 32;

/** A trimmed text of `most` characters at most; '' for none, undefined for what is no such text. */
function readField(value: unknown, most: number): string | undefined {
  const read = readText(value);
  if (read.kind === 'empty') return '';
  const text = read.kind === 'text' ? read.value.trim() : undefined;
  return text !== undefined && codePoints(text) <= most ? text : undefined;
}

const readChannel = (value: unknown): ProfileChannel | '' | undefined => {
  const word = readField(value, LONGEST_NUMBER);
  return word === '' ? '' : PROFILE_CHANNELS.find((known) => known === word);
};

/**
 * The supplied fields of a body (reference/profile-requests#create). An empty number clears it to null, an empty
 * channel is as none.
 * @returns the fields, or the first fault in the order of reference/profile-requests#create
 */
export function readProfileChanges(raw: RawProfile): { changes: Partial<ProfileContent> } | { fault: ProfileFault } {
  const changes: Partial<ProfileContent> = {};
  if (raw.verified_name !== undefined) {
    const name = readField(raw.verified_name, Infinity);
    if (!name) return { fault: 'verifiedName' };
    if (codePoints(name) > LONGEST_NAME) return { fault: 'verifiedNameTooLong' };
    changes.verifiedName = name;
  }
  if (raw.number !== undefined) {
    const number = readField(raw.number, LONGEST_NUMBER);
    if (number === undefined) return { fault: 'number' };
    changes.number = number === '' ? null : number;
  }
  if (raw.numberForOTP !== undefined) {
    const number = readField(raw.numberForOTP, LONGEST_NUMBER);
    if (number === undefined) return { fault: 'numberForOtp' };
    changes.numberForOtp = number;
  }
  const channel = readChannel(raw.channel);
  if (channel === undefined) return { fault: 'channel' };
  if (channel !== '') changes.channel = channel;
  return { changes };
}

/** A new request: the name is due, the rest has defaults (reference/profile-requests#create). */
export function readProfile(raw: RawProfile): { content: ProfileContent } | { fault: ProfileFault } {
  const read = readProfileChanges({ ...raw, verified_name: raw.verified_name ?? null });
  if ('fault' in read) return read;
  const { verifiedName = '', number = null, numberForOtp = '', channel = 'official' } = read.changes;
  return { content: { verifiedName, number, numberForOtp, channel } };
}

/** Decisions about what the owner has written: made by staff who have looked at it. */
export const isVerdict = (to: ProcessingStatus): boolean => to !== 'processing';

/** pending → processing → completed or rejected; staff may skip `processing` (reference/profile-requests#life). */
export function mayProcess(from: ProfileStatus, to: ProcessingStatus): boolean {
  return from === 'pending' || (from === 'processing' && to !== 'processing');
}
