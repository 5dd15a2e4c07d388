import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, expectRefused, type Member } from '../support/sms.js';
import { openTemplates, type Templates } from '../support/templates.js';

const OWN = '/v6/api/account/profile-request';
const PUBLIC = '/v6/api/public/profile-request';
const STAFF_PATH = '/v6/api/admin/profile-requests';

let templates: Templates;
let admin: Member;

beforeAll(async () => {
  templates = await openTemplates({ OPEN_MISS_LIMIT: 0 });
  admin = await templates.join({ userType: 'admin' });
});
afterAll(() => templates.stop());

const create = (member: Member | null, body: unknown): Promise<Answer> => templates.send('POST', OWN, member, body);
const list = async (member: Member): Promise<Record<string, unknown>[]> =>
  (await templates.send('GET', OWN, member)).body['data'] as Record<string, unknown>[];
const idOf = (answer: Answer): number => (answer.body['data'] as { id: number }).id;
const put = (member: Member, id: unknown, body: unknown): Promise<Answer> =>
  templates.send('PUT', `${OWN}/${String(id)}`, member, body);
const remove = (member: Member, id: unknown): Promise<Answer> =>
  templates.send('DELETE', `${OWN}/${String(id)}`, member);
const process = (id: unknown, status: unknown, who: Member = admin, revision?: unknown): Promise<Answer> =>
  templates.send('PATCH', `${STAFF_PATH}/${String(id)}`, who, { status, revision });

describe('creating', () => {
  it('answers 201 with exactly the seven fields', async () => {
    const member = await templates.join();
    const answer = await create(member, { verified_name: 'Acme Foods', number: '', extra: 1 });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      message: 'Chat profile request created successfully',
      data: {
        id: idOf(answer),
        username: member.account.username,
        verified_name: 'Acme Foods',
        number: null,
        numberForOTP: '',
        status: 'pending',
        channel: 'official',
      },
    });
    expect(answer.headers.get('switchboard-warnings')).toBe('[{"code":"unknown_field","field":"extra"}]');
    const branded = await create(member, {
      verified_name: 'Acme Foods',
      number: '4915112345678',
      numberForOTP: 4915187654321,
      channel: 'branded',
    });
    expect(branded.body).toMatchObject({
      message: 'Branded Chat profile request created successfully',
      data: { number: '4915112345678', numberForOTP: '4915187654321', channel: 'branded' },
    });
    expect((await list(member)).map(({ id }) => id)).toEqual([idOf(branded), idOf(answer)]);
  });

  it.each([
    [{}, 'verified_name is required'],
    [{ verified_name: '  ' }, 'verified_name is required'],
    [{ verified_name: { a: 1 } }, 'verified_name is required'],
    [{ verified_name: 'x'.repeat(256) }, 'verified_name must be at most 255 characters'],
    [{ verified_name: 'x', number: [] }, 'number is invalid'],
    [{ verified_name: 'x', number: '1'.repeat(33) }, 'number is invalid'],
    [{ verified_name: 'x', numberForOTP: true }, 'numberForOTP is invalid'],
    [{ verified_name: 'x', channel: 'other' }, 'channel must be official or branded'],
  ])('refuses %j', async (body, text) => {
    const member = await templates.join();
    expectRefused(await create(member, body), 400, text);
    expect(await list(member)).toEqual([]);
  });

  it('takes 255 characters outside the basic plane', async () => {
    const member = await templates.join();
    const name = '😀'.repeat(255);
    expect((await create(member, { verified_name: name })).body).toMatchObject({ data: { verified_name: name } });
  });

  it('wants a token', async () => {
    expectRefused(await create(null, { verified_name: 'x' }), 401, 'Invalid Authorization token');
    expectRefused(await templates.send('GET', OWN, null), 401, 'Invalid Authorization token');
    expectRefused(await templates.send('PATCH', OWN, null), 405, 'Method not allowed');
  });

  it('answers an identical pending request with the first; null differs from a value', async () => {
    const member = await templates.join();
    const body = { verified_name: 'Acme', number: '49151', channel: 'branded' };
    const first = await create(member, body);
    const again = await create(member, { ...body, numberForOTP: '' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({
      message: 'Branded Chat profile request already exists',
      data: first.body['data'],
      duplicate: true,
    });
    for (const other of [
      { ...body, number: null },
      { ...body, number: '49152' },
      { ...body, numberForOTP: '1' },
      { ...body, channel: 'official' },
      { ...body, verified_name: 'acme' },
    ]) {
      expect((await create(member, other)).status).toBe(201);
    }
    expect((await create(await templates.join(), body)).status).toBe(201);
    await process(idOf(first), 'completed');
    expect((await create(member, body)).status).toBe(201);
  });

  it('makes one row of 20 identical requests at once', async () => {
    const member = await templates.join();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(member, { verified_name: 'Rush' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 200 && body['duplicate'] === true)).toHaveLength(19);
    expect(new Set(answers.map(idOf)).size).toBe(1);
    expect(await list(member)).toHaveLength(1);
  });
});

describe('changing and deleting', () => {
  it('changes only supplied fields; an empty number clears it', async () => {
    const member = await templates.join();
    const id = idOf(await create(member, { verified_name: 'Acme', number: '49151', numberForOTP: '7' }));
    const updated = await put(member, id, { verified_name: 'Acme Foods', number: '' });
    expect(updated.status).toBe(200);
    expect(updated.body).toEqual({ message: 'Profile request updated successfully' });
    expect(await list(member)).toMatchObject([
      { id, verified_name: 'Acme Foods', number: null, numberForOTP: '7', channel: 'official' },
    ]);
    expect((await put(member, id, {})).status).toBe(200);
    expectRefused(await put(member, id, { verified_name: '' }), 400, 'verified_name is required');
    expectRefused(await put(member, id, { channel: 'x' }), 400, 'channel must be official or branded');
    expect(await list(member)).toMatchObject([{ verified_name: 'Acme Foods' }]);
  });

  it('409 when it would equal another pending request, also at once', async () => {
    const member = await templates.join();
    await create(member, { verified_name: 'A', channel: 'branded' });
    const id = idOf(await create(member, { verified_name: 'B', channel: 'branded' }));
    expectRefused(await put(member, id, { verified_name: 'A' }), 409, 'Branded Chat profile request already exists');
    const ids = await Promise.all(['C', 'D'].map(async (name) => idOf(await create(member, { verified_name: name }))));
    const answers = await Promise.all(ids.map((one) => put(member, one, { verified_name: 'E' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await list(member)).filter(({ verified_name }) => verified_name === 'E')).toHaveLength(1);
  });

  it('404 for another account’s and for what is no id, before anything else', async () => {
    const member = await templates.join();
    const id = idOf(await create(await templates.join(), { verified_name: 'Hers' }));
    for (const wrong of [id, 0, 'x', '1e3', '99999999999999999999', 4294967296]) {
      expectRefused(await put(member, wrong, { channel: 'x' }), 404, 'Profile request not found');
      expectRefused(await remove(member, wrong), 404, 'Profile request not found');
    }
  });

  it.each(['processing', 'completed', 'rejected'])('is over once %s', async (status) => {
    const member = await templates.join();
    const id = idOf(await create(member, { verified_name: 'Acme' }));
    expect((await process(id, status)).status).toBe(200);
    expectRefused(await put(member, id, { verified_name: '' }), 400, 'Can only update pending profile requests');
    expectRefused(await remove(member, id), 400, 'Can only delete pending profile requests');
    expect(await list(member)).toMatchObject([{ id, status }]);
  });

  it('deletes a pending one', async () => {
    const member = await templates.join();
    const id = idOf(await create(member, { verified_name: 'Acme' }));
    const answer = await remove(member, id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ message: 'Profile request deleted successfully' });
    expect(await list(member)).toEqual([]);
  });
});

describe('staff', () => {
  it('lists by status and moves forward only, in the audit log', async () => {
    const member = await templates.join();
    const id = idOf(await create(member, { verified_name: 'Shop' }));
    const pending = await templates.send('GET', `${STAFF_PATH}?status=pending&limit=1`, admin);
    expect(pending.body).toMatchObject({ success: true, page: 1, limit: 1, data: [{ id, status: 'pending' }] });
    expectRefused(
      await templates.send('GET', `${STAFF_PATH}?status=open`, admin),
      400,
      'status must be one of: pending, processing, completed, rejected',
    );
    expect((await process(id, 'processing')).body).toMatchObject({
      success: true,
      data: { id, username: member.account.username, status: 'processing' },
    });
    expectRefused(await process(id, 'processing'), 409, 'Profile request is already processing');
    expect((await process(id, 'completed')).body).toMatchObject({ data: { status: 'completed' } });
    expectRefused(await process(id, 'rejected'), 409, 'Profile request is already completed');
    expectRefused(await process(id, 'pending'), 400, 'status must be one of: processing, completed, rejected');
    expectRefused(await process(0, 'completed'), 404, 'Profile request not found');
    expectRefused(await process(id, 'completed', member), 403, 'Forbidden');
    const audit = await templates.send('GET', '/v6/api/admin/audit?limit=1000', admin);
    const entries = (audit.body['data'] as Record<string, unknown>[]).filter(
      ({ action, subject }) => action === 'profile_request.process' && subject === String(id),
    );
    expect(entries).toMatchObject([
      { details: { from: 'processing', to: 'completed' } },
      { details: { from: 'pending', to: 'processing' } },
    ]);
  });

  it('checks what was looked at, not what the owner made of it since', async () => {
    const CHANGED = 'Changed since you looked';
    const member = await templates.join();
    for (const status of ['completed', 'rejected']) {
      const id = idOf(await create(member, { verified_name: `Looked ${status}` }));
      const pending = await templates.send('GET', `${STAFF_PATH}?status=pending&limit=1`, admin);
      expect(pending.body).toMatchObject({ data: [{ id, revision: 1 }] });
      expect((await put(member, id, { verified_name: `Since ${status}` })).status).toBe(200);
      for (const revision of [1, undefined, null, 3]) {
        expectRefused(await process(id, status, admin, revision), 409, CHANGED);
      }
      expectRefused(await process(id, status, admin, 'x'), 400, 'revision must be a whole number from 1');
      expectRefused(await process(id, 'processing', admin, 1), 409, CHANGED);
      expect((await process(id, status, admin, 2)).body).toMatchObject({ data: { status, revision: 2 } });
      expectRefused(await process(id, status, admin, 1), 409, `Profile request is already ${status}`);
    }
  });

  it('keeps the reason of a decision, and tells it to the owner', async () => {
    const member = await templates.join();
    const other = await templates.join();
    const id = idOf(await create(member, { verified_name: 'Not ours' }));
    const path = `/v6/api/account/profile-request/${id}`;
    const fields = { id, username: member.account.username, verified_name: 'Not ours', number: null, numberForOTP: '' };
    const times = { created_at: expect.any(String) as string, updated_at: expect.any(String) as string };
    expect((await templates.send('GET', path, member)).body).toEqual({
      message: 'Profile request fetched successfully',
      data: { ...fields, channel: 'official', status: 'pending', reason: null, ...times },
    });
    for (const reason of [{}, 'x'.repeat(501), true]) {
      const refused = await templates.send('PATCH', `${STAFF_PATH}/${id}`, admin, { status: 'rejected', reason });
      expectRefused(refused, 400, 'reason is invalid');
    }
    const reason = 'The name is not that of your company';
    const checked = await templates.send('PATCH', `${STAFF_PATH}/${id}`, admin, { status: 'rejected', reason });
    expect(checked.body).toMatchObject({ data: { status: 'rejected', reason, revision: 1 } });
    const rejected = (await templates.send('GET', path, member)).body;
    expect(rejected).toMatchObject({ data: { status: 'rejected', reason } });
    expect(rejected['data']).not.toHaveProperty('revision');
    const list = await templates.send('GET', '/v6/api/account/profile-request', member);
    expect((list.body['data'] as object[])[0]).not.toHaveProperty('reason');
    expectRefused(await templates.send('GET', path, other), 404, 'Profile request not found');
    expectRefused(
      await templates.send('GET', '/v6/api/account/profile-request/x', member),
      404,
      'Profile request not found',
    );
  });

  it('lets either the owner or staff go first', async () => {
    const member = await templates.join();
    for (let round = 0; round < 10; round++) {
      const id = idOf(await create(member, { verified_name: `Both ${round}` }));
      const [changed, checked] = await Promise.all([
        put(member, id, { verified_name: `Sly ${round}` }),
        process(id, 'completed', admin, 1),
      ]);
      expect([changed.status, checked.status]).toEqual(changed.status === 200 ? [200, 409] : [400, 200]);
    }
  });

  it('lets one of ten decisions at once win', async () => {
    const id = idOf(await create(await templates.join(), { verified_name: 'Race' }));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => process(id, index % 2 ? 'completed' : 'rejected')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('the public look-up', () => {
  const lookUp = (query: string): Promise<Answer> => templates.request(PUBLIC + query);
  const names = (answer: Answer): unknown[] =>
    (answer.body['data'] as Record<string, unknown>[]).map((row) => row['Display Name']);

  it('shows branded requests of direct clients, newest first (reference/profile-requests#public-look-up)', async () => {
    const parent = await templates.join({ userType: 'reseller' });
    const child = await templates.join({ parentId: parent.account.id });
    const grandchild = await templates.join({ parentId: child.account.id });
    await create(child, { verified_name: 'Plain' });
    await create(child, { verified_name: 'First', channel: 'branded', number: '49151', numberForOTP: '49152' });
    const second = idOf(await create(child, { verified_name: 'Second', channel: 'branded' }));
    await create(grandchild, { verified_name: 'Far', channel: 'branded' });
    await templates.dataSource.query(
      "UPDATE profile_requests SET created_at = '2026-01-05 00:07:00', updated_at = '2026-11-21 13:30:00' WHERE id = ?",
      [second],
    );
    const answer = await lookUp(`?parent_username=${parent.account.username}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ message: 'Profile requests fetched successfully' });
    expect(names(answer)).toEqual(['Second', 'First']);
    expect((answer.body['data'] as unknown[])[0]).toEqual({
      Username: child.account.username,
      'Display Name': 'Second',
      Number: null,
      'Bussiness Number': '',
      'Current Status': 'pending',
      'Created At': 'Jan 5, 2026, 12:07 AM',
      'Updated At': 'Nov 21, 2026, 01:30 PM',
    });
    expect((answer.body['data'] as unknown[])[1]).toMatchObject({ Number: '49151', 'Bussiness Number': '49152' });
  });

  it('matches starts literally, in any case, of usernames and display names', async () => {
    const parent = await templates.join();
    const child = await templates.join({ parentId: parent.account.id });
    for (const name of ['100% Acme', '1000 Acme', 'a_b', 'axb', 'back\\slash', 'bang!']) {
      await create(child, { verified_name: name, channel: 'branded' });
    }
    const of = async (prefix: string): Promise<unknown[]> =>
      names(await lookUp(`?parent_username=${parent.account.username}&verified_name=${encodeURIComponent(prefix)}`));
    expect(await of('100%')).toEqual(['100% Acme']);
    expect(await of('%')).toEqual([]);
    expect(await of('A_')).toEqual(['a_b']);
    expect(await of('_')).toEqual([]);
    expect(await of('BACK\\')).toEqual(['back\\slash']);
    expect(await of('bang!')).toEqual(['bang!']);
    expect(await of('cme')).toEqual([]);
    expect(await of(child.account.username.toUpperCase())).toHaveLength(6);
    expect(await of("' OR 1=1 --")).toEqual([]);
  });

  it('is empty for an unknown parent, and where parent or client closed it', async () => {
    const parent = await templates.join();
    const child = await templates.join({ parentId: parent.account.id });
    await create(child, { verified_name: 'Acme', channel: 'branded' });
    const path = `?parent_username=${parent.account.username}`;
    const close = (member: Member, open: boolean): Promise<Answer> =>
      templates.send('PATCH', `/v6/api/admin/accounts/${member.account.username}`, admin, { public_lookup: open });
    expect(names(await lookUp('?parent_username=nobody'))).toEqual([]);
    expect(names(await lookUp(path))).toEqual(['Acme']);
    await close(child, false);
    expect(names(await lookUp(path))).toEqual([]);
    await close(child, true);
    await close(parent, false);
    expect(names(await lookUp(path))).toEqual([]);
  });

  it('answers its errors as { message } alone', async () => {
    for (const query of ['', '?parent_username=', '?parent_username=a&parent_username=b']) {
      const answer = await lookUp(query);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ message: 'parent_username query parameter is required' });
    }
    const twice = await lookUp('?parent_username=a&verified_name=b&verified_name=c');
    expect([twice.status, twice.body]).toEqual([400, { message: 'verified_name is invalid' }]);
  });

  it('allows OPEN_MISS_LIMIT misses a minute', async () => {
    const strict = await openTemplates({ OPEN_MISS_LIMIT: 3 });
    try {
      const statuses: number[] = [];
      for (let index = 0; index < 5; index++) {
        const answer = await strict.request(`${PUBLIC}?parent_username=nobody${index}`);
        statuses.push(answer.status);
        if (answer.status === 429) {
          expect(answer.body).toEqual({ message: 'Too many requests. Please try again later.' });
        }
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    } finally {
      await strict.stop();
    }
  });

  it('tells of a database fault in its own shape', async () => {
    const broken = await openTemplates({ OPEN_MISS_LIMIT: 0 });
    try {
      const parent = await broken.join();
      await broken.dataSource.query('RENAME TABLE profile_requests TO gone');
      const answer = await broken.request(`${PUBLIC}?parent_username=${parent.account.username}`);
      expect([answer.status, answer.body]).toEqual([
        500,
        { error: 'Internal Server Error', message: 'Database query failed' },
      ]);
    } finally {
      await broken.stop();
    }
  });
});
