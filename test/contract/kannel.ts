import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { isLeftOut } from '../support/left-out.js';
import { freePort } from '../support/processes.js';

const DRIVE_SMPP = '/usr/lib/kannel/test/drive_smpp';
const SMSC = { submit: 0x04, deliver: 0x05, deliverAnswer: 0x80000005, enquire: 0x15, unbind: 0x06 };
const BIND_RECEIVER = 0x01;
const BIND_TRANSCEIVER = 0x09;
const BINDS = [BIND_RECEIVER, 0x02, BIND_TRANSCEIVER];
const ANSWER = 0x80000000;
const NO_PEER = 0x58;
const PATIENCE = { timeout: 60_000, interval: 20 };

/** `npm test` installs Debian's packages; only `--without kannel`, or a machine without apt or root, has none. */
export const hasKannel = (): boolean => !isLeftOut('kannel') && existsSync(DRIVE_SMPP);

class Program {
  output = '';
  private readonly child: ChildProcess;

  constructor(path: string, ...args: string[]) {
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString('latin1')));
    }
    child.on('error', (error) => (this.output += String(error)));
    process.once('exit', () => child.kill('SIGKILL'));
    this.child = child;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  async says(text: string | RegExp): Promise<void> {
    const isSaid = (): boolean => (typeof text === 'string' ? this.output.includes(text) : text.test(this.output));
    await vi.waitUntil(isSaid, PATIENCE).catch(() => {
      throw new Error(`${String(text)} was not said in:\n${this.output.slice(-3_000)}`);
    });
  }
}

/** Hands the PDUs of a socket on, one by one. */
function onPdus(socket: Socket, take: (pdu: Buffer<ArrayBuffer>) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
      const length = rest.readUInt32BE(0);
      take(Buffer.from(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
  });
}

async function listening<T extends Server | HttpServer>(server: T): Promise<{ server: T; port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/**
 * Kannel's SMSC emulator: sends texts `1`, `2`, … from 456 to 123 to a receiver. It knows no transceiver: the socket between
 * changes the command of the bind and of its answer, and nothing else.
 */
export class DriveSmpp {
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly program: Program,
    private readonly server: Server,
    readonly port: number,
    /** what the driver answered to deliver_sm: command status, by sequence number */
    readonly answers: Map<number, number>,
  ) {}

  static async open(texts: number): Promise<DriveSmpp> {
    const target = await freePort();
    const program = new Program(DRIVE_SMPP, '-v', '0', '-p', String(target), '-m', String(texts));
    await program.says('Starting drive_smpp');
    const answers = new Map<number, number>();
    const { server, port } = await listening(createServer());
    const self = new DriveSmpp(program, server, port, answers);
    server.on('connection', (driver) => {
      const carrier = connect(target, '127.0.0.1');
      self.sockets.add(driver).add(carrier);
      onPdus(driver, (pdu) => {
        const command = pdu.readUInt32BE(4);
        if (command === BIND_TRANSCEIVER) pdu.writeUInt32BE(BIND_RECEIVER, 4);
        if (command === SMSC.deliverAnswer) answers.set(pdu.readUInt32BE(12), pdu.readUInt32BE(8));
        carrier.write(pdu);
      });
      onPdus(carrier, (pdu) => {
        if (pdu.readUInt32BE(4) === ANSWER + BIND_RECEIVER) pdu.writeUInt32BE(ANSWER + BIND_TRANSCEIVER, 4);
        driver.write(pdu);
      });
    });
    return self;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await this.program.stop();
  }
}

interface Esme {
  socket: Socket;
  sequence: number;
  /** who waits for the answer to our deliver_sm */
  waiting: Map<number, (status: number) => void>;
}

/**
 * A network between two ESMEs: the body of a submit_sm of one reaches the other as that of a deliver_sm, byte by byte, and is
 * answered as the other answers.
 */
export class Network {
  private readonly members = new Map<string, Esme>();
  readonly submits: Buffer[] = [];
  private ids = 0;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async open(): Promise<Network> {
    const { server, port } = await listening(createServer());
    const self = new Network(server, port);
    server.on('connection', (socket) => self.join(socket));
    return self;
  }

  has(name: string): boolean {
    return this.members.has(name);
  }

  close(): void {
    for (const { socket } of this.members.values()) socket.destroy();
    this.server.close();
  }

  private join(socket: Socket): void {
    const esme: Esme = { socket, sequence: 0, waiting: new Map() };
    let name = '';
    onPdus(socket, (pdu) => {
      const [command, status, sequence] = [pdu.readUInt32BE(4), pdu.readUInt32BE(8), pdu.readUInt32BE(12)];
      if (BINDS.includes(command)) {
        name = pdu.toString('latin1', 16, pdu.indexOf(0, 16));
        this.members.set(name, esme);
        socket.write(written(ANSWER + command, 0, sequence, Buffer.from('network\0')));
      } else if (command === SMSC.enquire || command === SMSC.unbind) {
        socket.write(written(ANSWER + command, 0, sequence));
      } else if (command === SMSC.deliverAnswer) {
        esme.waiting.get(sequence)?.(status);
        esme.waiting.delete(sequence);
      } else if (command === SMSC.submit) {
        this.submits.push(pdu);
        const [, other] = [...this.members].find(([each]) => each !== name) ?? [];
        if (!other) return void socket.write(written(ANSWER + SMSC.submit, NO_PEER, sequence));
        other.sequence += 1;
        const id = Buffer.from(`net-${++this.ids}\0`);
        other.waiting.set(other.sequence, (answer) =>
          socket.write(written(ANSWER + SMSC.submit, answer, sequence, answer === 0 ? id : undefined)),
        );
        other.socket.write(written(SMSC.deliver, 0, other.sequence, pdu.subarray(16)));
      }
    });
  }
}

function written(command: number, status: number, sequence: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(16);
  for (const [at, value] of [16 + body.length, command, status, sequence].entries())
    header.writeUInt32BE(value, at * 4);
  return Buffer.concat([header, body]);
}

/** What smsbox told an application: a text that arrived (`/in`) or a receipt (`/dlr`). */
export interface Told {
  path: string;
  fields: URLSearchParams;
  /** `%b` is in the coding of the message */
  text: string | null;
}

/** Kannel's bearerbox and smsbox, bound to an SMSC as a transceiver. */
export class Kannel {
  readonly told: Told[] = [];

  private constructor(
    private readonly folder: string,
    readonly programs: Program[],
    private readonly application: HttpServer,
    private readonly applicationPort: number,
    /** of smsbox, for `sendsms` */
    readonly url: string,
  ) {}

  static async open(smscPort: number): Promise<Kannel> {
    const folder = mkdtempSync(join(tmpdir(), 'kannel-'));
    const [admin, boxes, sends] = [await freePort(), await freePort(), await freePort()];
    const { server, port } = await listening(createHttpServer());
    const file = join(folder, 'kannel.conf');
    writeFileSync(file, configuration({ admin, boxes, sends, smscPort, application: port }));
    const bearerbox = new Program('/usr/sbin/bearerbox', '-v', '0', file);
    await bearerbox.says('Start-up done');
    const smsbox = new Program('/usr/sbin/smsbox', '-v', '0', file);
    const self = new Kannel(folder, [bearerbox, smsbox], server, port, `http://127.0.0.1:${sends}/cgi-bin/sendsms`);
    server.on('request', (request, response) => {
      const { pathname, searchParams, search } = new URL(request.url ?? '', 'http://application');
      self.told.push({ path: pathname, fields: searchParams, text: textOf(search) });
      response.end();
    });
    await smsbox.says('Connected to bearerbox');
    return self;
  }

  /** Sends a text over the SMSC. @param coding 0 = GSM, 2 = UCS-2 @returns what smsbox answered */
  async send(to: string, text: string, coding: number): Promise<string> {
    const fields = { username: 'tester', password: 'secret', charset: 'UTF-8', from: '+4915100000001', to, text };
    const dlr = `http://127.0.0.1:${this.applicationPort}/dlr?kind=%d&answer=%A`;
    const query = new URLSearchParams({ ...fields, coding: String(coding), 'dlr-mask': '3', 'dlr-url': dlr });
    return (await fetch(`${this.url}?${query.toString()}`)).text();
  }

  async close(): Promise<void> {
    for (const program of [...this.programs].reverse()) await program.stop();
    this.application.closeAllConnections();
    this.application.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The text of a query: UTF-8, or UTF-16 where `coding` is 2. */
function textOf(query: string): string | null {
  const [, coding] = /[?&]coding=(\d)/.exec(query) ?? [];
  const [, written] = /[?&]text=([^&]*)/.exec(query) ?? [];
  if (written === undefined) return null;
  const signs = written
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  const bytes = Buffer.from(signs, 'latin1');
  return coding === '2' ? bytes.swap16().toString('utf16le') : bytes.toString('utf8');
}

type Ports = Record<'admin' | 'boxes' | 'sends' | 'smscPort' | 'application', number>;

const configuration = ({ admin, boxes, sends, smscPort, application }: Ports): string => `
group = core
admin-port = ${admin}
admin-password = secret
smsbox-port = ${boxes}
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
dlr-storage = internal
sms-resend-freq = 1

group = smsc
smsc = smpp
smsc-id = network
host = 127.0.0.1
port = ${smscPort}
transceiver-mode = true
smsc-username = kannel
smsc-password = secret
system-type = ""
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${sends}

group = sendsms-user
username = tester
password = secret
concatenation = true
max-messages = 10

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "http://127.0.0.1:${application}/in?from=%p&to=%P&text=%b&coding=%c"
`;
