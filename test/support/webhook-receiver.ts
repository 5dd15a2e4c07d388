import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as the customer's server got it. */
export interface Delivery {
  path: string;
  headers: IncomingHttpHeaders;
  id: string;
  text: string;
  body: Record<string, unknown>;
  at: number;
}

/** What a customer's server answers; undefined = 200. */
export type Answering = (delivery: Delivery, response: ServerResponse) => number | 'hang' | undefined;

/** A small real server of a customer. */
export class WebhookReceiver {
  readonly deliveries: Delivery[] = [];
  answering: Answering = () => undefined;
  private readonly hanging: ServerResponse[] = [];

  private constructor(private readonly server: Server) {}

  static async open(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const delivery: Delivery = {
          path: request.url ?? '',
          headers: request.headers,
          id: String(request.headers['webhook-id']),
          text,
          body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>,
          at: Date.now(),
        };
        receiver.deliveries.push(delivery);
        const status = receiver.answering(delivery, response) ?? 200;
        if (status === 'hang') receiver.hanging.push(response);
        else if (!response.writableEnded) response.writeHead(status).end(status >= 400 ? 'out of order' : 'ok');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** What came to one path. */
  to(path: string): Delivery[] {
    return this.deliveries.filter((delivery) => delivery.path === path);
  }

  /** Silent requests get their answer after all. */
  letGo(): void {
    for (const response of this.hanging.splice(0)) if (!response.writableEnded) response.writeHead(200).end();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
