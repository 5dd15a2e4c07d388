import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CallbackSender } from '../http/callback-sender.js';
import { type Call, callFacts } from './call.js';

const FORM = 'application/x-www-form-urlencoded';
const TRIES = 3;
const REPEAT_MS = 500;

/** `X-Twilio-Signature`: the address, then names and values of the form in the order of the names. */
export function signatureOf(authToken: string, url: string, parameters: Readonly<Record<string, string>>): string {
  const text = Object.keys(parameters)
    .sort()
    .reduce((all, name) => all + name + (parameters[name] ?? ''), url);
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/** The network's signed requests to its customer. */
@Injectable()
export class NetworkRequests {
  constructor(private readonly callbacks: CallbackSender) {}

  /**
   * Asks what comes next in a call; a customer that stumbles is asked again.
   * @returns the document, or null when there was none
   */
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

  /** Reports something, until it is taken or the tries are used up. */
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
