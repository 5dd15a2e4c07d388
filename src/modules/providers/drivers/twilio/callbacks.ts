import { digitsOf } from '../../../../kernel/phone-number.js';
import { cutCodePoints } from '../../../../kernel/text.js';
import type { CallEvent } from '../../ports/call-script.js';
import type { Receipt } from '../../ports/message-driver.js';
import type { FormParameters } from './signature.js';

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
