import { digitsOf } from '../../../../kernel/contacts.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { CallEvent } from '../../call-script.js';
import type { Receipt } from '../../message-driver.js';

const library = async () => (await import('twilio/lib/webhooks/webhooks.js')).default;

/** The carrier sends about thirty. The form is parsed before its signature is checked, so a larger one is refused. */
const MOST_PARAMETERS = 1_000;
const AMPERSAND = 0x26;

export interface SignedCallback {
  /** `PUBLIC_URL` and path; never the Host header */
  url: string;
  signature: string | undefined;
  form: Buffer;
}

export type FormParameters = Record<string, string | string[]>;

export function readForm(form: Buffer): FormParameters {
  const read = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(form.toString('utf8'))) {
    const known = read.get(name);
    if (known === undefined) read.set(name, value);
    else if (Array.isArray(known)) known.push(value);
    else read.set(name, [known, value]);
  }
  return Object.fromEntries(read);
}

/** True when the auth token signed this URL and form; compares in constant time. */
export async function isSigned({ url, signature, form }: SignedCallback, authToken: string): Promise<boolean> {
  // the path may be a URL itself (`POST http://…`), and the whole then is no valid URL
  if (!URL.canParse(url) || isOversized(form)) return false;
  const { validateRequest } = await library();
  return validateRequest(authToken, signature ?? '', url, readForm(form));
}

function isOversized(form: Buffer): boolean {
  let at = -1;
  for (let parameters = 1; parameters <= MOST_PARAMETERS; parameters++) {
    at = form.indexOf(AMPERSAND, at + 1);
    if (at < 0) return false;
  }
  return true;
}

const LONGEST_ID = 128;
const LONGEST_URL = 2_048;
const LONGEST_TEXT = 200;
const LONGEST_CALL_SECONDS = 86_400;
/** SIP codes from here on are refusals. */
const SIP_REFUSED = 400;

/** Final states of calls; `queued`, `ringing`, `in-progress`, … are not final. */
const ENDS: ReadonlyMap<string, Receipt['status']> = new Map([
  ['completed', 'answered'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

type DialOutcome = Extract<CallEvent, { kind: 'dialed' }>['outcome'];

/** Final states of forwarded legs; `answered` means a conference. */
const DIAL_ENDS: ReadonlyMap<string, DialOutcome> = new Map([
  ['completed', 'completed'],
  ['answered', 'completed'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** @returns null when the call is not of this account */
export function callIdOf(parameters: FormParameters, accountSid: string): string | null {
  const id = textOf(parameters['CallSid']);
  return textOf(parameters['AccountSid']) === accountSid && id !== '' && id.length <= LONGEST_ID ? id : null;
}

/** @returns null when nothing happened (a recording that is missing) */
export function readEvent(kind: CallEvent['kind'], parameters: FormParameters): CallEvent | null {
  switch (kind) {
    case 'answered':
    case 'played':
      return { kind };
    case 'digits':
      return { kind, digits: textOf(parameters['Digits']).slice(0, 1) };
    case 'dialed': {
      const outcome = DIAL_ENDS.get(textOf(parameters['DialCallStatus'])) ?? 'failed';
      return { kind, outcome, seconds: secondsOf(parameters['DialCallDuration']) };
    }
    case 'recorded': {
      const status = textOf(parameters['RecordingStatus']);
      // The callback of the recording itself, beside the action's.
      if (status !== '' && status !== 'completed') return null;
      const url = textOf(parameters['RecordingUrl']);
      return { kind, url: url.length <= LONGEST_URL ? url : '', seconds: secondsOf(parameters['RecordingDuration']) };
    }
  }
}

/** @returns null when the call has not ended */
export function readReceipt(ref: string, callId: string, parameters: FormParameters): Receipt | null {
  const status = ENDS.get(textOf(parameters['CallStatus']));
  if (status === undefined) return null;
  const receiver = digitsOf(textOf(parameters['To']));
  return {
    providerMessageId: callId,
    status,
    errorCode: null,
    errorText: null,
    ...(status === 'failed' && readFailure(parameters)),
    receiver: receiver === '' ? null : receiver,
    durationSeconds: status === 'answered' ? secondsOf(parameters['CallDuration']) : 0,
    ref,
  };
}

/** The receipt in a call's resource (`GET …/Calls/<sid>.json`), of a call that has ended. */
export function receiptOf(callId: string, resource: Record<string, unknown>): Receipt | null {
  const text = (name: string): string => {
    const value = resource[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  if (text('sid') !== callId) return null;
  const parameters = { CallStatus: text('status'), To: text('to'), CallDuration: text('duration') };
  const receipt = readReceipt('', callId, parameters);
  if (!receipt) return null;
  const { ref: _, ...named } = receipt;
  return named;
}

function readFailure(parameters: FormParameters): { errorCode: number | null; errorText: string } {
  const sip = codeOf(parameters['SipResponseCode']);
  const canceled = textOf(parameters['CallStatus']) === 'canceled';
  const text = textOf(parameters['ErrorMessage']) || (canceled ? 'Call was canceled' : 'Call failed');
  return {
    errorCode: codeOf(parameters['ErrorCode']) ?? (sip !== null && sip >= SIP_REFUSED ? sip : null),
    errorText: cutCodePoints(text, LONGEST_TEXT),
  };
}

const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

const codeOf = (value: string | string[] | undefined): number | null => {
  const text = textOf(value);
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
};

const secondsOf = (value: string | string[] | undefined): number => Math.min(codeOf(value) ?? 0, LONGEST_CALL_SECONDS);

export const CALL_EVENTS = [
  'answered',
  'digits',
  'played',
  'dialed',
  'recorded',
] as const satisfies CallEvent['kind'][];

export interface CallbackOrigin {
  /** `PUBLIC_URL`, without a trailing slash */
  origin: string;
  route: string;
}

const callAddress = ({ origin, route }: CallbackOrigin, ref: string): string =>
  `${origin}/provider/voice/${encodeURIComponent(route)}/calls/${encodeURIComponent(ref)}`;

/** URL of a call's next step. The signature covers reference, step and event, so that any instance can answer a repeat. */
export const stepAddress = (origin: CallbackOrigin, ref: string, step: number, event: CallEvent['kind']): string =>
  `${callAddress(origin, ref)}/steps/${step}/${event}`;

export const statusAddress = (origin: CallbackOrigin, ref: string): string => `${callAddress(origin, ref)}/status`;
