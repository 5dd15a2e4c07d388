import { once } from 'node:events';
import { createServer } from 'node:http';

/** A customer's server for webhooks, with a ledger of its own. A strike sets its mood. */
export class Customer {
  /** `{ id, type, body, at }` of what it answered with 200 */
  seen = [];
  /** every try, also those it did not take */
  tries = 0;
  /** 'well', 'failing' (500), 'hanging' (no answer), 'gone' (410) */
  mood = 'well';
  #server;
  #hanging = new Set();

  static async open(name) {
    const customer = new Customer();
    customer.name = name;
    customer.#server = createServer((request, response) => customer.#serve(request, response));
    customer.#server.keepAliveTimeout = 60_000;
    customer.#server.listen(0, '127.0.0.1');
    await once(customer.#server, 'listening');
    customer.port = customer.#server.address().port;
    return customer;
  }

  #serve(request, response) {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      this.tries += 1;
      if (this.mood === 'hanging') {
        this.#hanging.add(response);
        response.on('close', () => this.#hanging.delete(response));
      } else if (this.mood === 'failing') response.writeHead(500).end('out of order');
      else {
        const body = JSON.parse(Buffer.concat(chunks).toString());
        this.seen.push({ id: request.headers['webhook-id'], body, at: Date.now() });
        response.end('ok');
      }
    });
  }

  /** Well again; those it kept waiting are let go without an answer. */
  calm() {
    this.mood = 'well';
    for (const response of this.#hanging) response.destroy();
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
