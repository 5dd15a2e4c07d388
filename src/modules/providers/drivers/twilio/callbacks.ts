import { digitsOf } from '../../../../kernel/contacts.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { CallEvent } from '../../call-script.js';
import type { Receipt } from '../../message-driver.js';

/** Loaded when the first callback comes. */
const library = async () => (await import('twilio/lib/webhooks/webhooks.js')).default;

/** The network sends some thirty; the form is read before its proof is judged, so one with more is not read. */
const MOST_PARAMETERS = 1_000;
const AMPERSAND = 0x26;

/** A callback as it came. */
export interface SignedCallback {
  /** the address that the network was given: `PUBLIC_URL` and path; never what the Host header says */
  url: string;
  /** `X-Twilio-Signature` */
  signature: string | undefined;
  /** the form that the signature covers */
  form: Buffer;
}

/** Names and values of a form; a name that comes several times has a list. */
export type FormParameters = Record<string, string | string[]>;

/** Reads a form as the network wrote it. */
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

/** Whether this address and this form were signed with the auth token; compares in constant time. */
export async function isSigned({ url, signature, form }: SignedCallback, authToken: string): Promise<boolean> {
  // A path need not make an address below ours (`POST http://…` names one of its own).
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
/** SIP answers from here on are refusals. */
const SIP_REFUSED = 400;

/** How calls end. Other words (`queued`, `ringing`, `in-progress`, …) are no end. */
const ENDS: ReadonlyMap<string, Receipt['status']> = new Map([
  ['completed', 'answered'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

type DialOutcome = Extract<CallEvent, { kind: 'dialed' }>['outcome'];

/** How forwarded legs end; `answered` is the word of legs into a conference. */
const DIAL_ENDS: ReadonlyMap<string, DialOutcome> = new Map([
  ['completed', 'completed'],
  ['answered', 'completed'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** The call that a callback is about. @returns null when it is not a call of this account */
export function callIdOf(parameters: FormParameters, accountSid: string): string | null {
  const id = textOf(parameters['CallSid']);
  return textOf(parameters['AccountSid']) === accountSid && id !== '' && id.length <= LONGEST_ID ? id : null;
}

/** What happened in a call. @returns null when nothing did (a recording that is not there) */
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
      // The network's word on the recording itself (its own callback), which comes beside the action's.
      if (status !== '' && status !== 'completed') return null;
      const url = textOf(parameters['RecordingUrl']);
      return { kind, url: url.length <= LONGEST_URL ? url : '', seconds: secondsOf(parameters['RecordingDuration']) };
    }
  }
}

/** How the call ended. @returns null when it has not */
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

function readFailure(parameters: FormParameters): { errorCode: number | null; errorText: string } {
  const sip = codeOf(parameters['SipResponseCode']);
  const canceled = textOf(parameters['CallStatus']) === 'canceled';
  const text = textOf(parameters['ErrorMessage']) || (canceled ? 'Call was canceled' : 'Call failed');
  return {
    errorCode: codeOf(parameters['ErrorCode']) ?? (sip !== null && sip >= SIP_REFUSED ? sip : null),
    errorText: cutCodePoints(text, LONGEST_TEXT),
  };
}

/** The first value of a name; '' when there is none. */
const textOf = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? (value[0] ?? '') : (value ?? '');

const codeOf = (value: string | string[] | undefined): number | null => {
  const text = textOf(value);
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
};

const secondsOf = (value: string | string[] | undefined): number => Math.min(codeOf(value) ?? 0, LONGEST_CALL_SECONDS);

/** Kinds of events, in callback addresses. */
export const CALL_EVENTS = [
  'answered',
  'digits',
  'played',
  'dialed',
  'recorded',
] as const satisfies CallEvent['kind'][];

/** The same for every call of a route. */
export interface CallbackOrigin {
  /** `PUBLIC_URL`, without a slash at its end */
  origin: string;
  /** the route's name */
  route: string;
}

const callAddress = ({ origin, route }: CallbackOrigin, ref: string): string =>
  `${origin}/provider/voice/${encodeURIComponent(route)}/calls/${encodeURIComponent(ref)}`;

/**
 * Where the network asks what comes next in a call. Reference, step and kind of event stand in the address (which the
 * signature covers), so that any instance can answer, and a repeated question gets the same answer.
 */
export const stepAddress = (origin: CallbackOrigin, ref: string, step: number, event: CallEvent['kind']): string =>
  `${callAddress(origin, ref)}/steps/${step}/${event}`;

/** Where the network reports how a call ended. */
export const statusAddress = (origin: CallbackOrigin, ref: string): string => `${callAddress(origin, ref)}/status`;
