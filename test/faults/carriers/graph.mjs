import { createHmac } from 'node:crypto';
import { faultOutcome, isTaken } from './carrier.mjs';
import { HttpCarrier } from './http-carrier.mjs';

const ERRORS = {
  refused: [400, 131030, 'Recipient phone number not in allowed list'],
  throttled: [429, 130429, 'Rate limit hit'],
  fault: [500, 131016, 'Service unavailable'],
};

/** A network that speaks like the Graph API: messages of all accounts, statuses and inbound messages by signed callbacks. */
export class Graph extends HttpCarrier {
  /** number id → `{ callbackUrl, appSecret }` */
  customers = new Map();

  static open = (seed) => new Graph(seed, { name: 'graph' }).listen();

  async serve(request, body, response) {
    const [, numberId] = /^\/v\d+\.\d+\/(\d+)\/messages$/.exec(request.url) ?? [];
    const message = JSON.parse(body === '' ? '{}' : body);
    if (numberId === undefined || message.to === undefined) {
      return this.answer(response, 404, { error: { message: 'Unknown path components', code: 2500 } });
    }
    const number = String(message.to).replace(/\D/g, '');
    const entry = this.take({
      number,
      item: message.type === 'template' ? 'template' : `session ${message.text?.body ?? ''}`,
    });
    const [status, code, text] = ERRORS[entry.answer] ?? [];
    if (status !== undefined) return this.answer(response, status, { error: { message: text, code } });
    await this.report(entry, this.#wordsOf(entry), (word) => this.#deliver(numberId, entry, word));
    if (this.answerBadly(response, entry)) return undefined;
    const contacts = [{ input: number, wa_id: number }];
    return this.answer(response, 200, { messaging_product: 'whatsapp', contacts, messages: [{ id: entry.id }] });
  }

  newId() {
    return `wamid.${super.newId()}`;
  }

  #wordsOf(entry) {
    const fate = faultOutcome(entry.number);
    if (!isTaken(entry.answer) || fate === 'silent') return [];
    if (fate === 'undeliverable') return ['failed'];
    return this.seed.pick([['sent', 'delivered'], ['delivered'], ['sent', 'delivered', 'read']]);
  }

  #deliver(numberId, { id, number }, status) {
    const errors = status === 'failed' ? { errors: [{ code: 131026, title: 'Message undeliverable' }] } : {};
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return this.#callBack(numberId, { statuses: [{ id, status, timestamp, recipient_id: number, ...errors }] });
  }

  /** A contact writes, which opens the window of 24 hours. */
  write(numberId, number) {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const contacts = [{ wa_id: number, profile: { name: 'Contact' } }];
    const messages = [{ from: number, id: this.newId(), timestamp, type: 'text', text: { body: 'Hello' } }];
    return this.#callBack(numberId, { contacts, messages });
  }

  #callBack(numberId, value) {
    const { callbackUrl, appSecret } = this.customers.get(numberId);
    const metadata = { display_phone_number: '15550001111', phone_number_id: numberId };
    const whole = { messaging_product: 'whatsapp', metadata, ...value };
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value: whole }] }] }); // prettier-ignore
    const signature = `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
    return this.callBack(callbackUrl, body, { 'content-type': 'application/json', 'x-hub-signature-256': signature });
  }
}
