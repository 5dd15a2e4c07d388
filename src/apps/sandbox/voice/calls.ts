import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { callOutcomeOf, type CallOutcome } from '../../../kernel/contacts.js';
import { isHttpUrl } from '../../../kernel/urls.js';

export type CallEnd = 'completed' | 'busy' | 'no-answer' | 'failed';

/** Events of a call, for the ledger. */
export interface CallRecord {
  status: 'queued' | 'ringing' | 'in-progress' | CallEnd;
  seconds: number;
  heard: string[];
  /** keys; '' = silence */
  pressed: string[];
  dialed: { number: string; callerId: string | null; timeLimit: number | null; outcome: CallEnd }[];
  recordings: string[];
  /** errors that the carrier's debugger would show */
  faults: string[];
}

export interface Call {
  sid: string;
  accountSid: string;
  network: string;
  authToken: string;
  to: string;
  from: string;
  instructions: { url: string; method: 'GET' | 'POST' } | { twiml: string };
  statusCallback: string | null;
  statusEvents: readonly string[];
  record: CallRecord;
}

export const newCallRecord = (): CallRecord => ({
  status: 'queued',
  seconds: 0,
  heard: [],
  pressed: [],
  dialed: [],
  recordings: [],
  faults: [],
});

export const callFacts = ({ sid, accountSid, to, from, record }: Call): Record<string, string> => ({
  AccountSid: accountSid,
  ApiVersion: '2010-04-01',
  CallSid: sid,
  CallStatus: record.status,
  Called: to,
  Caller: from,
  Direction: 'outbound-api',
  From: from,
  To: to,
});

const number = z
  .string()
  .transform((text) => text.replace(/\D/g, ''))
  .pipe(z.string().min(1));
const outcome = z.enum(['answered', 'busy', 'no-answer', 'failed']);

/** `POST /voice/script`: the behaviour of a called person. */
export const calleeSchema = z
  .object({
    to: number,
    /** one key a question in every call; '' = silence, `hangup` = hangs up; silence after the last */
    digits: z.array(z.string().regex(/^([0-9*#]?|hangup)$/)).default([]),
    /** outcomes by forwarded number; the default depends on the last three digits */
    forwards: z.record(z.string(), outcome).default({}),
    /** outcomes of the first calls; the default depends on the last three digits */
    outcomes: z.array(outcome).default([]),
    speaks: z.boolean().default(true),
  })
  .strict();

export type Callee = z.infer<typeof calleeSchema>;

/** Scripts of called people. */
@Injectable()
export class Callees {
  private readonly known = new Map<string, Callee>();
  private readonly calls = new Map<string, number>();

  set(callee: Callee): void {
    this.known.set(callee.to, callee);
    this.calls.delete(callee.to);
  }

  get(to: string): Callee {
    return this.known.get(to) ?? { to, digits: [], forwards: {}, outcomes: [], speaks: true };
  }

  nextOutcome(to: string): CallOutcome {
    const { outcomes } = this.get(to);
    if (outcomes.length === 0) return callOutcomeOf(to);
    const calls = this.calls.get(to) ?? 0;
    this.calls.set(to, calls + 1);
    return outcomes[calls] ?? callOutcomeOf(to);
  }

  clear(): void {
    this.known.clear();
    this.calls.clear();
  }
}

/** A refusal in the carrier's words. */
export class TelephoneError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    // seconds
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  get body(): Record<string, unknown> {
    const { code, message, status } = this;
    return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
  }
}

const WORTHLESS_TOKEN = 'bad-token';
const ACCOUNT = /^AC[0-9a-f]{32}$/i;
const NUMBER = /^\+[1-9]\d{6,15}$/;
const LONGEST_TWIML = 4_000;
const LONGEST_RING_SECONDS = 600;
const EVENTS = new Set(['initiated', 'ringing', 'answered', 'completed']);

const bad = (code: number, message: string): TelephoneError => new TelephoneError(400, code, message);

/** Reads basic authentication with the account's SID and token. Throws TelephoneError 20003. */
export function readLogin(header: string | undefined, accountSid: string): string {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(header ?? '') ?? [];
  const login = Buffer.from(encoded, 'base64').toString('utf8');
  const at = login.indexOf(':');
  const [user, token] = [login.slice(0, Math.max(at, 0)), login.slice(at + 1)];
  if (at < 1 || token === '' || token === WORTHLESS_TOKEN || user !== accountSid || !ACCOUNT.test(user)) {
    throw new TelephoneError(401, 20003, 'Authenticate');
  }
  return token;
}

/** Validates a call request as the carrier does. Throws TelephoneError. */
export function readCall(
  form: URLSearchParams,
): Pick<Call, 'to' | 'from' | 'instructions' | 'statusCallback' | 'statusEvents'> {
  const to = form.get('To') ?? '';
  const from = form.get('From') ?? '';
  if (to === '') throw bad(21201, "No 'To' number is specified");
  if (from === '') throw bad(21213, "No 'From' number is specified");
  if (!NUMBER.test(to)) throw bad(21211, `The phone number you are attempting to call, ${to}, is not valid.`);
  if (!NUMBER.test(from)) throw bad(21212, `The source phone number provided, ${from}, is not valid.`);
  const timeout = form.get('Timeout') ?? '60';
  if (!/^\d+$/.test(timeout) || Number(timeout) > LONGEST_RING_SECONDS) throw bad(21220, 'Invalid Timeout');
  return { to, from, instructions: readInstructions(form), ...readStatusCallback(form) };
}

function readInstructions(form: URLSearchParams): Call['instructions'] {
  const url = form.get('Url');
  const twiml = form.get('Twiml');
  if (url !== null) {
    if (!isHttpUrl(url)) throw bad(21205, `Url is not a valid URL: ${url}`);
    return { url, method: readMethod(form, 'Method') };
  }
  if (twiml === null || twiml === '') throw bad(21205, 'Url parameter is required.');
  if (twiml.length > LONGEST_TWIML) throw bad(21602, 'Twiml is too long');
  return { twiml };
}

function readStatusCallback(form: URLSearchParams): Pick<Call, 'statusCallback' | 'statusEvents'> {
  const url = form.get('StatusCallback');
  if (url === null) return { statusCallback: null, statusEvents: [] };
  if (!isHttpUrl(url)) throw bad(21609, `Invalid StatusCallback URL: ${url}`);
  if (readMethod(form, 'StatusCallbackMethod') !== 'POST') throw bad(21609, 'The sandbox reports by POST only');
  const events = form.getAll('StatusCallbackEvent');
  if (events.some((event) => !EVENTS.has(event))) throw bad(21626, 'Invalid StatusCallbackEvent');
  return { statusCallback: url, statusEvents: events.length === 0 ? ['completed'] : events };
}

function readMethod(form: URLSearchParams, name: string): 'GET' | 'POST' {
  const method = (form.get(name) ?? 'POST').toUpperCase();
  if (method !== 'GET' && method !== 'POST') throw bad(21403, `${name} is not valid`);
  return method;
}
