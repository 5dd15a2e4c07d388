import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that passed, and what the other side made of it. */
export interface WireRequest {
  method: string;
  /** without the query */
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: Buffer;
  status: number;
}

/** Stands between a driver and its upstream: hands everything on as it is, and keeps what passed. */
export class WireRecorder {
  readonly requests: WireRequest[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', (request, response) => {
      void this.handOn(request)
        .then(async (answer) => {
          const type = answer.headers.get('content-type') ?? 'application/json';
          response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()));
        })
        .catch(() => request.socket.destroy());
    });
  }

  /** @param target such as http://127.0.0.1:4000 */
  static async open(target: string): Promise<WireRecorder> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return new WireRecorder(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handOn(request: IncomingMessage): Promise<Response> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url = '/', headers } = request;
    const passed = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name));
    const answer = await fetch(this.target + url, {
      method,
      headers: passed.map(([name, value]) => [name, String(value)]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const { pathname, searchParams } = new URL(url, this.target);
    const { status } = answer;
    this.requests.push({ method, path: pathname, query: Object.fromEntries(searchParams), headers, body, status });
    return answer;
  }
}

const HOP_BY_HOP = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']);
