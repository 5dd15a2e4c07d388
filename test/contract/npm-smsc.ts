import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';

export interface Pdu {
  command: string;
  sequence_number: number;
  response(fields?: Record<string, unknown>): Pdu;
  [field: string]: unknown;
}
export interface SmscSession {
  on(event: string, listener: (pdu: Pdu) => void): void;
  send(pdu: Pdu): void;
  deliver_sm(fields: Record<string, unknown>, answered?: (pdu: Pdu) => void): void;
  data_sm(fields: Record<string, unknown>, answered?: (pdu: Pdu) => void): void;
  alert_notification(fields: Record<string, unknown>): void;
  enquire_link(fields: Record<string, unknown>, answered: (pdu: Pdu) => void): void;
  close(): void;
  destroy(): void;
}
const smpp = createRequire(import.meta.url)('smpp') as {
  createServer(options: Record<string, unknown>, onSession: (session: SmscSession) => void): Server;
};

/** An SMSC made of npm smpp, whose manners each test chooses. */
export class Smsc {
  readonly submits: Pdu[] = [];
  readonly commands: string[] = [];
  session: SmscSession | null = null;
  readonly sessions: SmscSession[] = [];
  port = 0;
  answer: (pdu: Pdu, session: SmscSession) => void = (pdu, session) =>
    session.send(pdu.response({ message_id: `id-${this.submits.length}` }));
  private server: Server | null = null;

  async listen(options: Record<string, unknown> = {}): Promise<number> {
    const server = smpp.createServer(options, (session) => {
      this.session = session;
      this.sessions.push(session);
      session.on('error', () => undefined);
      session.on('pdu', (pdu) => this.commands.push(pdu.command));
      session.on('bind_transceiver', (pdu) => session.send(pdu.response()));
      session.on('enquire_link', (pdu) => session.send(pdu.response()));
      session.on('unbind', (pdu) => {
        session.send(pdu.response());
        session.close();
      });
      session.on('submit_sm', (pdu) => {
        this.submits.push(pdu);
        this.answer(pdu, session);
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    this.port = (server.address() as AddressInfo).port;
    return this.port;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    const { server } = this;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Pushes a deliver_sm; resolves with the status of its answer. */
  deliver(fields: Record<string, unknown>, session: SmscSession | null | undefined = this.session): Promise<number> {
    return new Promise((resolve) =>
      session?.deliver_sm(
        { source_addr: '4915100000001', destination_addr: 'Switchbrd', data_coding: 0, ...fields },
        (pdu) => resolve(pdu['command_status'] as number),
      ),
    );
  }
}

export const receiptText = (id: string, stat: string): string =>
  `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010001 stat:${stat} err:012 text:`;
