import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import twilio from 'twilio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { twilioConfigSchema } from '../../src/modules/providers/drivers/twilio/call-request.js';
import { TwilioDriver } from '../../src/modules/providers/drivers/twilio/twilio.driver.js';
import type { RouteConnection, SendOutcome } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { openSandbox, type OpenSandbox } from './open-sandbox.js';
import { ACCOUNT_SID, AUTH_TOKEN } from './call-customer.js';

interface Schema {
  properties: Record<string, { type?: string }>;
  required?: string[];
}
interface Operation {
  parameters: { name: string; schema: object }[];
  requestBody: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}
interface Description {
  paths: Record<string, { post: Operation }>;
  components: object;
}

const PATH = '/2010-04-01/Accounts/{AccountSid}/Calls.json';
/**
 * Path of the network's OpenAPI description (`spec/json/twilio_api_v2010.json` of the public repository
 * twilio/twilio-oai, Apache-2.0). It is large and not ours, so it is not kept here: without it, the requests are checked by
 * the network's own client library alone, which is generated from it.
 */
const DESCRIPTION = process.env['VOICE_OPENAPI'];

/** Formats of the network's own are names without a rule. */
const OWN_FORMATS = [
  'endpoint',
  'http-method',
  'currency',
  'uri-map',
  'date-time-rfc-2822',
  'phone-number',
  'sid',
  'twiml',
];

interface Published {
  fields: Schema['properties'];
  request: ValidateFunction;
  response: ValidateFunction;
  account: ValidateFunction;
}

function published(file: string): Published {
  const description = JSON.parse(readFileSync(file, 'utf8')) as Description;
  const operation = description.paths[PATH]?.post;
  const schema = operation?.requestBody.content['application/x-www-form-urlencoded']?.schema;
  const response = operation?.responses['201']?.content['application/json']?.schema;
  if (!schema || !response) throw new Error(`${file} does not describe the creation of calls`);
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const format of OWN_FORMATS) ajv.addFormat(format, true);
  const { components } = description;
  return {
    fields: schema.properties,
    // What the description does not name, the network does not know.
    request: ajv.compile({ ...schema, additionalProperties: false, components }),
    response: ajv.compile({ ...response, components }),
    account: ajv.compile(operation.parameters.find(({ name }) => name === 'AccountSid')?.schema ?? {}),
  };
}

/** A form as the description's types see it. */
function typed(form: URLSearchParams, fields: Schema['properties']): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    const type = fields[name]?.type;
    const values = form.getAll(name);
    if (type === 'array') read[name] = values;
    else if (type === 'integer') read[name] = Number(values[0]);
    else if (type === 'boolean') read[name] = values[0] === 'true';
    else read[name] = values.length === 1 ? values[0] : values;
  }
  return read;
}

interface Wire {
  request: IncomingMessage;
  body: string;
}

const asForm = (body: string): Record<string, string[]> => {
  const form = new URLSearchParams(body);
  return Object.fromEntries([...new Set(form.keys())].sort().map((name) => [name, form.getAll(name)]));
};

describe('creation of calls, against the network’s published contract', () => {
  const outbound = new OutboundClient({ OUTBOUND_ALLOW: '' });
  const seen: Wire[] = [];
  let answer: { status: number; headers: Record<string, string>; body: string };
  let server: Server;
  let connection: RouteConnection;
  let sandbox: OpenSandbox;

  beforeAll(async () => {
    sandbox = await openSandbox();
    server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        seen.push({ request: incoming, body: Buffer.concat(chunks).toString() });
        outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    connection = new TwilioDriver(outbound, 'https://us.example').open({
      id: 1,
      name: 'phone one',
      channel: 'voice',
      driver: 'twilio',
      config: twilioConfigSchema.parse({
        account_sid: ACCOUNT_SID,
        auth_token: AUTH_TOKEN,
        base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
        ring_seconds: 20,
      }),
      messagesPerSecond: null,
      callbackSecret: '',
    });
  });
  afterAll(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
    await sandbox.stop();
    await outbound.onApplicationShutdown();
  });

  const send = (payload: Record<string, unknown>): Promise<SendOutcome> => {
    const notAfter = performance.now() + 60_000;
    return connection.send({ ref: '7-1', to: '4915112345678', text: '', payload, notAfter });
  };

  /** The network's own client library, turned to another host. */
  const library = (origin: string): twilio.Twilio => {
    const httpClient = new twilio.RequestClient();
    const request = httpClient.request.bind(httpClient);
    httpClient.request = (options) =>
      request({ ...options, uri: options.uri.replace('https://api.twilio.com', origin) });
    return twilio(ACCOUNT_SID, AUTH_TOKEN, { httpClient });
  };

  /** The same call, as the library puts it on the wire. */
  const sentByTheLibrary = async (form: URLSearchParams): Promise<Wire> => {
    const events = form.getAll('StatusCallbackEvent');
    const options = Object.fromEntries(
      [...form].map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
    );
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await library(origin).calls.create({
      ...(options as unknown as Parameters<ReturnType<typeof library>['calls']['create']>[0]),
      statusCallbackEvent: events,
    });
    const wire = seen.at(-1);
    if (!wire) throw new Error('The library sent nothing');
    return wire;
  };

  it.each([
    [
      { audio: 'https://us.example/audio/a.wav?x=1&y=<2>', callerId: '4930123456', interactive: false, seconds: 19.2 },
      {
        TimeLimit: '35',
        To: '+4915112345678',
        From: '+4930123456',
        Twiml:
          '<?xml version="1.0" encoding="UTF-8"?><Response>' +
          '<Play>https://us.example/audio/a.wav?x=1&amp;y=&lt;2&gt;</Play><Hangup/></Response>',
      },
    ],
    [
      { audio: '/audio/a.wav', callerId: '4930123456', interactive: true, seconds: 19.2 },
      {
        TimeLimit: '1200',
        Url: 'https://us.example/provider/voice/phone%20one/calls/7-1/steps/0/answered',
        Method: 'POST',
      },
    ],
  ])('%j', async (payload, fields) => {
    answer = { status: 201, headers: {}, body: JSON.stringify({ sid: 'CA1' }) };
    expect(await send(payload)).toEqual({ kind: 'accepted', providerMessageIds: ['CA1'] });
    const ours = seen.at(-1);
    const theirs = await sentByTheLibrary(new URLSearchParams(ours?.body));
    for (const { request: incoming } of [ours, theirs].filter((wire) => wire !== undefined)) {
      expect(incoming.method).toBe('POST');
      expect(incoming.url?.replace('/prefix', '')).toBe(PATH.replace('{AccountSid}', ACCOUNT_SID));
      expect(incoming.headers['content-type']).toBe('application/x-www-form-urlencoded');
      const login = Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64');
      expect(incoming.headers.authorization).toBe(`Basic ${login}`);
    }
    // A field that the library does not know would be missing in its form.
    expect(asForm(ours?.body ?? '')).toEqual(asForm(theirs.body));
    expect(asForm(ours?.body ?? '')).toMatchObject({
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])),
      StatusCallback: ['https://us.example/provider/voice/phone%20one/calls/7-1/status'],
      StatusCallbackMethod: ['POST'],
      StatusCallbackEvent: ['completed'],
      Timeout: ['20'],
    });
    expect(asForm(ours?.body ?? '')).not.toHaveProperty('MachineDetection');
    if (!DESCRIPTION) return;
    const { request, account, fields: known } = published(DESCRIPTION);
    request(typed(new URLSearchParams(ours?.body), known));
    expect(request.errors).toBeNull();
    expect(account(ACCOUNT_SID)).toBe(true);
  });

  it('the library understands the answer of the sandbox', async () => {
    const call = await library(sandbox.url).calls.create({
      to: '+4915112345678',
      from: '+4930123456',
      twiml: '<Response/>',
    });
    expect(call).toMatchObject({
      to: '+4915112345678',
      from: '+4930123456',
      accountSid: ACCOUNT_SID,
      status: 'queued',
    });
    expect(call.sid).toMatch(/^CA[0-9a-f]{32}$/);
    expect(call.direction).toBe('outbound-api');
  });

  it.runIf(DESCRIPTION)('the description refuses what it does not know, and describes the answer', async () => {
    const { request, response } = published(DESCRIPTION ?? '');
    expect(request({ To: '+1', From: '+1', Colour: 'red' })).toBe(false);
    expect(request({ From: '+1' })).toBe(false);
    expect(request({ To: '+1', From: '+1', Method: 'PUT' })).toBe(false);
    const made = await fetch(`${sandbox.url}${PATH.replace('{AccountSid}', ACCOUNT_SID)}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')}` },
      body: new URLSearchParams({ To: '+4915112345678', From: '+4930123456', Twiml: '<Response/>' }),
    });
    expect(made.status).toBe(201);
    response(await made.json());
    expect(response.errors).toBeNull();
    expect(response({ sid: 7 })).toBe(false);
  });

  it.each([
    [302, { location: 'http://127.0.0.1:9/' }, '', { kind: 'rejected', code: 302 }],
    [201, {}, '<html>', { kind: 'unknown' }],
    [201, {}, JSON.stringify({ sid: 'CA1', more: 'x'.repeat(300_000) }), { kind: 'unknown' }],
    [504, {}, '', { kind: 'unknown' }],
    [502, {}, '<html>', { kind: 'unknown' }],
    [522, {}, '<html>', { kind: 'unknown' }],
    [500, {}, '<html>', { kind: 'retry', code: 500, throttled: false }],
    [523, {}, '<html>', { kind: 'unsent' }],
    [429, { 'retry-after': '7' }, '{"code":20429}', { kind: 'retry', afterMs: 7_000, throttled: true }],
    [401, {}, `{"code":20003,"message":"bad ${AUTH_TOKEN}"}`, { kind: 'rejected', code: 20003, text: 'bad ***' }],
  ] as [number, Record<string, string>, string, object][])(
    'the answer %i %j',
    async (status, headers, body, outcome) => {
      answer = { status, headers, body };
      expect(await send({ audio: '/a.wav', callerId: '4930123456' })).toMatchObject(outcome);
    },
  );
});
