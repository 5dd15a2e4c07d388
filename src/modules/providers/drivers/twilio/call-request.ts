import { boundedCache } from '../../../../platform/caches/index.js';
import { digitsOf } from '../../../../kernel/phone-number.js';
import type { OutboundMessage } from '../../ports/message-driver.js';
import { type CallbackPlace, statusAddress, stepAddress } from './callback-urls.js';
import type { TwilioConfig } from './config.js';
import { renderStep } from './twiml.js';

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
    private readonly place: CallbackPlace,
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
        ? `Method=POST&Url=${encodeURIComponent(stepAddress(this.place, ref, 0, 'answered'))}`
        : `Twiml=${await this.document(audioAddress(this.place.origin, audio))}`;
    const statusUrl = encodeURIComponent(statusAddress(this.place, ref));
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
