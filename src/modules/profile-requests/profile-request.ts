import { codePoints, readText } from '../../kernel/text.js';

export const PROFILE_CHANNELS = ['official', 'branded'] as const;
export type ProfileChannel = (typeof PROFILE_CHANNELS)[number];

/** Statuses, in the order of a request's life (reference/profile-requests#life). */
export const PROFILE_STATUSES = ['pending', 'processing', 'completed', 'rejected'] as const;
export type ProfileStatus = (typeof PROFILE_STATUSES)[number];

export const PROCESSING_STATUSES = ['processing', 'completed', 'rejected'] as const satisfies readonly ProfileStatus[];
export type ProcessingStatus = (typeof PROCESSING_STATUSES)[number];

/** The profile to verify (reference/profile-requests#profile-request). */
export interface ProfileContent {
  verifiedName: string;
  /** the business number; null differs from every number */
  number: string | null;
  /** number that receives the OTP; '' = none */
  numberForOtp: string;
  channel: ProfileChannel;
}

export interface ProfileRequest extends ProfileContent {
  id: number;
  accountId: number;
  status: ProfileStatus;
  /** 1 at first, incremented with each change of the owner */
  revision: number;
  reason: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export type RawProfile = Partial<Record<'verified_name' | 'number' | 'numberForOTP' | 'channel', unknown>>;

export type ProfileFault = 'verifiedName' | 'verifiedNameTooLong' | 'number' | 'numberForOtp' | 'channel';

export const LONGEST_NAME = 255;
/** code points */
export const LONGEST_REASON = 500;
const LONGEST_NUMBER = 32;

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

/** Reads the supplied fields (reference/profile-requests#create); an empty number clears it, an empty channel is ignored. */
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

/** Reads a new request: the name is required (reference/profile-requests#create). */
export function readProfile(raw: RawProfile): { content: ProfileContent } | { fault: ProfileFault } {
  const read = readProfileChanges({ ...raw, verified_name: raw.verified_name ?? null });
  if ('fault' in read) return read;
  const { verifiedName = '', number = null, numberForOtp = '', channel = 'official' } = read.changes;
  return { content: { verifiedName, number, numberForOtp, channel } };
}

/** Final decisions need the revision that staff have seen. */
export const isVerdict = (to: ProcessingStatus): boolean => to !== 'processing';

/** pending → processing → completed or rejected; staff may skip `processing` (reference/profile-requests#life). */
export function mayProcess(from: ProfileStatus, to: ProcessingStatus): boolean {
  return from === 'pending' || (from === 'processing' && to !== 'processing');
}
