import type { AddressInfo } from 'node:net';
import smpp, { type PDU } from 'smpp';

/** The server side of the package, which brings no types. */
interface Session {
  on(event: string, listener: (pdu: PDU) => void): void;
  send(pdu: PDU): void;
  deliver_sm(fields: object): void;
  close(): void;
  destroy(): void;
}
interface Server {
  listen(port: number, host: string): void;
  address(): AddressInfo;
  once(event: string, listener: () => void): void;
  close(done: () => void): void;
}
const { createServer, ESME_RALYBND, ESME_ROK } = smpp as unknown as {
  createServer: (onSession: (session: Session) => void) => Server;
  ESME_RALYBND: number;
  ESME_ROK: number;
};

/** A carrier of the npm package `smpp` that takes so many binds of a login at once, and refuses every further one. */
export class CountingSmsc {
  /** sessions that stand */
  readonly sessions = new Set<Session>();
  /** destinations of all that was taken */
  readonly taken: string[] = [];
  refused = 0;
  most = 0;
  /** it takes messages and gives them no ids */
  isNameless = false;
  private readonly server: Server;

  private constructor(public limit: number) {
    this.server = createServer((session: Session) => this.serve(session));
  }

  static async open(limit: number): Promise<CountingSmsc> {
    const smsc = new CountingSmsc(limit);
    smsc.server.listen(0, '127.0.0.1');
    await new Promise<void>((resolve) => smsc.server.once('listening', resolve));
    return smsc;
  }

  get port(): number {
    return this.server.address().port;
  }

  /** A receipt for each of these, over one of the sessions. */
  receipts(session: Session, ids: readonly string[], to: string): void {
    for (const id of ids) {
      const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
      session.deliver_sm({ source_addr: to, destination_addr: 'Acme', esm_class: 4, short_message: text });
    }
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(session: Session): void {
    session.on('error', () => undefined);
    session.on('close', () => this.sessions.delete(session));
    session.on('bind_transceiver', (pdu: PDU) => {
      const isFull = this.sessions.size >= this.limit;
      if (isFull) this.refused += 1;
      else this.sessions.add(session);
      this.most = Math.max(this.most, this.sessions.size);
      session.send(pdu.response({ command_status: isFull ? ESME_RALYBND : ESME_ROK }));
    });
    session.on('unbind', (pdu: PDU) => {
      this.sessions.delete(session);
      session.send(pdu.response());
      session.close();
    });
    session.on('enquire_link', (pdu: PDU) => session.send(pdu.response()));
    session.on('submit_sm', (pdu: PDU) => {
      this.taken.push(String(pdu.destination_addr));
      session.send(pdu.response({ message_id: this.isNameless ? '' : `m-${this.taken.length}` }));
    });
  }
}
