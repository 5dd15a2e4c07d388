import { faultOutcome, isTaken } from './carrier.mjs';
import { HttpCarrier } from './http-carrier.mjs';

const ERRORS = { refused: [400, 'invalid_number'], throttled: [429, 'too_fast'], fault: [500, 'oops'] };

/** A gateway over HTTP, for unofficial chat and for SMS; with `deduplicates` it drops a reference that it has seen. */
export class Gateway extends HttpCarrier {
  /** where receipts go */
  callbackUrl = null;

  static open = (seed, what = {}) => new Gateway(seed, { name: 'gateway', ...what }).listen();

  /** `config` of a route to it. */
  config(port) {
    return {
      url: `http://127.0.0.1:${port}/messages`,
      body: { to: '{{to}}', text: '{{text}}', media: '{{media_url}}', ref: '{{ref}}' },
      id_path: 'id',
      error_code_path: 'error',
      timeout_ms: 3_000,
      deduplicates: this.deduplicates,
      receipt: { id_path: 'id', status_path: 'status', receiver_path: 'to', error_code_path: 'code' },
    };
  }

  async serve(_request, body, response) {
    const { to, media, ref } = JSON.parse(body);
    const entry = this.take({ number: String(to), item: media ? `media ${media}` : 'text', ref: ref ?? null });
    const [status, error] = ERRORS[entry.answer] ?? [];
    if (status !== undefined) {
      return this.answer(response, status, { error }, status === 429 ? { 'retry-after': '1' } : {});
    }
    await this.report(entry, this.#wordsOf(entry), (word) => this.#deliver(entry, word));
    if (!this.answerBadly(response, entry)) this.answer(response, 200, { id: entry.id });
  }

  #wordsOf(entry) {
    const fate = faultOutcome(entry.number);
    if (!isTaken(entry.answer) || fate === 'silent' || entry.isRepeat) return [];
    if (fate === 'undeliverable') return ['failed'];
    return this.seed.pick([['delivered'], ['sent', 'delivered'], ['delivered', 'read']]);
  }

  #deliver({ id, number }, status) {
    const body = JSON.stringify({ id, to: number, status, ...(status === 'failed' ? { code: '13' } : {}) });
    return this.callBack(this.callbackUrl, body, { 'content-type': 'application/json' });
  }
}
