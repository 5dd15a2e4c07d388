import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundClient, type OutboundResponse } from '../../platform/outbound/index.js';
import type { FaultSettings } from './faults.js';

const TRIES = 10;
const FIRST_REPEAT_MS = 500;
const LONGEST_REPEAT_MS = 5_000;
const TIMEOUT_MS = 15_000;

/** Calls callback URLs and repeats failed calls at growing intervals. */
@Injectable()
export class CallbackSender implements OnApplicationShutdown {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly outbound: OutboundClient) {}

  // `before` runs right before the first try; false postpones it
  send(url: string, body: Record<string, unknown>, delayMs: number, before: () => boolean): void {
    const begin = (): void => {
      if (before()) void this.post(url, JSON.stringify(body));
      else this.later(FIRST_REPEAT_MS, begin);
    };
    this.later(delayMs, begin);
  }

  /** Sends until accepted or out of tries; true = accepted. */
  async post(url: string, body: string, headers: Record<string, string> = {}): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      if (await this.postOnce(url, body, headers)) return true;
      if (attempt === TRIES) return false;
      const pauseMs = Math.min(FIRST_REPEAT_MS * 2 ** (attempt - 1), LONGEST_REPEAT_MS);
      await new Promise<void>((resolve) => this.later(pauseMs, resolve));
    }
  }

  async postOnce(url: string, body: string, headers: Record<string, string> = {}): Promise<boolean> {
    const all = { 'content-type': 'application/json', ...headers };
    const answer = await this.exchange({ url, method: 'POST', headers: all, body });
    return answer !== null && answer.status >= 200 && answer.status < 300;
  }

  async exchange(request: {
    url: string;
    method: 'GET' | 'POST';
    headers: Record<string, string>;
    body?: string;
  }): Promise<OutboundResponse | null> {
    return this.outbound.request({ ...request, timeoutMs: TIMEOUT_MS, trusted: true }).catch(() => null);
  }

  async get(url: string): Promise<OutboundResponse | null> {
    return this.exchange({ url, method: 'GET', headers: {} });
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private later(delayMs: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, delayMs);
    this.timers.add(timer);
  }
}

const LONGEST_BODY = 100 * 1024 * 1024;

/** Reads a body up to 100 MB; rejects if the client disconnects. By events: an iterator costs several times as much. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LONGEST_BODY) chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** Simulates a proxy that loses the answer to an accepted message; false = no fault, answer normally. */
export function answerAsBadProxy(response: ServerResponse, faults: FaultSettings): boolean {
  if (faults.resetAfterTaking) {
    response.socket?.resetAndDestroy();
    return true;
  }
  if (faults.proxyStatus === null) return false;
  const page = `<html><body>${faults.proxyStatus}</body></html>`;
  response.writeHead(faults.proxyStatus, { 'content-type': 'text/html', 'content-length': page.length }).end(page);
  return true;
}
