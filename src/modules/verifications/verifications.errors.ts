import { atMost, conflict, defineError, fieldErrors, invalid, notFound, unavailable } from '../../kernel/errors.js';

export const VERIFICATION_CHANNELS = ['sms', 'voice', 'chat'] as const;
export type VerificationChannel = (typeof VERIFICATION_CHANNELS)[number];

/** How a code went: `email` only for registrations. */
export type SentChannel = VerificationChannel | 'email';

export const VERIFICATION_STATUSES = ['pending', 'approved', 'too_many', 'expired', 'cancelled'] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const LENGTHS = { from: 4, to: 10, usual: 6 } as const;
export const TTL_S = { from: 60, to: 1_800, usual: 600 } as const;
/** Most entries of `channels`; one named twice is tried twice. */
export const MOST_SENDS = 5;
/** Wrong codes that end a verification, over all its messages. */
export const MOST_TRIES = 5;
/** A second start for the same number within this time gets the open verification. */
export const SAME_S = 30;
export const LONGEST_APP = 30;

export const FEEDBACK_OUTCOMES = ['converted', 'not_converted'] as const;

/** Errors of verifications (reference/verifications#errors). */
export const verificationErrors = {
  notFound: notFound('verification_not_found', 'Verification not found', 'no such id, or of another account'),
  channels: invalid(
    'verification_channels',
    `channels must list 1 to ${MOST_SENDS} of: ${VERIFICATION_CHANNELS.join(', ')}`,
  ).with({ field: 'channels', hint: 'The first is tried first; one that is named twice is tried twice.' }),
  length: fieldErrors.noWholeNumber.shown('length', LENGTHS.from, LENGTHS.to),
  ttl: fieldErrors.noWholeNumber.shown('ttl_s', TTL_S.from, TTL_S.to),
  template: invalid('verification_template', 'template is not the name of a verification text').with({
    field: 'template',
    hint: 'GET /v6/api/verifications/texts lists them.',
  }),
  chatTemplate: fieldErrors.required.shown('chat_template').because('channels has chat'),
  app: invalid(
    'verification_app',
    `app must have 1 to ${LONGEST_APP} letters, digits, spaces, & ' or -`,
    'a name in the text; no links',
  ).with({ field: 'app' }),
  ref: invalid('verification_ref', 'ref must have 1 to 64 characters, without control characters').with({
    field: 'ref',
  }),
  code: invalid('verification_code', 'code must be 4 to 10 digits', 'counts as no try').with({ field: 'code' }),
  ended: conflict('verification_ended', (status: string) => `Verification is already ${status}`)
    .with({ hint: 'Start a new one.' })
    .shown('approved'),
  oneSubject: invalid('feedback_subject', 'Exactly one of message_id, number is required').with({
    field: 'message_id',
  }),
  noChannel: conflict('verification_no_channel', 'No further channel', 'all channels were tried').with({
    hint: 'Name more channels at the start; one that is named twice is tried twice.',
  }),
  locked: defineError<[seconds: number]>(
    'too_many',
    'verification_locked',
    'Too many wrong codes for this number',
    'the last verification had five, and would not have expired yet',
    (seconds) => seconds,
  ).with({ hint: 'Wait as many seconds as `Retry-After` says.' }),
  limit: defineError<[seconds: number]>(
    'too_many',
    'verification_limit',
    'Too many verifications',
    'over VERIFICATIONS_PER_NUMBER, _PER_NETWORK, _PER_RANGE (each an hour) or _PER_DAY of the account',
    (seconds) => seconds,
  ).with({ hint: 'Wait as many seconds as `Retry-After` says. Every message of a verification counts.' }),
};

export const PROOF_WAYS = ['email', 'phone'] as const;
export type ProofWay = (typeof PROOF_WAYS)[number];

/** Of the proof of a registration (reference/verifications#registration). */
export const proofErrors = {
  by: invalid(
    'proof_by',
    (ways: readonly string[]) => `by must be one of: ${ways.join(', ')}`,
    'what the account registered with, and the operator can reach',
  )
    .with({ field: 'by' })
    .shown(['email', 'phone']),
  number: invalid(
    'proof_number',
    'mobile_no cannot get a code',
    'no number of a country that gets codes, or one of a dear range',
  ).with({
    field: 'by',
    hint: 'Prove the e-mail address instead.',
  }),
  done: conflict('proof_done', 'This account has nothing to prove'),
  limit: defineError<[seconds: number]>(
    'too_many',
    'proof_limit',
    'Too many codes for registrations',
    'five a day of the account and of the number or mailbox, REGISTRATION_CODES_PER_NETWORK, or REGISTRATION_CODES_PER_DAY',
    (seconds) => seconds,
  ).with({ hint: 'Wait as many seconds as `Retry-After` says.' }),
  unavailable: unavailable('proof_unavailable', 'No code can be sent now').with({
    hint: 'Try again later, or ask the operator.',
  }),
};

export const MOST_TEXTS = 1_000;
export const LONGEST_TEXT = 160;

export const textErrors = {
  text: invalid(
    'verification_text',
    `text must have 1 to ${LONGEST_TEXT} characters, {code} once, and no other braces than {app} and {minutes}`,
  ).with({ field: 'text' }),
  notFound: notFound(
    'verification_text_not_found',
    'Verification text not found',
    'no text of staff has this name and locale',
  ),
  tooMany: invalid('verification_texts_too_many', atMost(MOST_TEXTS, 'verification texts')),
};

/** Whether staff may put this text. */
export function isVerificationText(text: string): boolean {
  const rest = text.replace('{code}', '').replaceAll(/\{(app|minutes)\}/g, '');
  return text.includes('{code}') && !/[{}]|\p{Cc}/u.test(rest) && text.length <= LONGEST_TEXT;
}
