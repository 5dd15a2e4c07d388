import { request as rawRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApi, startApi } from '../support/api.js';

const LOGIN = '/v6/api/v1/auth/login';
const BROADCAST = '/webhook/api/addbroadcastgsm.php';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ BODY_LIMIT: 256 * 1024 });
});
afterAll(() => api.stop());

const standard = (status: number, message: string, error: string): object => ({
  success: false,
  statusCode: status,
  message,
  error,
});

const post = (path: string, body: string, type = 'application/json'): Promise<Response> =>
  fetch(api.url + path, { method: 'POST', body, headers: { 'Content-Type': type } });

describe('paths and methods', () => {
  it('answers unknown paths with 404 in the standard shape', async () => {
    const response = await fetch(`${api.url}/nowhere`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject(standard(404, 'Not Found', 'Not Found'));
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['/v5/nowhere', '/v5/api', '/v5/api/nowhere.php', '/V5/API/nowhere.php', '/v5/api/index.php/nowhere'])(
    'answers the unknown path %s with 404 in the v5 shape',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(api.url + path, { method });
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({ status: 'error', textsent: 'error', message: 'Not Found' });
      }
    },
  );

  it.each([
    ['GET', BROADCAST, 'POST'],
    ['PUT', LOGIN, 'POST'],
    ['OPTIONS', LOGIN, 'POST'],
    ['DELETE', '/webhook/api/getGSMreport.php', 'GET, HEAD, POST'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['POST', '/docs-json', 'GET, HEAD'],
  ])('answers %s %s with 405 and Allow', async (method, path, allow) => {
    const response = await fetch(api.url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject(standard(405, 'Method not allowed', 'Method Not Allowed'));
  });

  it.each(['{', JSON.stringify({ padding: 'x'.repeat(256 * 1024) })])(
    'answers a wrong method with 405 whatever is wrong with the body',
    async (body) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(api.url + BROADCAST, { method: 'PUT', body, headers });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.json()).toMatchObject(standard(405, 'Method not allowed', 'Method Not Allowed'));
    },
  );

  it('refuses HEAD on a GET that sends, in the v5 shape for other methods', async () => {
    const path = `${api.url}/v5/api/sms_get.php?username=a&password=b&message=c&number=919999999999`;
    const head = await fetch(path, { method: 'HEAD' });
    expect(head.status).toBe(405);
    expect(head.headers.get('allow')).toBe('GET');
    const other = await fetch(path, { method: 'POST' });
    expect(other.status).toBe(405);
    expect(await other.json()).toMatchObject({ status: 'error', textsent: 'error', message: 'Method not allowed' });
  });

  it.each([LOGIN, BROADCAST])('refuses HEAD on %s, which knows no GET', async (path) => {
    const response = await fetch(api.url + path, { method: 'HEAD' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('answers HEAD where GET only reads', async () => {
    expect((await fetch(`${api.url}/health/live`, { method: 'HEAD' })).status).toBe(200);
  });

  it('answers a path that cannot be decoded with a client error', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      rawRequest(`${api.url}/v6/api/campaigns/%zz`, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });
});

describe('bodies', () => {
  it.each(['{', '{"a":', 'nonsense', '{"a":1}}'])('answers malformed JSON %s with 400', async (body) => {
    const response = await post(LOGIN, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject(standard(400, 'Malformed JSON body', 'Bad Request'));
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it.each(['[]', 'null', '1', '"text"', 'true', '[{"email_or_username":"x"}]', ''])(
    'reads JSON %s, which is no object, as a body without fields',
    async (body) => {
      const response = await post(LOGIN, body);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message).toBe('Missing email_or_username or password');
    },
  );

  it('takes JSON without a content type', async () => {
    const bytes = new Blob(['{']);
    const response = await fetch(api.url + LOGIN, { method: 'POST', body: await bytes.arrayBuffer() });
    expect(((await response.json()) as { message: string }).message).toBe('Malformed JSON body');
  });

  it.each([
    [LOGIN, 64],
    ['/v1/auth/register', 64],
    ['/webhook/api/getGSMreport.php', 64],
    [BROADCAST, 256],
  ])('%s takes %d KB and refuses one byte more with 413', async (path, kilobytes) => {
    const frame = JSON.stringify({ padding: '' }).length;
    const body = (bytes: number): string => JSON.stringify({ padding: 'x'.repeat(bytes - frame) });
    expect((await post(path, body(kilobytes * 1024))).status).not.toBe(413);
    const refused = await post(path, body(kilobytes * 1024 + 1));
    expect(refused.status).toBe(413);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
    const answer = (await refused.json()) as { message: string };
    expect(answer.message).toBe('Request body is too large');
  });

  it('refuses an unknown charset and encoding without a 500', async () => {
    const charset = await post(LOGIN, '{}', 'application/json; charset=klingon');
    expect(charset.status).toBe(415);
    const encoded = await fetch(api.url + LOGIN, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'secret' },
    });
    expect(encoded.status).toBe(415);
  });
});

describe('request ids', () => {
  it('takes over a sane id and replaces an odd one', async () => {
    const sane = await fetch(`${api.url}/nowhere`, { headers: { 'X-Request-Id': 'client-id.42' } });
    expect(sane.headers.get('x-request-id')).toBe('client-id.42');
    for (const odd of ['x', 'a b c d e f g h', 'x'.repeat(65), '<script>alert']) {
      const response = await fetch(`${api.url}/nowhere`, { headers: { 'X-Request-Id': odd } });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('documents', () => {
  it('serves Swagger UI and the document, with both ways of authentication', async () => {
    const page = await fetch(`${api.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
    const document = (await (await fetch(`${api.url}/docs-json`)).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown>; operationId: string }>>;
      components: { securitySchemes: Record<string, unknown> };
    };
    expect(Object.keys(document.components.securitySchemes)).toEqual(
      expect.arrayContaining(['bearer', 'cookie', 'v5']),
    );
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = operations.map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const pause = document.paths['/v6/api/campaigns/{request_id}/pause']!['post']!;
    expect(Object.keys(pause.responses)).toContain('401');
    const create = document.paths['/v6/api/admin/accounts']!['post']!;
    expect(Object.keys(create.responses)).toContain('413');
    expect(JSON.stringify(create.responses['400'])).toContain('Malformed JSON body');
  });

  it('hides both with DOCS=off', async () => {
    const hidden = await startApi({ DOCS: false }, api.database);
    try {
      expect((await fetch(`${hidden.url}/docs`)).status).toBe(404);
      expect((await fetch(`${hidden.url}/docs-json`)).status).toBe(404);
    } finally {
      await hidden.stop();
    }
  });
});
