import { createHmac } from 'node:crypto';
import { faultOutcome, isTaken } from './carrier.mjs';
import { HttpCarrier } from './http-carrier.mjs';

export const ACCOUNT_SID = `AC${'5'.repeat(32)}`;
export const AUTH_TOKEN = 'the-token-of-the-network';
const ERRORS = {
  refused: [400, 21211, 'Invalid number'],
  throttled: [429, 20429, 'Too many requests'],
  fault: [500, 20500, 'Internal error'],
};
const ENDS = { undeliverable: 'failed', 'no answer': 'no-answer' };

/** A telephone network that speaks like Twilio's: calls, and a signed callback at the end of each. */
export class Telephone extends HttpCarrier {
  static open = (seed) => new Telephone(seed, { name: 'telephone' }).listen();

  async serve(request, body, response) {
    if (!request.url.endsWith(`/Accounts/${ACCOUNT_SID}/Calls.json`)) {
      return this.answer(response, 404, { code: 20404, message: 'Not found' });
    }
    const form = new URLSearchParams(body);
    const callback = form.get('StatusCallback');
    const entry = this.take({ number: String(form.get('To')).replace(/\D/g, ''), item: 'call', ref: callback });
    const [status, code, message] = ERRORS[entry.answer] ?? [];
    if (status !== undefined) return this.answer(response, status, { code, message });
    await this.report(entry, this.#wordsOf(entry), (end) => this.#deliver(callback, entry, end));
    if (this.answerBadly(response, entry)) return undefined;
    return this.answer(response, 201, { sid: entry.id, status: 'queued' });
  }

  newId() {
    return `CA${super.newId()}`;
  }

  #wordsOf({ answer, number }) {
    const fate = faultOutcome(number);
    return isTaken(answer) && fate !== 'silent' ? [ENDS[fate] ?? 'completed'] : [];
  }

  #deliver(url, { id, number }, end) {
    const parameters = {
      ...{ AccountSid: ACCOUNT_SID, CallSid: id, CallStatus: end, To: `+${number}`, From: '+918000000000' },
      ...(end === 'completed' ? { CallDuration: '7' } : {}),
    };
    const text = Object.keys(parameters)
      .sort()
      .reduce((all, name) => all + name + parameters[name], url);
    const signature = createHmac('sha1', AUTH_TOKEN).update(text, 'utf8').digest('base64');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    return this.callBack(url, new URLSearchParams(parameters).toString(), headers);
  }
}
