import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that reached the upstream. */
export interface GraphCallSeen {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/**
 * What the upstream says instead of taking a message; `silence` cuts the connection, `hold` takes it and answers when
 * the next order comes.
 */
export type GraphOrder =
  { status: number; body: string | Record<string, unknown>; headers?: Record<string, string> } | 'silence' | 'hold';

export const PHONE_NUMBER_ID = '106540352242922';

function write(response: ServerResponse, { status, headers, body }: Exclude<GraphOrder, string>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The upstream's messages endpoint over real HTTP: takes what comes, or answers to order. */
export class GraphUpstream {
  readonly calls: GraphCallSeen[] = [];
  private order: GraphOrder | null = null;
  private count = 0;
  private readonly held: (() => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
        this.calls.push({ path: request.url ?? '', headers: request.headers, body });
        const accepted = { status: 200, body: this.accepted(body) };
        const answer = this.order ?? accepted;
        if (answer === 'silence') request.socket.destroy();
        else if (answer === 'hold') this.held.push(() => write(response, accepted));
        else write(response, answer);
      });
    });
  }

  static async open(): Promise<GraphUpstream> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return new GraphUpstream(server);
  }

  /** URL of a chat account whose number lives here. */
  get accountUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v21.0/${PHONE_NUMBER_ID}/messages`;
  }

  /** The last message that came. */
  get last(): GraphCallSeen {
    const call = this.calls.at(-1);
    if (!call) throw new Error('nothing reached the upstream');
    return call;
  }

  /** From now on every message gets this answer; null = they are taken again. */
  answer(order: GraphOrder | null): void {
    this.order = order;
    for (const release of this.held.splice(0)) release();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accepted({ to }: Record<string, unknown>): Record<string, unknown> {
    const id = `wamid.TEST${String(++this.count).padStart(6, '0')}`;
    return { messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: to }], messages: [{ id }] };
  }
}
