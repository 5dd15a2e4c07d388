import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, numbers } from '../support/client.js';
import { type Service, startService, until } from '../support/processes.js';

const ROOT = join(import.meta.dirname, '../..');
const TEXT = 'A text that belongs to nobody else';
const NUMBER = '919800000001';

/** A span as OTLP's JSON has it. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  service: string;
}

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

/** A collector and a customer, both of one's own. */
let receiver: Server;
let url: string;
let service: Service;
let demo: Client;
let token: string;
const spans: Span[] = [];
const exported: string[] = [];
const keys = new Set<unknown>();
let told = 0;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        keys.add(request.headers['x-key']);
        exported.push(body);
        for (const { resource, scopeSpans } of (JSON.parse(body) as Exported).resourceSpans) {
          const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
          for (const { spans: some } of scopeSpans) spans.push(...some.map((span) => ({ ...span, service: name })));
        }
      } else told += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = await startService(1, {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20mine',
    OTEL_SERVICE_NAME: 'sender',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    TRUST_TRACEPARENT: 'true',
  });
  demo = await Client.login(service.url, 'demo', 'Demo-1234!');
  const events = ['gsm.status.update'];
  await demo.call('POST', '/v6/api/webhooks', { url: `${url}/hook`, events });
  const login = await fetch(`${service.url}/v6/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email_or_username: 'demo', password: 'Demo-1234!' }),
  });
  token = ((await login.json()) as { token: string }).token;
});
afterAll(async () => {
  await service.stop();
  receiver.closeAllConnections();
  receiver.close();
});

/** Sends under a caller's trace. */
async function send(traceId: string, contacts: string[], id: string): Promise<void> {
  const response = await fetch(`${service.url}/webhook/api/addbroadcastgsm.php?password=hidden`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({
      broadcast_name: 'Trace',
      brodcast_service: 'default',
      contacts,
      message: TEXT,
      providermessageid: id,
    }),
  });
  expect(response.status).toBe(200);
}

const traceOf = (traceId: string): Span[] => spans.filter((span) => span.traceId === traceId);
const named = (trace: Span[], name: string): Span | undefined => trace.find((span) => span.name === name);

describe('the trace of a message', () => {
  it('is one from the request to the receipt and the customer', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await send(traceId, [NUMBER], 'trace-1');
    const names = ['POST /webhook/api/addbroadcastgsm.php', 'accept campaign', 'send batch', 'receipts', 'webhook'];
    await until('all steps of the trace', async () => {
      const trace = traceOf(traceId);
      return names.every((name) => named(trace, name) !== undefined) && told > 0;
    });
    const trace = traceOf(traceId);
    const [request, accepted, ...others] = names.map((name) => named(trace, name)!);
    expect(request!.parentSpanId).toBe('b7ad6b7169203331');
    expect(accepted!.parentSpanId).toBe(request!.spanId);
    for (const span of others) expect(span.parentSpanId, span.name).toBe(accepted!.spanId);
    expect(new Set(trace.map((span) => span.service))).toEqual(new Set(['sender']));
    expect(keys).toEqual(new Set(['of mine']));
    const sent = Object.fromEntries(named(trace, 'send batch')!.attributes.map(({ key, value }) => [key, value]));
    expect(sent).toMatchObject({
      'switchboard.channel': { stringValue: 'sms' },
      'switchboard.recipients': { intValue: 1 },
      'switchboard.outcome.accepted': { intValue: 1 },
    });
  });

  it('has spans for windows, not for recipients, of a large campaign', async () => {
    const traceId = '1af7651916cd43dd8448eb211c80319d';
    await send(traceId, numbers(900), 'trace-2');
    const windows = (): number =>
      traceOf(traceId)
        .filter(({ name }) => name === 'send batch')
        .flatMap(({ attributes }) => attributes)
        .filter(({ key }) => key === 'switchboard.recipients')
        .reduce((sum, { value }) => sum + Number(value['intValue']), 0);
    await until('the spans of all windows', async () => windows() >= 900);
    expect(traceOf(traceId).length).toBeLessThan(150);
  });

  it('holds no number, text, token or query', () => {
    const all = exported.join('\n');
    expect(all).toContain('accept campaign');
    for (const secret of [TEXT, token, 'hidden', 'SELECT', 'trace-1', 'Demo-1234!']) expect(all).not.toContain(secret);
    const said = JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]));
    expect(said).not.toContain(NUMBER);
    expect(said).not.toMatch(/\d{10}/);
  });
});

describe('without an endpoint', () => {
  it.each(['api', 'worker'])('%s loads nothing of OpenTelemetry', (app) => {
    const directory = join(ROOT, 'dist/src/apps', app);
    const loading = readdirSync(directory)
      .filter((name) => name.endsWith('.js'))
      .filter((name) =>
        /^import .*@opentelemetry|from ?["']@opentelemetry/m.test(readFileSync(join(directory, name), 'utf8')),
      );
    expect(loading.filter((name) => !name.startsWith('otel-tracing'))).toEqual([]);
  });
});
