import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'undici';
import { Carrier } from './carrier.mjs';

const CALLBACK_MS = 8_000;

/** A carrier over HTTP: answers requests, and reports by callbacks to the address it was given. */
export class HttpCarrier extends Carrier {
  #server;
  #hanging = new Set();

  async listen() {
    this.#server = createServer((incoming, response) => {
      const chunks = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('end', () => void this.serve(incoming, Buffer.concat(chunks).toString(), response));
      incoming.on('error', () => undefined);
    });
    this.#server.keepAliveTimeout = 60_000;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
    return this;
  }

  /** Answers with JSON. */
  answer(response, status, body, headers = {}) {
    if (response.destroyed) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  /** What is the same for all: an answer that is none, or says nothing of the message. @returns whether it has answered */
  answerBadly(response, { answer }) {
    if (answer === 'taken, answered 502') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
    } else if (answer === 'taken, no answer') {
      this.#hanging.add(response);
      response.on('close', () => this.#hanging.delete(response));
    } else return false;
    return true;
  }

  /** @returns whether the other side took it */
  async callBack(url, body, headers) {
    const options = {
      method: 'POST',
      body,
      headers,
      headersTimeout: CALLBACK_MS,
      bodyTimeout: CALLBACK_MS,
      reset: true,
    };
    const { statusCode, body: said } = await request(url, options);
    await said.dump();
    return statusCode >= 200 && statusCode < 300;
  }

  calm() {
    super.calm();
    for (const response of this.#hanging) response.destroy();
  }

  async close() {
    this.outbox.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
