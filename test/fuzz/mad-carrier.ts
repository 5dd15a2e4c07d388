import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import {
  Command,
  encodePdu,
  headerOnly,
  PduReader,
  readMessageBody,
  writeHeader,
} from '../../src/platform/smpp/index.js';
import { hostileText } from '../support/fuzz.js';

/** What becomes of a message at the carrier, and how it tells. */
export interface Manner {
  fate: 'delivered' | 'failed';
  /** `twice` answers the submit two times, `astray` answers another one before; `silent` takes it and says nothing */
  answer: 'plain' | 'twice' | 'astray' | 'silent' | 'refused once';
  /** the receipt goes before the answer to the submit */
  early: boolean;
  dialect: 'text' | 'tlv' | 'both' | 'data_sm' | 'hex' | 'padded' | 'commas' | 'no number';
  copies: number;
  /** another final word after the first */
  contradicts: boolean;
}

export const manner: fc.Arbitrary<Manner> = fc
  .record({
    fate: fc.constantFrom('delivered', 'failed'),
    answer: fc.oneof(
      { weight: 8, arbitrary: fc.constant<Manner['answer']>('plain') },
      { weight: 4, arbitrary: fc.constantFrom<Manner['answer']>('twice', 'astray', 'silent', 'refused once') },
    ),
    early: fc.boolean(),
    dialect: fc.constantFrom('text', 'tlv', 'both', 'data_sm', 'hex', 'padded', 'commas', 'no number'),
    copies: fc.integer({ min: 1, max: 3 }),
    contradicts: fc.boolean(),
  })
  // Of two words that come before anybody knows the message, either may be the first.
  .map((made) => ({ ...made, contradicts: made.contradicts && !made.early }));

/** Bytes that no carrier in its right mind sends. `break` ends the session after them. */
export interface Noise {
  kind: 'noise' | 'break';
  bytes: Buffer;
  times: number;
}

/** Sequence numbers that no request of ours has yet. */
const FAR = 0x20000000;
const farSequence = fc.integer({ min: FAR, max: 0x7fffffff });
const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const KNOWN = Object.values(Command).filter(
  (command) => command !== Command.Unbind && command !== Command.BindTransceiverResp,
);
const command = fc.oneof(
  fc.constantFrom(...KNOWN),
  fc.integer({ min: 0, max: 0x7fffffff }),
  fc.integer({ min: 0x80000000, max: 0xffffffff }),
);

function pdu(commandId: number, status: number, sequence: number, content: Buffer): Buffer {
  const bytes = Buffer.alloc(16 + content.length);
  writeHeader(bytes, 0, bytes.length, commandId, status, sequence);
  content.copy(bytes, 16);
  return bytes;
}

const cString = (text: string): Buffer =>
  Buffer.concat([Buffer.from(text.replaceAll('\0', ''), 'latin1'), Buffer.of(0)]);

const tlv = fc
  .record({
    tag: fc.oneof(fc.constantFrom(0x001e, 0x0423, 0x0424, 0x0427), fc.integer({ min: 0, max: 0xffff })),
    value: fc.oneof(
      body,
      hostileText.map((text) => Buffer.from(text, 'latin1')),
      fc.constantFrom(5_000, 40_000).map((size) => Buffer.alloc(size, 'A')),
    ),
    /** what its length says beyond the truth */
    lie: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-1, 1, 60_000) }),
  })
  .map(({ tag, value, lie }) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(tag, 0);
    head.writeUInt16BE(Math.min(0xffff, Math.max(0, value.length + lie)), 2);
    return Buffer.concat([head, value]);
  });

/** A deliver_sm whose every field may be anything. */
const delivery = fc
  .record({
    command: fc.constantFrom(Command.DeliverSm, Command.DataSm),
    source: fc.oneof(
      fc.constantFrom('919812345678', '', 'ACME', '+91 98', '0'.repeat(40_000), '7'.repeat(300)),
      hostileText,
    ),
    destination: fc.oneof(fc.constantFrom('test', '', '9'.repeat(20_000)), hostileText),
    esm: fc.constantFrom(0, 4, 8, 0x40, 0x44, 0x3c, 0xff),
    coding: fc.constantFrom(0, 1, 3, 8, 0xf5, 0xff),
    text: fc.oneof(
      hostileText,
      fc
        .tuple(hostileText, fc.constantFrom('DELIVRD', 'UNDELIV', 'UNKNOWN', 'constructor', ''))
        .map(
          ([id, stat]) =>
            `id:${id} sub:001 dlvrd:001 submit date:9999999999 done date:0000000000 stat:${stat} err:${id.slice(0, 12)} text:${id}`,
        ),
    ),
    lie: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 200) }),
    tlvs: fc.array(tlv, { maxLength: 3 }),
    cut: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) }),
    sequence: farSequence,
  })
  .map(({ command: commandId, source, destination, esm, coding, text, lie, tlvs, cut, sequence }) => {
    const message = Buffer.from(text, 'latin1').subarray(0, 255);
    const addresses = [cString(''), Buffer.of(1, 1), cString(source), Buffer.of(1, 1), cString(destination)];
    const tail =
      commandId === Command.DataSm
        ? [Buffer.of(esm, 0, coding)]
        : [
            Buffer.of(esm, 0, 0),
            cString(''),
            cString(''),
            Buffer.of(0, 0, coding, 0, Math.min(255, message.length + lie)),
            message,
          ];
    const content = Buffer.concat([...addresses, ...tail, ...tlvs]).subarray(0, 60_000);
    return pdu(commandId, 0, sequence, content.subarray(0, Math.max(0, content.length - cut)));
  });

const anything = fc
  .tuple(command, fc.constantFrom(0, 1, 0x58, 0xff, 0xffffffff), farSequence, body)
  .map(([commandId, status, sequence, content]) => pdu(commandId, status, sequence, content));

/** Lengths that cannot be true, and PDUs of which the rest never comes. */
const breaking = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 15, 0x10001, 0x7fffffff, 0xffffffff), body).map(([length, content]) => {
    const bytes = pdu(Command.DeliverSm, 0, FAR, content);
    bytes.writeUInt32BE(length, 0);
    return bytes;
  }),
  fc.tuple(delivery, fc.integer({ min: 1, max: 15 })).map(([bytes, length]) => bytes.subarray(0, length)),
  delivery.map((bytes) => bytes.subarray(0, bytes.length - 1)),
);

export const noise: fc.Arbitrary<Noise> = fc.record({
  kind: fc.constant<Noise['kind']>('noise'),
  bytes: fc.oneof({ weight: 4, arbitrary: delivery }, { weight: 1, arbitrary: anything }),
  times: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(100) }),
});
export const sessionBreak: fc.Arbitrary<Noise> = fc.record({
  kind: fc.constant<Noise['kind']>('break'),
  bytes: breaking,
  times: fc.constant(1),
});

/** A message that the carrier has taken. */
export interface Taken {
  number: string;
  login: string;
  id: number;
  manner: Manner;
  told: boolean;
}

/**
 * A carrier on a real socket that does to its peer what comes to its mind, and keeps an honest book. It answers every message,
 * tells how each ended until that is acknowledged, and says anything else in between.
 */
export class MadCarrier {
  readonly taken: Taken[] = [];
  private readonly sessions = new Map<Socket, string>();
  private readonly refused = new Set<string>();
  private readonly waiting = new Map<number, Taken>();
  private sequence = 0;
  private ids = 1_000_000_000;
  /** by system_id: said one after another, one at each message */
  private readonly noises = new Map<string, Noise[]>();
  private readonly timer = setInterval(() => this.tellAgain(), 300);

  private constructor(
    private readonly server: Server,
    private readonly mannerOf: (number: string) => Manner,
  ) {}

  static async open(mannerOf: (number: string) => Manner): Promise<MadCarrier> {
    const server = createServer();
    const carrier = new MadCarrier(server, mannerOf);
    server.on('connection', (socket) => carrier.serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return carrier;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What is said over sessions of this login, while messages come in. */
  plan(systemId: string, noises: readonly Noise[]): void {
    this.noises.set(systemId, [...noises]);
  }

  /** Everything that was planned has been said, and every receipt acknowledged. */
  get isDone(): boolean {
    return this.taken.every(({ told }) => told);
  }

  /** A PDU over the sessions of a login. @returns over how many */
  say(systemId: string, bytes: Buffer): number {
    const sessions = [...this.sessions].filter(([, login]) => login === systemId);
    for (const [socket] of sessions) socket.write(bytes);
    return sessions.length;
  }

  /** Reads nothing more of what comes over the sessions of a login, and goes on to say what it says. */
  hold(systemId: string): void {
    for (const [socket, login] of this.sessions) if (login === systemId) socket.pause();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (const socket of this.sessions.keys()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sessions.set(socket, '');
    socket.on('error', () => undefined);
    socket.on('close', () => this.sessions.delete(socket));
    const reader = new PduReader((bytes, start, end, commandId) => this.hear(socket, bytes, start, end, commandId));
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
  }

  private hear(socket: Socket, bytes: Buffer, start: number, end: number, commandId: number): void {
    const sequence = bytes.readUInt32BE(start + 12);
    if (commandId === Command.BindTransceiver) {
      const systemId = bytes.toString('latin1', start + 16, bytes.indexOf(0, start + 16));
      this.sessions.set(socket, systemId);
      socket.write(encodePdu('bind_transceiver_resp', sequence, { system_id: 'mad' }));
    } else if (commandId === Command.SubmitSm) {
      const read = readMessageBody(bytes, start, end);
      if (read) this.take(socket, sequence, read.body.destinationAddr);
    } else if (commandId === Command.EnquireLink) {
      socket.write(headerOnly(Command.EnquireLinkResp, 0, sequence));
    } else if (commandId === Command.Unbind) {
      socket.end(headerOnly(Command.UnbindResp, 0, sequence));
    } else if (
      (commandId === Command.DeliverSmResp || commandId === Command.DataSmResp) &&
      bytes.readUInt32BE(start + 8) === 0
    ) {
      const told = this.waiting.get(sequence);
      if (told) told.told = true;
      this.waiting.delete(sequence);
    }
  }

  private take(socket: Socket, sequence: number, number: string): void {
    const manner = this.mannerOf(number);
    if (manner.answer === 'refused once' && !this.refused.has(number)) {
      this.refused.add(number);
      socket.write(headerOnly(Command.GenericNack, 8, sequence));
      return;
    }
    const login = this.sessions.get(socket) ?? '';
    const entry: Taken = { number, login, id: ++this.ids, manner, told: false };
    this.taken.push(entry);
    const answer = (to: number, id: string): boolean =>
      socket.write(encodePdu('submit_sm_resp', to, { message_id: id }));
    const id =
      manner.dialect === 'hex'
        ? entry.id.toString(16).toUpperCase()
        : manner.dialect === 'padded'
          ? `000${entry.id}`
          : String(entry.id);
    if (manner.early) this.tell(entry, socket);
    if (manner.answer === 'astray') answer(sequence + FAR, id);
    if (manner.answer !== 'silent') answer(sequence, id);
    if (manner.answer === 'twice') answer(sequence, id);
    this.makeNoise(socket);
    if (!manner.early) this.tell(entry, socket);
  }

  private makeNoise(socket: Socket): void {
    const next = this.noises.get(this.sessions.get(socket) ?? '')?.shift();
    if (!next) return;
    for (let count = 0; count < next.times; count++) socket.write(next.bytes);
    // what was taken before is answered before
    if (next.kind === 'break') socket.end();
  }

  private tell(entry: Taken, socket: Socket): void {
    if (!socket.writable) return;
    const { manner } = entry;
    const isDelivered = manner.fate === 'delivered';
    for (let copy = 0; copy < manner.copies; copy++) {
      this.deliver(entry, socket, isDelivered, manner.dialect);
      this.waiting.set(this.sequence, entry);
    }
    if (manner.contradicts) this.deliver(entry, socket, !isDelivered, manner.dialect);
  }

  private deliver({ number, id }: Taken, socket: Socket, delivered: boolean, dialect: Manner['dialect']): void {
    this.sequence += 1;
    const stat = delivered ? 'DELIVRD' : 'UNDELIV';
    const separator = dialect === 'commas' ? ',' : ' ';
    const text = [
      `id:${id}`,
      'sub:001',
      'dlvrd:001',
      'submit date:0000000000',
      'done date:9999999999',
      `stat:${stat}`,
      'err:000',
      'text:id:1',
    ].join(separator);
    const hasTlvs = dialect === 'tlv' || dialect === 'both';
    const fields = {
      source_addr: dialect === 'no number' ? '' : number,
      destination_addr: 'test',
      esm_class: 4,
      ...(hasTlvs && { receipted_message_id: String(id), message_state: delivered ? 2 : 5 }),
    };
    if (dialect === 'data_sm')
      socket.write(encodePdu('data_sm', this.sequence, { ...fields, message_payload: Buffer.from(text, 'latin1') }));
    else
      socket.write(
        encodePdu('deliver_sm', this.sequence, {
          ...fields,
          short_message: dialect === 'tlv' ? Buffer.alloc(0) : Buffer.from(text, 'latin1'),
        }),
      );
  }

  /** What nobody has acknowledged goes out again, over any session of the login and in plain words. */
  private tellAgain(): void {
    const sessions = new Map(
      [...this.sessions].filter(([socket]) => socket.writable).map(([socket, login]) => [login, socket]),
    );
    for (const entry of this.taken.filter(({ told }) => !told)) {
      const socket = sessions.get(entry.login);
      if (!socket) continue;
      this.deliver(entry, socket, entry.manner.fate === 'delivered', 'text');
      this.waiting.set(this.sequence, entry);
    }
  }
}
