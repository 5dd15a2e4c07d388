import { isIP } from 'node:net';
import { fieldErrors } from '../../kernel/errors.js';
import { readText } from '../../kernel/text.js';
import type { Environment } from '../../platform/config/index.js';
import type { AnswerWarning } from '../../platform/http/index.js';
import { type Account, isTesting } from '../accounts/index.js';
import { smsErrors } from '../channels/sms/index.js';
import { readMessageNumber } from '../messages/index.js';
import { readSmsOptions, type SmsOptions } from '../sender-ids/index.js';
import {
  LENGTHS,
  LONGEST_APP,
  MOST_SENDS,
  type ProofWay,
  type SentChannel,
  TTL_S,
  VERIFICATION_CHANNELS,
  verificationErrors,
} from './verifications.errors.js';

/** How its messages are made; stored with the verification. */
export interface Wanted {
  length: number;
  ttlSeconds: number;
  locale: string;
  /** name of the operator's text */
  template: string;
  /** name of the account's authentication template; null = chat is no channel */
  chatTemplate: string | null;
  /** null = the name of the account */
  app: string | null;
  /** of SMS */
  options: Pick<SmsOptions, 'senderId' | 'dltTemplateId'>;
  ref: string | null;
  clientIp: string | null;
  /** started with a test key: nothing leaves */
  isTest: boolean;
  /** the code of a test, in clear: it proves nothing */
  testCode?: string;
  /** id of the account whose registration it proves */
  proofOf?: number;
}

/** An accepted message. @property campaignId null = an e-mail */
export interface SentCode {
  campaignId: number | null;
  credits: number;
}

/** A code as it is stored. */
export interface NewCode {
  hash: string;
  sealed: string;
  /** in clear; of a test only */
  testCode?: string;
}

export interface VerificationRequest extends Wanted {
  to: string;
  channels: readonly [SentChannel, ...SentChannel[]];
  warnings: readonly AnswerWarning[];
}

/** How an account can prove itself: what it registered with, and the operator can reach. */
export interface Provable {
  isDue: boolean;
  ways: { by: ProofWay; to: string }[];
}

export type ProofSettings = Pick<Environment, 'SMTP_URL' | 'REGISTRATION_PAYER'>;

/** What the account can prove by a code. */
export function provable(
  { proofDue, email, mobileNo }: Account,
  { SMTP_URL, REGISTRATION_PAYER }: ProofSettings,
): Provable {
  const ways: Provable['ways'] = [];
  if (SMTP_URL && email !== null) ways.push({ by: 'email', to: email });
  if (REGISTRATION_PAYER && mobileNo !== null) ways.push({ by: 'phone', to: mobileNo });
  return { isDue: proofDue, ways: proofDue ? ways : [] };
}

export const USUAL_TEXT = 'default';
export const USUAL_LOCALE = 'en';
export const TEXT_NAME = /^[a-z0-9_-]{1,32}$/;
export const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/;
const APP = new RegExp(`^[\\p{L}\\p{M}\\p{N} &'-]{1,${LONGEST_APP}}$`, 'u');
const REF = /^\P{Cc}{1,64}$/u;
const CHAT_TEMPLATE = /^[a-z0-9_]{1,512}$/;
const CODE = /^[0-9]{4,10}$/;

type Body = Readonly<Record<string, unknown>>;

/** @throws AppError the first row of reference/verifications#errors that applies */
export function readVerification(body: Body, account: Account): VerificationRequest {
  const channels = readChannels(body['channels']);
  const { to, warnings } = readMessageNumber(body['to'], account);
  const length = readWhole(body['length'], LENGTHS, verificationErrors.length);
  const ttlSeconds = readWhole(body['ttl_s'], TTL_S, verificationErrors.ttl);
  const text = (field: string, form: RegExp, refuse = (): Error => fieldErrors.invalid(field)): string | null => {
    const read = readText(body[field]);
    if (read.kind === 'empty') return null;
    const value = read.kind === 'text' ? read.value.trim() : '';
    if (!form.test(value)) throw refuse();
    return value;
  };
  const locale = text('locale', LOCALE)?.toLowerCase() ?? USUAL_LOCALE;
  const template = text('template', TEXT_NAME, verificationErrors.template) ?? USUAL_TEXT;
  const chatTemplate = text('chat_template', CHAT_TEMPLATE);
  if (chatTemplate === null && channels.includes('chat')) throw verificationErrors.chatTemplate.asShown();
  const app = text('app', APP, verificationErrors.app);
  const { sender_id, dlt_template_id } = body;
  const said = readSmsOptions({ sender_id, dlt_template_id });
  if ('fault' in said) throw smsErrors[said.fault]();
  const { senderId, dltTemplateId } = said.options;
  const options = { senderId, dltTemplateId };
  const ref = text('ref', REF, verificationErrors.ref);
  const clientIp = text('client_ip', /^[0-9A-Fa-f.:]{2,45}$/);
  if (clientIp !== null && isIP(clientIp) === 0) throw fieldErrors.invalid('client_ip');
  return {
    to,
    channels,
    length,
    ttlSeconds,
    locale,
    template,
    chatTemplate,
    app,
    options,
    ref,
    clientIp,
    isTest: isTesting(account),
    warnings,
  };
}

function readChannels(value: unknown): VerificationRequest['channels'] {
  if (value === undefined || value === null) return ['sms'];
  const given: unknown[] = Array.isArray(value) ? value : [];
  const channels = given.flatMap((word) => VERIFICATION_CHANNELS.find((known) => known === word) ?? []);
  const [first, ...others] = channels;
  if (first === undefined || channels.length < given.length || channels.length > MOST_SENDS)
    throw verificationErrors.channels();
  return [first, ...others];
}

function readWhole(
  value: unknown,
  { from, to, usual }: { from: number; to: number; usual: number },
  fault: typeof verificationErrors.length,
): number {
  if (value === undefined || value === null || value === '') return usual;
  const number = typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < from || number > to) throw fault.asShown();
  return number;
}

/** A code as a person may type it, with blanks or dashes. @throws AppError invalid */
export function readCode(value: unknown): string {
  const read = readText(value);
  const code = read.kind === 'text' ? read.value.replace(/[\s-]/g, '') : '';
  if (!CODE.test(code)) throw verificationErrors.code();
  return code;
}

const ID = /^ver_([1-9][0-9]{0,15})$/;

/** @throws AppError not_found */
export function readVerificationId(text: string): number {
  const id = Number(ID.exec(text)?.[1]);
  if (!Number.isSafeInteger(id)) throw verificationErrors.notFound();
  return id;
}

export const verificationName = (id: number): string => `ver_${id}`;
