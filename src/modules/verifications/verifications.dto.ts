import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime, isoTime } from '../../kernel/clock.js';
import { messageId } from '../../kernel/ids.js';
import { AnswerOf, LocalTime, PageOf, ZonedTime } from '../../platform/http/index.js';
import { verificationName } from './verification-request.js';
import {
  FEEDBACK_OUTCOMES,
  LENGTHS,
  LONGEST_TEXT,
  MOST_SENDS,
  MOST_TRIES,
  PROOF_WAYS,
  type ProofWay,
  type SentChannel,
  TTL_S,
  VERIFICATION_CHANNELS,
  type VerificationChannel,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from './verifications.errors.js';
import type { VerificationText } from './verification-texts.store.js';
import type { CheckedCode, DayCount, Verification } from './verifications.store.js';

const ID = { example: 'ver_374100212563968' } as const;
const SENT: SentChannel[] = [...VERIFICATION_CHANNELS, 'email'];

export class VerificationBody {
  @ApiProperty({ example: '+919812345678', description: 'One number, as the strict reader takes it' })
  to!: string;

  @ApiPropertyOptional({
    enum: [...VERIFICATION_CHANNELS],
    isArray: true,
    maxItems: MOST_SENDS,
    example: ['sms'],
    description: 'Tried in this order; one that is named twice is tried twice. Default: sms',
  })
  channels?: VerificationChannel[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: LENGTHS.from,
    maximum: LENGTHS.to,
    example: 6,
    description: `Digits of the code; default: ${LENGTHS.usual}`,
  })
  length?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: TTL_S.from,
    maximum: TTL_S.to,
    example: 600,
    description: `Seconds until it expires; default: ${TTL_S.usual}`,
  })
  ttl_s?: number;

  @ApiPropertyOptional({ example: 'en', description: 'Of the text; one without a text gets English' })
  locale?: string;

  @ApiPropertyOptional({
    example: 'default',
    description: 'Name of a text that the operator offers, for SMS and calls',
  })
  template?: string;

  @ApiPropertyOptional({
    example: 'login_code',
    description: 'chat: name of your approved authentication template',
  })
  chat_template?: string;

  @ApiPropertyOptional({ example: 'ACME', description: 'Your name in the text; default: the name of the account' })
  app?: string;

  @ApiPropertyOptional({ example: 'ACME', description: 'SMS: one of your approved sender ids' })
  sender_id?: string;

  @ApiPropertyOptional({ example: '1107161951486743588', description: 'SMS: id of the text in an operator’s registry' })
  dlt_template_id?: string;

  @ApiPropertyOptional({ example: 'login-1042', description: 'An id of your own, shown with the verification' })
  ref?: string;

  @ApiPropertyOptional({
    example: '203.0.113.7',
    description: 'Address of the person’s device: bounds verifications by network',
  })
  client_ip?: string;
}

export const VERIFICATION_EXAMPLES = {
  sms: { summary: 'SMS', value: { to: '+919812345678', app: 'ACME', ref: 'login-1042' } },
  again: { summary: 'SMS, and again after a minute', value: { to: '+919812345678', channels: ['sms', 'sms'] } },
};

export class VerificationData {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: [...VERIFICATION_STATUSES], example: 'pending' })
  status!: VerificationStatus;

  @ApiProperty({ enum: SENT, example: 'sms', description: 'Of the last message; email: proof of the own registration' })
  channel!: SentChannel;

  @ApiProperty({ enum: SENT, isArray: true, example: ['sms'] })
  channels!: SentChannel[];

  @ApiProperty({ example: '919812345678' })
  to!: string;

  @ApiProperty({ type: 'integer', example: 5, description: `Of ${MOST_TRIES}` })
  attempts_left!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'Messages' })
  sends!: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'Charged for them; of a test: what they would cost' })
  credits!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'out_374100212563968_1',
    description: 'The last message; its text has stars in place of the code',
  })
  message_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'login-1042' })
  ref!: string | null;

  @ApiProperty({ example: false, description: 'Started with a test key: nothing left, nothing was charged' })
  test!: boolean;

  @ApiPropertyOptional({ example: '123456', description: 'The code of a pending test; never of a live verification' })
  test_code?: string;

  @ZonedTime({ nullable: true, description: 'When the next channel is tried; null: there is none' })
  next_at!: string | null;

  @ZonedTime()
  expires_at!: string;

  @LocalTime()
  created_at!: string;
}

export class VerificationAnswer extends AnswerOf(VerificationData) {}

export class VerificationPageAnswer extends PageOf(VerificationData) {}

const FIRST_SEQ = 1;

/** @param zone of the account */
export function verificationData(verification: Verification, zone: string): VerificationData {
  const { id, status, channels, position, to, tries, sends, credits, campaignId, wanted } = verification;
  const { nextAt, expiresAt, createdAt } = verification;
  const isPending = status === 'pending';
  return {
    ...{ id: verificationName(id), status, channel: channels[position] ?? 'sms', channels: [...channels], to },
    ...{ attempts_left: isPending ? MOST_TRIES - tries : 0, sends, credits },
    message_id: campaignId === null ? null : messageId({ kind: 'out', campaignId, seq: FIRST_SEQ }),
    ...{ ref: wanted.ref, test: wanted.isTest },
    ...(wanted.isTest && isPending && { test_code: wanted.testCode ?? '' }),
    next_at: isPending && nextAt ? isoTime(nextAt, zone) : null,
    expires_at: isoTime(expiresAt, zone),
    created_at: dateTime(createdAt, zone),
  };
}

export class CodeBody {
  @ApiProperty({ example: '123456', description: 'As a text; blanks and dashes do not matter' })
  code!: string;
}

const OUTCOMES = ['approved', 'pending', 'expired', 'too_many'] as const;

export class CheckData {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ enum: [...OUTCOMES], example: 'approved', description: 'pending: a wrong code' })
  status!: (typeof OUTCOMES)[number];

  @ApiProperty({ type: 'integer', example: 0 })
  attempts_left!: number;
}

export class CheckAnswer extends AnswerOf(CheckData) {}

export const checkData = ({ id, status, attemptsLeft }: CheckedCode): CheckData => ({
  id: verificationName(id),
  status,
  attempts_left: attemptsLeft,
});

export class ConversionData {
  @ApiProperty({ example: '2026-11-21', description: 'UTC' })
  day!: string;

  @ApiProperty({ example: '91', description: 'Of the country; empty: no known one' })
  calling_code!: string;

  @ApiProperty({ type: 'integer', example: 120 })
  started!: number;

  @ApiProperty({ type: 'integer', example: 104 })
  approved!: number;
}

export class ConversionAnswer {
  @ApiProperty({ enum: [true] })
  success!: true;

  @ApiProperty({ type: [ConversionData] })
  data!: ConversionData[];
}

export const conversionData = ({ day, callingCode, started, approved }: DayCount): ConversionData => ({
  day,
  calling_code: callingCode,
  started: Number(started),
  approved: Number(approved),
});

export class FeedbackBody {
  @ApiPropertyOptional({ example: 'out_374100212563968_1', description: 'A message that was sent here' })
  message_id?: string;

  @ApiPropertyOptional({ example: '+919812345678', description: 'In place of it: the number that got a code by SMS' })
  number?: string;

  @ApiProperty({
    enum: [...FEEDBACK_OUTCOMES],
    example: 'converted',
    description: 'Whether the person entered the code',
  })
  outcome!: (typeof FEEDBACK_OUTCOMES)[number];
}

export const FEEDBACK_EXAMPLES = {
  number: { summary: 'By number', value: { number: '+919812345678', outcome: 'converted' } },
};

export class VerificationTextData implements VerificationText {
  @ApiProperty({ example: 'default' })
  name!: string;

  @ApiProperty({ example: 'en' })
  locale!: string;

  @ApiProperty({ example: '{code} is your {app} code. It expires in {minutes} minutes.' })
  text!: string;
}

export class VerificationTextsAnswer {
  @ApiProperty({ enum: [true] })
  success!: true;

  @ApiProperty({ type: [VerificationTextData] })
  data!: VerificationTextData[];
}

export class VerificationTextBody {
  @ApiProperty({
    example: '{code} is your {app} code.',
    maxLength: LONGEST_TEXT,
    description: '`{code}` once, and where you want them `{app}` and `{minutes}`',
  })
  text!: string;
}

export class ProofWayData {
  @ApiProperty({ enum: PROOF_WAYS, example: 'email' })
  by!: ProofWay;

  @ApiProperty({ example: 'jane@example.com', description: 'As it was registered' })
  to!: string;
}

export class RegistrationProofData {
  @ApiProperty({ example: true, description: 'true: the account may only read until then' })
  due!: boolean;

  @ApiProperty({ type: [ProofWayData] })
  ways!: ProofWayData[];
}

export class RegistrationProofAnswer extends AnswerOf(RegistrationProofData) {}

export class ProofBody {
  @ApiProperty({ enum: PROOF_WAYS, example: 'email' })
  by!: ProofWay;
}

export class StartedRegistrationProofData {
  @ApiProperty(ID)
  id!: string;

  @ApiProperty({ example: 'jane@example.com' })
  to!: string;

  @ApiProperty({ type: 'integer', example: 5, description: `Of ${MOST_TRIES}` })
  attempts_left!: number;

  @ZonedTime()
  expires_at!: string;
}

export class StartedRegistrationProofAnswer extends AnswerOf(StartedRegistrationProofData) {}

export class ProofCodeBody extends CodeBody {
  @ApiProperty(ID)
  id!: string;
}
