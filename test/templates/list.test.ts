import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const REQUIRED = 'username is required';
const NONE = 'Template not found for this username';
const PATH = '/webhook/api/templates.php';

const pathOf = (username: string): string => `${PATH}?username=${encodeURIComponent(username)}`;

describe('templates.php', () => {
  let templates: Templates;
  let member: Member;

  beforeAll(async () => {
    templates = await openTemplates();
    member = await templates.join({ timeZone: 'Asia/Kolkata' });
  });
  afterAll(() => templates.stop());

  it('answers every template of the username, ascending (reference/templates#template-record)', async () => {
    const buttons = [
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'QUICK_REPLY', text: 'Não' },
    ];
    const full = await templates.created(member, {
      template_name: 'full',
      category: 'utility',
      language: 13,
      header_area_type: 'media',
      header_media_type: 'Video',
      template_body: 'Hello {{1}} {{2}}',
      template_footer: 'Bye',
      quick_reply_buttons: buttons,
    });
    const bare = await templates.created(member, { template_name: 'bare', category: 'auth', template_body: undefined });
    await templates.dataSource.query('UPDATE templates SET status = 5, created_at = ? WHERE id = ?', [
      new Date('2026-03-01T20:00:00.900Z'),
      full,
    ]);
    const rows = await templates.list(member.account.username);
    expect(rows).toEqual([
      {
        id: full,
        username: member.account.username,
        template_name: 'full',
        status: 5,
        category: 2,
        language: 13,
        header_area_type: 'media',
        header_media_type: 'Video',
        template_body: 'Hello {{1}} {{2}}',
        template_footer: 'Bye',
        quick_replies: JSON.stringify(buttons),
        created_at: '2026-03-02 01:30:00',
      },
      {
        id: bare,
        username: member.account.username,
        template_name: 'bare',
        status: 3,
        category: 3,
        language: 1,
        header_area_type: 'none',
        header_media_type: '',
        template_body: '',
        template_footer: '',
        quick_replies: '[]',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) as string,
      },
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'id',
      'username',
      'template_name',
      'status',
      'category',
      'language',
      'header_area_type',
      'header_media_type',
      'template_body',
      'template_footer',
      'quick_replies',
      'created_at',
    ]);
  });

  it('answers in their order and whole, however many and large they are', async () => {
    const owner = await templates.join();
    await templates.dataSource.query(
      `INSERT INTO templates (account_id, name, category, language_id, status, header_area_type, header_media_type,
         header_text, body, body_examples, footer, quick_replies, created_at, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       SELECT ?, CONCAT('t', i), 1, 1, 3, 'none', '', '', i, '[]', IF(i % 7 = 0, REPEAT('é', 15000), ''),
         IF(i % 300 = 0, CONCAT('[', REPEAT('{"type":"QUICK_REPLY","text":"y"},', 50000), 'null]'), '[]'),
         UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM n`,
      [owner.account.id],
    );
    const rows = await templates.list(owner.account.username);
    expect(rows.map(({ template_body }) => template_body)).toEqual(
      Array.from({ length: 999 }, (_, i) => String(i + 1)),
    );
    expect(new Set(rows.map(({ quick_replies }) => String(quick_replies).length))).toEqual(new Set([2, 1_700_006]));
    expect(new Set(rows.map(({ template_footer }) => String(template_footer).length))).toEqual(new Set([0, 15_000]));
    const head = await templates.request(pathOf(owner.account.username), { method: 'HEAD' });
    expect(head.status).toBe(200);
  });

  it('405 for other methods', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await templates.request(pathOf(member.account.username), { method });
      expectRefused(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  });

  it('400 without a username', async () => {
    for (const query of ['', '?username=', '?username=%20%09', '?username=a&username=b', '?user=a']) {
      expectRefused(await templates.request(PATH + query), 400, REQUIRED);
    }
  });

  it('404 where there is none', async () => {
    const empty = await templates.join();
    const { username } = member.account;
    for (const name of [empty.account.username, 'nobody', username.toUpperCase(), `${username} `, '%', 'a\u0000']) {
      expectRefused(await templates.request(pathOf(name)), 404, NONE);
    }
  });

  it('an account that demands its token is closed to all others', async () => {
    const shy = await templates.join();
    await templates.created(shy);
    const path = pathOf(shy.account.username);
    expect((await templates.request(path)).status).toBe(200);
    await templates.chat.alter(shy, 'require_token', 1);
    const closed: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${member.token}` },
      { authorization: 'Bearer nonsense', cookie: `auth_token=${shy.token}` },
      { cookie: `auth_token=${shy.token}`, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of closed) expectRefused(await templates.request(path, { headers }), 404, NONE);
    for (const headers of [{ authorization: `Bearer ${shy.token}` }, { cookie: `auth_token=${shy.token}` }]) {
      expect((await templates.request(path, { headers })).status).toBe(200);
    }
  });
});

describe('misses', () => {
  it('OPEN_MISS_LIMIT of them a minute from one address, then 429; what is found costs nothing', async () => {
    const templates = await openTemplates({ OPEN_MISS_LIMIT: 3 });
    try {
      const member = await templates.join();
      await templates.created(member);
      const good = pathOf(member.account.username);
      for (let round = 0; round < 5; round++) {
        expect((await templates.request(good)).status).toBe(200);
        expectRefused(await templates.request(PATH), 400, REQUIRED);
      }
      for (let miss = 0; miss < 3; miss++) expectRefused(await templates.request(pathOf('nobody')), 404, NONE);
      for (const path of [pathOf('nobody'), good, PATH]) {
        const answer = await templates.request(path);
        expectRefused(answer, 429, 'Too many requests. Please try again later.');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    } finally {
      await templates.stop();
    }
  });
});

describe('PROTECT_REPORTS', () => {
  it('closes every account', async () => {
    const templates = await openTemplates({ PROTECT_REPORTS: true });
    try {
      const [one, two] = [await templates.join(), await templates.join()];
      await templates.created(one);
      const path = pathOf(one.account.username);
      const by = (member: Member) => templates.request(path, { headers: { authorization: `Bearer ${member.token}` } });
      expectRefused(await templates.request(path), 404, NONE);
      expectRefused(await by(two), 404, NONE);
      expect((await by(one)).status).toBe(200);
    } finally {
      await templates.stop();
    }
  });
});

describe('a statement that the database refuses', () => {
  it('500 with the text of reference/templates#templatesphp, and nothing else', async () => {
    const templates = await openTemplates();
    try {
      const member = await templates.join();
      await templates.dataSource.query('RENAME TABLE templates TO hidden');
      expectRefused(await templates.request(pathOf(member.account.username)), 500, 'Failed to prepare query');
      expectRefused(await templates.create(member, templates.body()), 500, 'Internal server error');
    } finally {
      await templates.stop();
    }
  });
});
