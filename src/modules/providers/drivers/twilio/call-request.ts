import { z } from 'zod';
import { digitsOf } from '../../../../kernel/contacts.js';
import { isHttpUrl } from '../../../../kernel/urls.js';
import { boundedCache } from '../../../../platform/concurrency/index.js';
import type { CallEvent, CallStep } from '../../call-script.js';
import type { OutboundMessage } from '../../message-driver.js';
import { failoverCodes } from '../carrier-answers.js';
import { failureKinds } from '../failure-kinds.js';
import { type CallbackOrigin, statusAddress, stepAddress } from './callbacks.js';

const plainUrl = (url: string): boolean => {
  if (!isHttpUrl(url)) return false;
  const { username, password, search, hash } = new URL(url);
  return username + password + search + hash === '';
};

/** `config` of driver `twilio` (reference/providers#twilio). A call counts as unanswered after `ring_seconds`. */
export const twilioConfigSchema = z.object({
  // `AC` and 32 hexadecimal digits at Twilio; carriers with the same API have their own forms
  account_sid: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be an account SID'),
  auth_token: z.string().min(1, 'must not be empty').max(256),
  base_url: z
    .string()
    .max(512)
    .refine(plainUrl, 'must be an http or https URL without login, query or fragment')
    .default('https://api.twilio.com'),
  from: z
    .string()
    .transform(digitsOf)
    .refine((digits) => digits.length >= 10 && digits.length <= 16, 'must be 10 to 16 digits')
    .optional(),
  ring_seconds: z.number().int().min(5).max(600).default(30),
  timeout_ms: z.number().int().min(100).max(25_000).default(15_000),
  failover_codes: failoverCodes,
  failure_kinds: failureKinds,
});

export type TwilioConfig = z.infer<typeof twilioConfigSchema>;

const RECORDING_SILENCE_SECONDS = 5;
const FORWARD_RING_SECONDS = 30;
const METHOD = { method: 'POST' } as const;

/** Loaded on first use: an installation without voice never needs it. */
const library = async () => (await import('twilio/lib/twiml/VoiceResponse.js')).default;

type VoiceResponse = InstanceType<Awaited<ReturnType<typeof library>>>;

export const EMPTY_TWIML = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** A step as TwiML, escaped. @param after URL of the next question, for the event that this step leads to */
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
      // an empty `finishOnKey` makes # a digit like any other
      const attributes = { ...METHOD, action, numDigits: 1, finishOnKey: '', timeout: step.timeoutSeconds };
      const gather = response.gather({ ...attributes, input: ['dtmf'] });
      if (step.prompt !== null) gather.play(step.prompt);
      // reached on silence only: a pressed key calls the action
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
      // reached without speech only: a recording calls the action
      response.redirect(METHOD, action);
      return;
    }
    case 'hangup':
      response.hangup();
  }
}

/** Times that a text is said. */
const SAID = 2;

/** A text that the carrier speaks. @param language as the carrier names it, such as `en-US`; '' = its own */
export async function renderSpeech(text: string, language: string): Promise<string> {
  const response = new (await library())();
  response.say({ loop: SAID, ...(language !== '' && { language: language as 'en-US' }) }, text);
  response.hangup();
  return response.toString();
}

export type CallForm = { form: string } | { fault: string };

/** Documents cached by clip: concurrent campaigns have one each. */
const DOCUMENTS_KEPT = 100;
/** Allowed beyond the clip: the carrier counts from the answer. */
const SPARE_SECONDS = 15;
const LONGEST_CALL_SECONDS = 14_400;

/** Builds the requests of one route; what a campaign's calls share is built once. */
export class CallRequests {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly account: string;
  private readonly documents = boundedCache<string, Promise<string>>(DOCUMENTS_KEPT);
  private readonly ending: string;

  constructor(
    private readonly config: TwilioConfig,
    private readonly origin: CallbackOrigin,
    private readonly maxSeconds: number,
  ) {
    const { base_url: base, account_sid: account, auth_token: token, ring_seconds: seconds } = config;
    this.account = `${base.replace(/\/+$/, '')}/2010-04-01/Accounts/${account}`;
    this.url = `${this.account}/Calls.json`;
    this.headers = {
      authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    };
    // only the last event decides a recipient's status
    this.ending = `&StatusCallbackMethod=POST&StatusCallbackEvent=completed&Timeout=${seconds}`;
  }

  /**
   * A call's form. A clip alone carries its document, so that the carrier need not ask; a menu names its first step's URL.
   * `payload`: `audio` (URL, or path of ours) or `say` (text and language, spoken by the carrier), `callerId` (digits; '' or none = the route's number), `interactive` (has a
   * menu), `seconds` (length of the clip). A numeric sender overrides `callerId`.
   */
  async formOf({ ref, to, sender = '', payload = {} }: OutboundMessage): Promise<CallForm> {
    const { audio, callerId, interactive, seconds } = payload;
    const say = payload['say'] as { text: string; language: string } | undefined;
    const clip = typeof audio === 'string' ? audio : '';
    if (!say && clip === '') return { fault: 'Nothing to play' };
    const campaigns = typeof callerId === 'string' ? digitsOf(callerId) : '';
    const from = (isNumber(sender) && digitsOf(sender)) || campaigns || this.config.from;
    if (from === undefined) return { fault: 'No caller number' };
    const instructions =
      interactive === true
        ? `Method=POST&Url=${encodeURIComponent(stepAddress(this.origin, ref, 0, 'answered'))}`
        : `Twiml=${await (say ? renderSpeech(say.text, say.language).then(encodeURIComponent) : this.document(audioAddress(this.origin.origin, clip)))}`;
    const statusUrl = encodeURIComponent(statusAddress(this.origin, ref));
    const limit = `&TimeLimit=${this.limitOf(interactive === true, seconds)}`;
    return { form: `To=%2B${to}&From=%2B${from}&${instructions}&StatusCallback=${statusUrl}${this.ending}${limit}` };
  }

  /** Seconds: up to the end of the clip; with a menu, room for a forwarded leg, which has its own limit. */
  private limitOf(isInteractive: boolean, seconds: unknown): number {
    const ofClip = typeof seconds === 'number' ? Math.ceil(seconds) + SPARE_SECONDS : this.maxSeconds;
    return Math.min(isInteractive ? 2 * this.maxSeconds : ofClip, LONGEST_CALL_SECONDS);
  }

  private document(clip: string): Promise<string> {
    const known = this.documents.get(clip);
    if (known) return known;
    const document = renderStep({ do: 'play', audio: clip, then: 'hangup' }, () => '').then(encodeURIComponent);
    this.documents.set(clip, document);
    return document;
  }
}

const isNumber = (sender: string): boolean => /^\+?[0-9]+$/.test(sender);

/** The carrier resolves no relative URLs, so our paths become absolute. */
export const audioAddress = (origin: string, audio: string): string =>
  audio.startsWith('/') ? `${origin}${audio}` : audio;
