import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a gateway was asked to send. */
export interface Taken {
  to: string;
  text: string;
  /** clock of `performance.now()` */
  at: number;
}

/** A carrier's HTTP gateway of a test's own; a number that ends in 603 is refused. */
export class Gateway {
  readonly taken: Taken[] = [];
  /** what it answers to a refused number */
  refusal = { status: 400, body: JSON.stringify({ code: 17, error: 'Blocked number' }) };

  private constructor(private readonly server: Server) {}

  /**
   * @param port 0 = a free one
   * @param idOf JSON of the id of the n-th message
   */
  static async open(port = 0, idOf = (n: number): string => `"m-${n}"`): Promise<Gateway> {
    const server = createServer();
    const gateway = new Gateway(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { to, text } = JSON.parse(Buffer.concat(chunks).toString()) as { to: string; text: string };
        const isRefused = to.endsWith('603');
        if (!isRefused) gateway.taken.push({ to, text, at: performance.now() });
        response.writeHead(isRefused ? gateway.refusal.status : 200, { 'content-type': 'application/json' });
        response.end(isRefused ? gateway.refusal.body : `{"id":${idOf(gateway.taken.length)}}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return gateway;
  }

  /** The `config` of a route to it. */
  get config(): Record<string, unknown> {
    const { port } = this.server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/send`,
      body: { to: '{{to}}', text: '{{text}}' },
      id_path: 'id',
      error_code_path: 'code',
      error_text_path: 'error',
    };
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
