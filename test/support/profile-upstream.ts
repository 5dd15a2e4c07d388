import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the upstream. */
export interface UpstreamCall {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What the upstream says; `silence` closes the connection without a word. */
export type UpstreamAnswer = { status: number; body: string | Record<string, unknown> } | 'silence';

export const NUMBER_ID = '106540352242922';
export const APP_ID = '670843887433847';
const UPLOAD_ID = 'upload:MTphdHRhY2htZW50OjE=?sig=ARZqkGCA';
const HANDLE = '4::aW1hZ2UvcG5n:ARb:e:1700000000';

/** The chat upstream's business profile over HTTP, with all it was asked, and with answers to order. */
export class ProfileUpstream {
  readonly calls: UpstreamCall[] = [];
  profile: Record<string, unknown> = {};
  private orders = new Map<string, UpstreamAnswer>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream');
        const call: UpstreamCall = {
          method: request.method ?? '',
          path: decodeURIComponent(pathname),
          query: Object.fromEntries(searchParams),
          headers: request.headers,
          body: Buffer.concat(chunks),
        };
        this.calls.push(call);
        const answer = this.answer(call);
        if (answer === 'silence') {
          request.socket.destroy();
          return;
        }
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
      });
    });
  }

  static async open(): Promise<ProfileUpstream> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return new ProfileUpstream(server);
  }

  /** URL of a chat account whose number lives here. */
  get accountUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v21.0/${NUMBER_ID}/messages`;
  }

  /** From now on this step gets this answer. */
  order(step: 'read' | 'change' | 'session' | 'bytes', answer: UpstreamAnswer): void {
    this.orders.set(step, answer);
  }

  /** Forgets what was asked and ordered. */
  clear(): void {
    this.calls.length = 0;
    this.orders.clear();
    this.profile = {};
  }

  /** "METHOD path" of every call. */
  get asked(): string[] {
    return this.calls.map(({ method, path }) => `${method} ${path}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer({ method, path, body }: UpstreamCall): UpstreamAnswer {
    if (path.endsWith('/uploads')) return this.orders.get('session') ?? { status: 200, body: { id: UPLOAD_ID } };
    if (path.includes('/upload:')) return this.orders.get('bytes') ?? { status: 200, body: { h: HANDLE } };
    if (method === 'GET') {
      return (
        this.orders.get('read') ?? { status: 200, body: { data: [{ ...this.profile, messaging_product: 'whatsapp' }] } }
      );
    }
    const order = this.orders.get('change');
    if (order) return order;
    const {
      messaging_product: _,
      profile_picture_handle: handle,
      ...changes
    } = JSON.parse(String(body)) as Record<string, unknown>;
    Object.assign(this.profile, changes, handle === HANDLE && { profile_picture_url: 'https://cdn.example/new.png' });
    return { status: 200, body: { success: true } };
  }
}
