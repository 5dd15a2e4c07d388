import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that reached the upstream. */
export interface GraphCallSeen {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** What the upstream says instead of taking a message; `silence` cuts the connection. */
export type GraphOrder =
  { status: number; body: string | Record<string, unknown>; headers?: Record<string, string> } | 'silence';

export const PHONE_NUMBER_ID = '106540352242922';

/** The upstream's messages endpoint over real HTTP: takes what comes, or answers to order. */
export class GraphUpstream {
  readonly calls: GraphCallSeen[] = [];
  private order: GraphOrder | null = null;
  private count = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
        this.calls.push({ path: request.url ?? '', headers: request.headers, body });
        const answer = this.order ?? { status: 200, body: this.accepted(body) };
        if (answer === 'silence') {
          request.socket.destroy();
          return;
        }
        response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
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
