import { once } from 'node:events';
import smpp from 'smpp';
import { Carrier, faultOutcome, isTaken } from './carrier.mjs';

const RECEIPT = 0x04;
const ACKNOWLEDGED_WITHIN_MS = 8_000;
const STATUS_OF = {
  refused: smpp.ESME_RINVDSTADR,
  throttled: smpp.ESME_RTHROTTLED,
  fault: smpp.ESME_RSYSERR,
};

/** An SMSC on the package `smpp`: binds, takes, answers, sends receipts over the sessions that are bound. */
export class Smsc extends Carrier {
  /** answers are kept back, so that windows fill */
  isHoldingAnswers = false;
  /** a bind is refused */
  refusesBinds = false;
  #bound = new Set();
  #sessions = new Set();
  #server;

  static async open(seed) {
    const smsc = new Smsc(seed, { name: 'smsc' });
    await smsc.#listen(0);
    return smsc;
  }

  async #listen(port) {
    this.#server = smpp.createServer({}, (session) => this.#serve(session));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
  }

  get binds() {
    return this.#bound.size;
  }

  #serve(session) {
    this.#sessions.add(session);
    // one for each receipt that waits for its answer
    session.setMaxListeners(0);
    session.on('error', () => session.destroy());
    session.on('close', () => {
      this.#sessions.delete(session);
      this.#bound.delete(session);
    });
    session.on('bind_transceiver', (pdu) => {
      if (this.refusesBinds) return session.send(pdu.response({ command_status: smpp.ESME_RBINDFAIL }));
      session.send(pdu.response({ system_id: 'faults' }));
      session.login = pdu.system_id;
      this.#bound.add(session);
    });
    session.on('enquire_link', (pdu) => session.send(pdu.response()));
    session.on('unbind', (pdu) => {
      this.#bound.delete(session);
      session.send(pdu.response(), () => session.close());
    });
    session.on('submit_sm', (pdu) => this.#submitted(session, pdu));
  }

  async #submitted(session, pdu) {
    const { udh } = pdu.short_message;
    const number = String(pdu.destination_addr);
    const entry = this.take({ number, item: udh ? `part ${udh.at(-1)}` : 'text' });
    entry.login = session.login;
    const status = STATUS_OF[entry.answer];
    if (status !== undefined) return session.send(pdu.response({ command_status: status }));
    if (entry.answer === 'taken, answered 502') return session.destroy();
    await this.report(entry, this.#wordsOf(entry), (word) => this.#deliver(entry, word));
    if (entry.answer === 'taken, no answer' || this.isHoldingAnswers) return undefined;
    return session.send(pdu.response({ message_id: entry.id }));
  }

  #wordsOf({ answer, number }) {
    const fate = faultOutcome(number);
    if (!isTaken(answer) || fate === 'silent') return [];
    return fate === 'undeliverable' ? ['UNDELIV'] : this.seed.chance(0.2) ? ['ENROUTE', 'DELIVRD'] : ['DELIVRD'];
  }

  /** Over any session of the login that the message came from. */
  #deliver({ id, number, login }, word) {
    const session = this.seed.pick([...this.#bound].filter((bound) => bound.login === login));
    if (session === undefined) return Promise.resolve(false);
    const code = word === 'UNDELIV' ? '012' : '000';
    const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:${word} err:${code} text:`;
    return new Promise((resolve) => {
      const ended = () => answered(false);
      const timer = setTimeout(ended, ACKNOWLEDGED_WITHIN_MS);
      const answered = (yes) => {
        clearTimeout(timer);
        session.off('close', ended);
        resolve(yes);
      };
      session.on('close', ended);
      const pdu = { source_addr: number, destination_addr: 'faults', esm_class: RECEIPT, short_message: text };
      const isWritten = session.deliver_sm(pdu, ({ command_status: status }) => answered(status === 0));
      if (!isWritten) answered(false);
    });
  }

  /** All sessions end without a word. */
  drop() {
    for (const session of this.#sessions) session.destroy();
  }

  /** It is gone for so long, whatever was in the windows of its sessions; what it took it keeps. */
  async restart(whileGone = async () => undefined) {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    await closed;
    await whileGone();
    this.isHoldingAnswers = false;
    await this.#listen(this.port);
  }

  calm() {
    super.calm();
    this.isHoldingAnswers = false;
    this.refusesBinds = false;
  }

  async close() {
    this.outbox.stop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.drop();
    await closed;
  }
}
