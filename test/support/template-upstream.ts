import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSandbox, type OpenSandbox } from '../contract/open-sandbox.js';

/** A request of the template API that reached the upstream's door. */
export interface UpstreamCall {
  method: string;
  /** without the version */
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/**
 * What the line does with requests that write:
 * - `pass`: brings them there and the answer back
 * - `lose`: brings them there; the answer is lost, as for a worker that dies meanwhile
 * - `hold`: brings them there; answers come when the line passes again
 * - `cut`: they never arrive
 */
export type Line = 'pass' | 'lose' | 'hold' | 'cut';

/** A template as the sandbox's upstream has it. */
export interface ProviderTemplate {
  id: string;
  name: string;
  language: string;
  category: string;
  status: string;
  components: Record<string, unknown>[];
}

const OF_ONE_HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** The sandbox's chat upstream behind a line that a test can disturb, and a book of what went over it. */
export class TemplateUpstream {
  readonly calls: UpstreamCall[] = [];
  private line: Line = 'pass';
  private held: (() => void)[] = [];

  private constructor(
    readonly sandbox: OpenSandbox,
    private readonly server: Server,
  ) {
    server.on('request', (request, response) => {
      this.take(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async open(): Promise<TemplateUpstream> {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return new TemplateUpstream(await openSandbox(), server);
  }

  async stop(): Promise<void> {
    this.set('pass');
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.sandbox.stop();
  }

  /** URL of a chat account with this phone-number id. */
  accountUrl(phoneNumberId: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v21.0/${phoneNumberId}/messages`;
  }

  set(line: Line): void {
    this.line = line;
    if (line !== 'pass') return;
    for (const release of this.held.splice(0)) release();
  }

  /** Calls that made a template. */
  get creations(): UpstreamCall[] {
    return this.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/message_templates'));
  }

  /** All templates of a business account. */
  async templates(wabaId: string): Promise<ProviderTemplate[]> {
    const all = (await (await fetch(`${this.sandbox.url}/chat/templates`)).json()) as (ProviderTemplate & {
      wabaId: string;
    })[];
    return all.filter((template) => template.wabaId === wabaId);
  }

  /** Registers an account's callback, as its owner does in the upstream's console. */
  async register(phoneNumberId: string, wabaId: string, callbackUrl: string): Promise<void> {
    const account = { phone_number_id: phoneNumberId, waba_id: wabaId, callback_url: callbackUrl };
    await this.post('/chat/accounts', { ...account, app_secret: 'app-secret', verify_token: 'verify-token' });
  }

  /** The upstream's reviewers decide; the callbacks of the business account hear of it. */
  async review(id: string, status: string, reason?: string): Promise<void> {
    await this.post(`/chat/templates/${id}/review`, { status, ...(reason !== undefined && { reason }) });
  }

  /** The upstream moves a template to another category; with `isTold`, the callbacks of the business account hear of it. */
  async recategorise(id: string, value: Record<string, string>, isTold = true): Promise<void> {
    await this.post(`/chat/templates/${id}/category`, { value, told: isTold });
  }

  /** Puts a template there past us. */
  async plant(wabaId: string, template: Record<string, unknown>): Promise<void> {
    await this.post(`/v21.0/${wabaId}/message_templates`, template, { authorization: 'Bearer somebody-else' });
  }

  private async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
    const response = await fetch(this.sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const method = request.method ?? 'GET';
    this.note(request.url ?? '/', method, bytes);
    const writes = method !== 'GET';
    if (writes && this.line === 'cut') return void request.socket.destroy();
    const headers = Object.entries(request.headers).filter(([name]) => !OF_ONE_HOP.has(name));
    const answer = await fetch(this.sandbox.url + (request.url ?? '/'), {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      ...(writes && { body: new Uint8Array(bytes) }),
    });
    const body = await answer.text();
    if (writes && this.line === 'lose') return void request.socket.destroy();
    if (writes && this.line === 'hold') await new Promise<void>((release) => this.held.push(release));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  }

  private note(target: string, method: string, bytes: Buffer): void {
    const url = new URL(target, 'http://upstream');
    let body: Record<string, unknown> = {};
    try {
      body = JSON.parse(bytes.toString()) as Record<string, unknown>;
    } catch {
      // an upload's bytes
    }
    this.calls.push({ method, path: url.pathname.replace(/^\/v21\.0/, ''), query: url.searchParams, body });
  }
}
