import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;

/** A small real name server over UDP: it knows some addresses, denies the rest, and is silent below `silent.test`. */
export class NameServer {
  /** names that were asked for, once for each type and try */
  readonly asked: string[] = [];

  private constructor(private readonly socket: Socket) {}

  static async open(addresses: Readonly<Record<string, string>> = {}): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (query, { port, address }) => {
      const { name, type, end } = questionOf(query);
      server.asked.push(name);
      if (!name.endsWith('.silent.test')) socket.send(answerTo(query, end, type, addresses[name]), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return server;
  }

  /** as `DNS_SERVERS` wants it */
  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Its address; no data for another type; no such name when there is no address at all. */
function answerTo(query: Buffer, end: number, type: number, address: string | undefined): Buffer {
  const head = Buffer.from(query.subarray(0, end));
  const hasData = address !== undefined && type === TYPE_A;
  head.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(hasData ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  if (!hasData) return head;
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);
  return Buffer.concat([head, record]);
}
