import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { callOutcomeOf } from '../../../kernel/contacts.js';
import { boundedCache } from '../../../platform/concurrency/index.js';
import { MessageIds } from '../carrier-ledger.js';
import { CallbackSender } from '../http-exchange.js';
import { type Call, type Callee, Callees, type CallEnd, callFacts } from './calls.js';
import { faultsOf, readTwiml, type TwimlElement, TwimlFault } from './twiml.js';

const LOCAL = new Set(['127.0.0.1', '[::1]', 'localhost']);
const AUDIO = /^audio\//i;
const KEPT = 10_000;

/** Clips to play, each fetched once; only addresses on this machine are fetched. */
@Injectable()
export class Clips {
  private readonly faults = boundedCache<string, Promise<string | null>>(KEPT);

  constructor(private readonly callbacks: CallbackSender) {}

  /** Why a clip cannot be played; null = it can, or is on another machine. */
  faultOf(url: string): Promise<string | null> {
    const known = this.faults.get(url);
    if (known) return known;
    const fault = this.fetch(url);
    this.faults.set(url, fault);
    return fault;
  }

  clear(): void {
    this.faults.clear();
  }

  private async fetch(url: string): Promise<string | null> {
    if (!URL.canParse(url)) return 'clip without an address';
    if (!LOCAL.has(new URL(url).hostname)) return null;
    const answer = await this.callbacks.get(url);
    if (answer?.status !== 200) return `clip answers ${answer?.status ?? 'nothing'}`;
    return AUDIO.test(String(answer.headers['content-type'])) ? null : 'clip is no audio';
  }
}

const FORM = 'application/x-www-form-urlencoded';
const TRIES = 3;
const REPEAT_MS = 500;

/** `X-Twilio-Signature`: the address, then the form's names and values, sorted by name. */
function signatureOf(authToken: string, url: string, parameters: Readonly<Record<string, string>>): string {
  const text = Object.keys(parameters)
    .sort()
    .reduce((all, name) => all + name + (parameters[name] ?? ''), url);
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/** The carrier's signed requests to its customer. */
@Injectable()
export class NetworkRequests {
  constructor(private readonly callbacks: CallbackSender) {}

  /** Requests the next document of a call, and again after an error; null = none. */
  async ask(
    call: Call,
    url: string,
    parameters: Record<string, string>,
    method: 'GET' | 'POST',
  ): Promise<string | null> {
    const request = method === 'POST' ? post(call, url, parameters) : get(call, url, parameters);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.callbacks.exchange(request);
      if (answer && answer.status >= 200 && answer.status < 300) return answer.body.toString('utf8');
      if (attempt === TRIES || (answer && answer.status < 500)) return null;
      await sleep(REPEAT_MS);
    }
  }

  async report(call: Call, url: string, parameters: Record<string, string>): Promise<void> {
    const { body, headers } = post(call, url, parameters);
    await this.callbacks.post(url, body, headers);
  }
}

type Request = Parameters<CallbackSender['exchange']>[0];

function post(call: Call, url: string, parameters: Record<string, string>): Request & { body: string } {
  const all = { ...callFacts(call), ...parameters };
  const signature = signatureOf(call.authToken, url, all);
  const headers = { 'content-type': FORM, 'x-twilio-signature': signature };
  return { url, method: 'POST', headers, body: new URLSearchParams(all).toString() };
}

function get(call: Call, url: string, parameters: Record<string, string>): Request {
  const address = new URL(url);
  for (const [name, value] of Object.entries({ ...callFacts(call), ...parameters })) {
    address.searchParams.append(name, value);
  }
  const signature = signatureOf(call.authToken, address.href, {});
  return { url: address.href, method: 'GET', headers: { 'x-twilio-signature': signature } };
}

const PLAY_SECONDS = 3;
const KEY_SECONDS = 1;
const FORWARD_SECONDS = 10;
const SPOKEN_SECONDS = 4;
const GATHER_TIMEOUT_SECONDS = 5;
const MOST_DOCUMENTS = 500;

type Next = 'on' | 'end' | Question;

interface Question {
  url: string;
  method: 'GET' | 'POST';
  parameters: Record<string, string>;
}

interface Performance {
  call: Call;
  callee: Callee;
  keys: string[];
  address: string | null;
}

/** Performs TwiML documents as the carrier does, on a simulated clock. */
@Injectable()
export class CallPerformer {
  private readonly ids = new MessageIds();

  constructor(
    private readonly requests: NetworkRequests,
    private readonly callees: Callees,
    private readonly clips: Clips,
  ) {}

  async perform(call: Call): Promise<void> {
    const callee = this.callees.get(call.to.slice(1));
    const performance: Performance = { call, callee, keys: [...callee.digits], address: null };
    const { instructions } = call;
    let next: Next = 'twiml' in instructions ? 'on' : { ...instructions, parameters: {} };
    let document = 'twiml' in instructions ? instructions.twiml : '';
    for (let documents = 1; next !== 'end'; documents++) {
      if (documents > MOST_DOCUMENTS) return void call.record.faults.push('too many documents');
      if (typeof next === 'object') {
        const answer = await this.requests.ask(call, next.url, next.parameters, next.method);
        if (answer === null) return void call.record.faults.push('no document (11200)');
        performance.address = next.url;
        document = answer;
      }
      next = await this.carryOut(performance, document);
    }
  }

  // Never `on`: the end of a document ends the call.
  private async carryOut(performance: Performance, text: string): Promise<Exclude<Next, 'on'>> {
    const { record } = performance.call;
    try {
      const response = readTwiml(text);
      record.faults.push(...faultsOf(response));
      for (const verb of response.children) {
        const next = await this.verb(performance, verb);
        if (next !== 'on') return next;
      }
    } catch (error) {
      if (!(error instanceof TwimlFault)) throw error;
      record.faults.push(`${error.message} (12100)`);
    }
    return 'end';
  }

  private async verb(performance: Performance, verb: TwimlElement): Promise<Next> {
    const { record } = performance.call;
    switch (verb.name) {
      case 'Play':
      case 'Say':
      case 'Pause':
        await this.sound(performance, verb);
        return 'on';
      case 'Gather':
        return this.gather(performance, verb);
      case 'Dial':
        return this.dial(performance, verb);
      case 'Record':
        return this.record(performance, verb);
      case 'Redirect':
        return question(performance, verb.text.trim(), verb, {});
      case 'Hangup':
      case 'Reject':
        return 'end';
      default:
        record.faults.push(`<${verb.name}> skipped`);
        return 'on';
    }
  }

  private async sound(
    { call: { record }, address }: Performance,
    { name, text, attributes }: TwimlElement,
  ): Promise<void> {
    if (name === 'Pause') return void (record.seconds += Number(attributes['length'] ?? 1));
    const what = name === 'Play' ? resolve(text.trim(), address) : text;
    const fault = name === 'Play' ? await this.clips.faultOf(what) : null;
    if (fault !== null) return void record.faults.push(fault);
    record.heard.push(what);
    record.seconds += PLAY_SECONDS;
  }

  private async gather(performance: Performance, gather: TwimlElement): Promise<Next> {
    const { call, keys } = performance;
    const { record } = call;
    const { attributes } = gather;
    for (const child of gather.children) await this.sound(performance, child);
    const most = Number(attributes['numDigits'] ?? Infinity);
    const finishOnKey = attributes['finishOnKey'] ?? '#';
    let digits = '';
    while (digits.length < most) {
      const key = keys.shift() ?? '';
      if (key === 'hangup') return 'end';
      record.pressed.push(key);
      if (key === '') record.seconds += Number(attributes['timeout'] ?? GATHER_TIMEOUT_SECONDS);
      else record.seconds += KEY_SECONDS;
      if (key === '' || key === finishOnKey) break;
      digits += key;
    }
    if (digits === '' && attributes['actionOnEmptyResult'] !== 'true') return 'on';
    return question(performance, attributes['action'] ?? '', gather, { Digits: digits });
  }

  private dial(performance: Performance, dial: TwimlElement): Next {
    const { call, callee } = performance;
    const number = (dial.children.find(({ name }) => name === 'Number')?.text ?? dial.text).replace(/\D/g, '');
    const limit = dial.attributes['timeLimit'];
    const end = forwardEnd(callee, number);
    const timeLimit = limit === undefined ? null : Number(limit);
    const seconds = end === 'completed' ? Math.min(FORWARD_SECONDS, timeLimit ?? FORWARD_SECONDS) : 0;
    call.record.dialed.push({ number, callerId: dial.attributes['callerId'] ?? null, timeLimit, outcome: end });
    call.record.seconds += seconds;
    const { action } = dial.attributes;
    if (action === undefined) return 'on';
    return question(performance, action, dial, {
      DialCallSid: sidOf('CA', this.ids.next()),
      DialCallStatus: end,
      ...(end === 'completed' && { DialCallDuration: String(seconds) }),
    });
  }

  private record(performance: Performance, record: TwimlElement): Next {
    const { call, callee, address } = performance;
    if (!callee.speaks) return 'on';
    const seconds = Math.min(SPOKEN_SECONDS, Number(record.attributes['maxLength'] ?? SPOKEN_SECONDS));
    const sid = sidOf('RE', this.ids.next());
    const url = `${call.network}/2010-04-01/Accounts/${call.accountSid}/Recordings/${sid}`;
    call.record.recordings.push(url);
    call.record.seconds += seconds;
    const facts = { RecordingSid: sid, RecordingUrl: url, RecordingDuration: String(seconds) };
    const callback = record.attributes['recordingStatusCallback'];
    if (callback !== undefined) {
      const status = { ...facts, RecordingStatus: 'completed', RecordingChannels: '1', RecordingSource: 'RecordVerb' };
      void this.requests.report(call, resolve(callback, address), status);
    }
    return question(performance, record.attributes['action'] ?? '', record, { ...facts, Digits: '' });
  }
}

// '' is the address of the document itself.
function question(
  { address }: Performance,
  to: string,
  { attributes }: TwimlElement,
  parameters: Record<string, string>,
): Question {
  const method = attributes['method']?.toUpperCase() === 'GET' ? 'GET' : 'POST';
  return { url: resolve(to, address), method, parameters };
}

const resolve = (url: string, base: string | null): string =>
  base !== null && URL.canParse(url, base) ? new URL(url, base).href : url;

function forwardEnd({ forwards }: Callee, number: string): CallEnd {
  const outcome = forwards[number] ?? forwards[`+${number}`] ?? callOutcomeOf(number);
  if (outcome === 'busy' || outcome === 'no-answer' || outcome === 'failed') return outcome;
  return outcome === 'silent' ? 'no-answer' : 'completed';
}

/** The carrier's ids: two letters and 32 hexadecimal digits. */
export const sidOf = (kind: 'CA' | 'RE', id: number): string => kind + id.toString(16).padStart(32, '0');
