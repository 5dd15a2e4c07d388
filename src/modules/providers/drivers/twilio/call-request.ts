import { z } from 'zod';
import { digitsOf } from '../../../../kernel/contacts.js';
import { isHttpUrl } from '../../../../kernel/urls.js';
import { boundedCache } from '../../../../platform/concurrency/index.js';
import type { CallEvent, CallStep } from '../../call-script.js';
import type { OutboundMessage } from '../../message-driver.js';
import { failoverCodes } from '../carrier-answers.js';
import { type CallbackOrigin, statusAddress, stepAddress } from './callbacks.js';

const plainUrl = (url: string): boolean => {
  if (!isHttpUrl(url)) return false;
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '';
};

/**
 * `config` of a route with driver `twilio` (reference/providers#twilio). Beyond the fields named there: `ring_seconds`,
 * after which a call counts as unanswered, and `timeout_ms` of a request.
 */
export const twilioConfigSchema = z.object({
  // `AC` and 32 hexadecimal digits at the network itself; networks that speak its API have forms of their own
  account_sid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an account SID'),
  auth_token: z.string().min(1, 'must not be empty').max(256),
  base_url: z
    .string()
    .max(512)
    .refine(plainUrl, 'must be an http or https URL without login, query or fragment')
    .default('https://api.twilio.com'),
  /** caller's number of calls that name none */
  from: z
    .string()
    .transform(digitsOf)
    .refine((digits) => digits.length >= 10 && digits.length <= 16, 'must be 10 to 16 digits')
    .optional(),
  ring_seconds: z.number().int().min(5).max(600).default(30),
  timeout_ms: z.number().int().min(100).max(25_000).default(15_000),
  failover_codes: failoverCodes,
});

export type TwilioConfig = z.infer<typeof twilioConfigSchema>;

/** Longest silence that ends a recording. */
const RECORDING_SILENCE_SECONDS = 5;
/** How long a forwarded leg rings. */
const FORWARD_RING_SECONDS = 30;
const METHOD = { method: 'POST' } as const;

/** Loaded when the first call needs it: an installation without voice never does. */
const library = async () => (await import('twilio/lib/twiml/VoiceResponse.js')).default;

type VoiceResponse = InstanceType<Awaited<ReturnType<typeof library>>>;

/** The empty document: the answer to a callback that only reports. */
export const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/**
 * What the network does next, in its own language (TwiML). Whatever stands in a step is escaped.
 * @param after address of the next question, for the event that this step leads to
 */
export async function renderStep(step: CallStep, after: (event: CallEvent['kind']) => string): Promise<string> {
  const response = new (await library())();
  write(response, step, after);
  return response.toString();
}

function write(response: VoiceResponse, step: CallStep, after: (event: CallEvent['kind']) => string): void {
  switch (step.do) {
    case 'play':
      response.play(step.audio);
      if (step.then === 'continue') response.redirect(METHOD, after('played'));
      else response.hangup();
      return;
    case 'menu': {
      const action = after('digits');
      // An empty `finishOnKey` makes # a digit like any other.
      const attributes = { ...METHOD, action, numDigits: 1, finishOnKey: '', timeout: step.timeoutSeconds };
      const gather = response.gather({ ...attributes, input: ['dtmf'] });
      if (step.prompt !== null) gather.play(step.prompt);
      // Reached on silence only: the action is asked when a key was pressed.
      response.redirect(METHOD, action);
      return;
    }
    case 'dial': {
      const dial = response.dial({
        ...METHOD,
        action: after('dialed'),
        timeout: FORWARD_RING_SECONDS,
        timeLimit: step.maxSeconds,
        ...(step.callerId !== '' && { callerId: `+${step.callerId}` }),
      });
      dial.number(`+${step.number}`);
      return;
    }
    case 'record': {
      const action = after('recorded');
      response.record({
        ...METHOD,
        action,
        maxLength: step.maxSeconds,
        timeout: RECORDING_SILENCE_SECONDS,
        playBeep: true,
        recordingStatusCallback: action,
        recordingStatusCallbackMethod: 'POST',
        recordingStatusCallbackEvent: ['completed'],
      });
      // Reached when nothing was said: the action is asked when there is a recording.
      response.redirect(METHOD, action);
      return;
    }
    case 'hangup':
      response.hangup();
  }
}

/** The form that makes a call, or why there can be none. */
export type CallForm = { form: string } | { fault: string };

/** Documents of this many clips are kept: campaigns under way at the same time have one each. */
const DOCUMENTS_KEPT = 100;
/** What a call may last beyond its clip: the network counts from the answer. */
const SPARE_SECONDS = 15;
/** The most that the network takes, seconds. */
const LONGEST_CALL_SECONDS = 14_400;

/** The requests of one route. A campaign differs from call to call in little, so what is the same is written once. */
export class CallRequests {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** by the clip's address */
  private readonly documents = boundedCache<string, Promise<string>>(DOCUMENTS_KEPT);
  private readonly ending: string;

  constructor(
    private readonly config: TwilioConfig,
    private readonly origin: CallbackOrigin,
    private readonly maxSeconds: number,
  ) {
    const { base_url: base, account_sid: account, auth_token: token, ring_seconds: seconds } = config;
    this.url = `${base.replace(/\/+$/, '')}/2010-04-01/Accounts/${account}/Calls.json`;
    this.headers = {
      authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    };
    // Of the events only the last one decides a recipient's status.
    this.ending = `&StatusCallbackMethod=POST&StatusCallbackEvent=completed&Timeout=${seconds}`;
  }

  /**
   * One call as the network wants it. What only plays a clip carries its document along, so that the network need not
   * ask; what has a menu names the address of its first step. `payload`: `audio` (address of the clip, or a path of ours),
   * `callerId` (digits; '' or none = the route's own number), `interactive` (the callee is asked for keys), `seconds` (how
   * long the clip is). A sender of its own stands above `callerId` if it is a number: a call cannot show a name.
   */
  async formOf({ ref, to, sender = '', payload = {} }: OutboundMessage): Promise<CallForm> {
    const { audio, callerId, interactive, seconds } = payload;
    if (typeof audio !== 'string' || audio === '') return { fault: 'Nothing to play' };
    const campaigns = typeof callerId === 'string' ? digitsOf(callerId) : '';
    const from = (isNumber(sender) && digitsOf(sender)) || campaigns || this.config.from;
    if (from === undefined) return { fault: 'No caller number' };
    const instructions =
      interactive === true
        ? `Method=POST&Url=${encodeURIComponent(stepAddress(this.origin, ref, 0, 'answered'))}`
        : `Twiml=${await this.document(audioAddress(this.origin.origin, audio))}`;
    const statusUrl = encodeURIComponent(statusAddress(this.origin, ref));
    const limit = `&TimeLimit=${this.limitOf(interactive === true, seconds)}`;
    return { form: `To=%2B${to}&From=%2B${from}&${instructions}&StatusCallback=${statusUrl}${this.ending}${limit}` };
  }

  /** A call ends with its clip; one with a menu may be in it as long as in a forwarded leg, which has a limit of its own. */
  private limitOf(isInteractive: boolean, seconds: unknown): number {
    const ofClip = typeof seconds === 'number' ? Math.ceil(seconds) + SPARE_SECONDS : this.maxSeconds;
    return Math.min(isInteractive ? 2 * this.maxSeconds : ofClip, LONGEST_CALL_SECONDS);
  }

  /** What plays the clip and hangs up, escaped for the form. */
  private document(clip: string): Promise<string> {
    const known = this.documents.get(clip);
    if (known) return known;
    const document = renderStep({ do: 'play', audio: clip, then: 'hangup' }, () => '').then(encodeURIComponent);
    this.documents.set(clip, document);
    return document;
  }
}

const isNumber = (sender: string): boolean => /^\+?[0-9]+$/.test(sender);

/** The network resolves nothing against us, so a path of ours becomes an address. */
export const audioAddress = (origin: string, audio: string): string =>
  audio.startsWith('/') ? `${origin}${audio}` : audio;
