import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Owner, openSubmissions, type Submissions } from '../support/submissions.js';

let submissions: Submissions;

beforeAll(async () => {
  submissions = await openSubmissions();
});
afterAll(() => submissions.stop());
afterEach(() => {
  submissions.upstream.set('pass');
  submissions.upstream.calls.length = 0;
});

describe('what is handed in', () => {
  it('a text with samples: the given ones, then made ones', async () => {
    const owner = await submissions.join();
    const id = await submissions.created(owner, {
      template_name: 'text_one',
      category: 'utility',
      language: 8,
      header_area_type: 'text',
      header_text: 'Hi {{1}}',
      template_body: 'On {{2}} for {{1}}, {{2}}',
      body_examples: ['Jane', 'Sunday', 'beyond'],
      template_footer: 'Bye',
      quick_reply_buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }],
    });
    const plain = await submissions.created(owner, {
      template_name: 'plain_one',
      template_body: 'Got {{1}} {{2}}',
      body_examples: ['7'],
    });
    await submissions.working();
    await submissions.told(owner);
    const bodies = submissions.creationsOf(owner).map(({ path, body }) => [path, body]);
    expect(bodies).toContainEqual([
      `/${owner.wabaId}/message_templates`,
      {
        name: 'text_one',
        language: 'hi',
        category: 'UTILITY',
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}', example: { header_text: ['sample 1'] } },
          { type: 'BODY', text: 'On {{2}} for {{1}}, {{2}}', example: { body_text: [['Jane', 'Sunday']] } },
          { type: 'FOOTER', text: 'Bye' },
          { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }] },
        ],
      },
    ]);
    expect(bodies).toContainEqual([
      `/${owner.wabaId}/message_templates`,
      {
        name: 'plain_one',
        language: 'en_US',
        category: 'MARKETING',
        components: [{ type: 'BODY', text: 'Got {{1}} {{2}}', example: { body_text: [['7', 'sample 2']] } }],
      },
    ]);
    const there = await submissions.upstream.templates(owner.wabaId);
    for (const [own, name] of [
      [id, 'text_one'],
      [plain, 'plain_one'],
    ] as const) {
      const upstreamId = there.find((template) => template.name === name)?.id;
      expect(await submissions.stored(own)).toEqual({ status: 3, reason: null, upstream_id: upstreamId });
    }
  });

  it('a language that has no id by its code; another one is another template', async () => {
    const owner = await submissions.join();
    const id = await submissions.created(owner, { template_name: 'ola', language: 'pt_BR' });
    await submissions.working();
    await submissions.told(owner);
    const there = async () =>
      (await submissions.upstream.templates(owner.wabaId)).map(({ name, language }) => [name, language]);
    expect(await there()).toEqual([['ola', 'pt_BR']]);
    expect((await submissions.put(owner, id, { template_name: 'oi', language: 'pt_PT' })).status).toBe(200);
    await submissions.told(owner);
    expect(await there()).toEqual([['oi', 'pt_PT']]);
    expect(submissions.creationsOf(owner).map(({ body }) => (body as { language: string }).language)).toEqual([
      'pt_BR',
      'pt_PT',
    ]);
  });

  it('a built-in picture, document or video, uploaded in steps', async () => {
    const owner = await submissions.join();
    for (const header_media_type of ['Image', 'Document', 'Video']) {
      const template_name = `media_${header_media_type.toLowerCase()}`;
      await submissions.created(owner, { template_name, header_area_type: 'media', header_media_type });
    }
    await submissions.working();
    await submissions.told(owner);
    const opened = submissions.upstream.calls.filter(({ path }) => path.endsWith('/uploads'));
    expect(opened.map(({ query }) => query.get('file_type')).sort()).toEqual([
      'application/pdf',
      'image/png',
      'video/mp4',
    ]);
    // The sandbox checks each handle: it stands for a whole file of the right kind.
    expect(
      (await submissions.upstream.templates(owner.wabaId)).map(({ name, status }) => [name, status]).sort(),
    ).toEqual([
      ['media_document', 'PENDING'],
      ['media_image', 'PENDING'],
      ['media_video', 'PENDING'],
    ]);
  });

  it('one-time passwords: the text is the upstream’s own', async () => {
    const owner = await submissions.join();
    await submissions.created(owner, { category: 'auth', template_body: '{{1}} is your code', template_footer: 'Bye' });
    await submissions.working();
    await submissions.told(owner);
    expect(submissions.creationsOf(owner)[0]?.body).toMatchObject({
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
    });
  });

  it('nothing, where the account has no business account there', async () => {
    const bare = await submissions.templates.join();
    const numberOnly = await submissions.templates.join();
    await submissions.templates.chat.connect(numberOnly, 'official', { url: submissions.upstream.accountUrl('1') });
    const ids = [await submissions.created(bare), await submissions.created(numberOnly)];
    await submissions.working();
    await submissions.told(bare);
    await submissions.told(numberOnly);
    for (const id of ids) expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: null });
    expect(submissions.upstream.calls).toEqual([]);
  });
});

describe('the owner’s sample of a medium', () => {
  let files: Server;
  let base: string;
  const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

  beforeAll(async () => {
    files = createServer((request, response) => {
      if (request.url === '/a.png') response.writeHead(200, { 'content-type': 'image/png; x=1' }).end(PNG);
      else if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      else if (request.url === '/busy') response.writeHead(503).end();
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => files.once('listening', resolve));
    base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  });
  afterAll(() => files.close());

  const sampled = (owner: Owner, path: string): Promise<number> =>
    submissions.created(owner, {
      header_area_type: 'media',
      header_media_type: 'Image',
      header_example_url: base + path,
    });

  it('is fetched and uploaded; what can never serve rejects the template with the reason', async () => {
    const owner = await submissions.join();
    const [good, page, gone] = [
      await sampled(owner, '/a.png'),
      await sampled(owner, '/page'),
      await sampled(owner, '/none'),
    ];
    await submissions.working();
    await submissions.told(owner);
    expect(await submissions.stored(good)).toMatchObject({ status: 3, upstream_id: expect.any(String) as string });
    const [opened] = submissions.upstream.calls.filter(({ path }) => path.endsWith('/uploads'));
    expect(opened?.query.get('file_length')).toBe(String(PNG.length));
    expect(await submissions.stored(page)).toEqual({
      status: 2,
      reason: 'header_example_url is not image/jpeg or image/png',
      upstream_id: null,
    });
    expect(await submissions.stored(gone)).toMatchObject({
      status: 2,
      reason: 'header_example_url could not be fetched',
    });
    expect(await submissions.templates.controller(gone)).toMatchObject({ controller_status: 'rejected' });
  });

  it('an inner address is refused; a busy server is asked again', async () => {
    const owner = await submissions.join();
    await submissions.stopWorkers();
    const inner = await sampled(owner, '/a.png');
    await submissions.startWorker({ OUTBOUND_ALLOW: '' });
    await submissions.told(owner);
    expect(await submissions.stored(inner)).toMatchObject({
      status: 2,
      reason: 'header_example_url could not be fetched',
    });
    await submissions.stopWorkers();
    const busy = await sampled(owner, '/busy');
    await submissions.working();
    await submissions.tried(owner);
    expect(await submissions.stored(busy)).toMatchObject({ status: 3, reason: null });
    expect(submissions.creationsOf(owner)).toEqual([]);
  });
});

describe('when the upstream is in trouble', () => {
  it('a refusal for good rejects the template with its text', async () => {
    const owner = await submissions.join();
    const id = await submissions.created(owner, { template_name: 'Not Its Kind Of Name' });
    await submissions.working();
    await submissions.told(owner);
    expect(await submissions.stored(id)).toMatchObject({
      status: 2,
      reason: expect.stringContaining('lower-case') as string,
    });
    expect(await submissions.templates.controller(id)).toMatchObject({ controller_status: 'rejected' });
  });

  it('silence fails no creation; it is handed in later, once', async () => {
    const owner = await submissions.join();
    submissions.upstream.set('cut');
    const id = await submissions.created(owner);
    await submissions.working();
    await submissions.tried(owner);
    expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: null });
    submissions.upstream.set('pass');
    await submissions.hasten(owner);
    await submissions.told(owner);
    expect(await submissions.upstream.templates(owner.wabaId)).toHaveLength(1);
    expect(await submissions.stored(id)).toMatchObject({ status: 3, upstream_id: expect.any(String) as string });
  });

  it('an account that is refused itself says nothing about the template', async () => {
    const owner = await submissions.join();
    await submissions.upstream.sandbox.faults({ chatError: { status: 401, code: 190, message: 'Token expired' } });
    try {
      const id = await submissions.created(owner);
      await submissions.working();
      await submissions.tried(owner);
      expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: null });
    } finally {
      await submissions.upstream.sandbox.clear();
    }
  });

  it('an answer that is lost with its worker: it is found there, not handed in twice', async () => {
    const owner = await submissions.join();
    submissions.upstream.set('lose');
    const id = await submissions.created(owner);
    await submissions.working();
    await submissions.tried(owner);
    expect(await submissions.stored(id)).toMatchObject({ upstream_id: null });
    const [copy] = await submissions.upstream.templates(owner.wabaId);
    submissions.upstream.set('pass');
    await submissions.hasten(owner);
    await submissions.told(owner);
    expect(await submissions.stored(id)).toEqual({ status: 3, reason: null, upstream_id: copy?.id });
    expect(submissions.creationsOf(owner)).toHaveLength(1);
  });

  it('a worker that hangs on the answer past its lease: the next one settles it without a second creation', async () => {
    const owner = await submissions.join();
    submissions.upstream.set('hold');
    const id = await submissions.created(owner);
    await submissions.working();
    await submissions.arrived(owner);
    await submissions.hasten(owner);
    await submissions.startWorker();
    await submissions.told(owner);
    const [copy] = await submissions.upstream.templates(owner.wabaId);
    expect(await submissions.stored(id)).toMatchObject({ status: 3, upstream_id: copy?.id });
    submissions.upstream.set('pass');
    await submissions.stopWorkers();
    expect(await submissions.stored(id)).toMatchObject({ status: 3, upstream_id: copy?.id });
    expect(submissions.creationsOf(owner)).toHaveLength(1);
  });

  it('two workers side by side hand each template in once', async () => {
    const owner = await submissions.join();
    for (let count = 0; count < 25; count++) await submissions.created(owner);
    await submissions.working();
    await submissions.startWorker();
    await submissions.told(owner);
    expect(submissions.creationsOf(owner)).toHaveLength(25);
    expect(await submissions.upstream.templates(owner.wabaId)).toHaveLength(25);
  });
});
