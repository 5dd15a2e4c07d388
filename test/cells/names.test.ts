import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AccountRegistrar, DirectoryFill, NameClaims, NameClaimSweeper } from '../../src/modules/accounts/index.js';
import { AssignedUsers } from '../../src/modules/accounts/access/users.store.js';
import { CellDirectory } from '../../src/modules/cell-directory/index.js';
import { inTransaction } from '../../src/platform/database/index.js';
import { type Accounts, accountsOf, PASSWORD } from '../support/accounts.js';
import { type RunningApi, startApi } from '../support/api.js';
import { CELL_TOKEN, createDirectory, type DirectoryDatabase, startCell } from '../support/cells.js';

const REGISTER = '/v6/api/v1/auth/register';
const USERS = '/v6/api/account/users';
const AWAY = [503, 'The directory of accounts does not answer'];

let count = 0;
const form = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  firstname: 'A',
  lastname: 'B',
  username: `name${++count}`,
  email: `name${count}@x.example`,
  password: PASSWORD,
  password_confirmation: PASSWORD,
  ...fields,
});

describe('names over two cells', () => {
  let directory: DirectoryDatabase;
  let apis: [RunningApi, RunningApi];
  let a: Accounts;
  let b: Accounts;

  beforeAll(async () => {
    directory = await createDirectory();
    const settings = { REGISTER_RATE_LIMIT: 0, USER_RATE_LIMIT: 0 };
    apis = [await startCell('a', directory, settings), await startCell('b', directory, settings)];
    a = accountsOf(apis[0]);
    b = accountsOf(apis[1]);
  });
  afterAll(async () => {
    await Promise.all(apis.map((api) => api.stop()));
    await directory.drop();
  });

  const part = <T>(index: 0 | 1, type: abstract new (...parameters: never[]) => T): T =>
    apis[index].app.get<T>(type, { strict: false });
  const cellOf = async (value: string): Promise<string | undefined> =>
    (await directory.query<{ cell: string }>('SELECT cell FROM cell_names WHERE value = ?', [value]))[0]?.cell;
  const notes = async (index: 0 | 1): Promise<number> => {
    const [row] = await part(index, DataSource).query<{ n: string }[]>('SELECT COUNT(*) AS n FROM name_claims');
    return Number(row?.n);
  };
  const sweep = (index: 0 | 1): Promise<number> => part(index, NameClaimSweeper).sweep(0);
  /** The rows of cell b are given back right after cell a has claimed, so many times. */
  const goesAfterClaim = (times: number): void => {
    const cells = part(0, CellDirectory);
    const spy = vi.spyOn(cells, 'claim');
    for (let time = 0; time < times; time++) {
      spy.mockImplementationOnce(async (...given) => {
        await CellDirectory.prototype.claim.call(cells, ...given);
        await directory.query("DELETE FROM cell_names WHERE value = 'passed-on'");
      });
    }
  };
  const foreignRow = () => directory.query("INSERT INTO cell_names VALUES ('username', 'passed-on', 'b', 1)");
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are taken once, whichever cell is asked, in the words and the order of registration', async () => {
    const taken = form({ mobile_no: '+91 98765 43210' });
    expect((await a.row('POST', REGISTER, { body: taken }))[0]).toBe(201);
    expect(await cellOf(String(taken['username']))).toBe('a');
    expect(await notes(0)).toBe(0);
    const checked = async (fields: Record<string, unknown>) => b.row('POST', REGISTER, { body: form(fields) });
    const { username, email } = taken;
    expect(await checked({ username, email })).toEqual([409, 'Email already registered']);
    expect(await checked({ username: String(username).toUpperCase() })).toEqual([409, 'Username already taken']);
    expect(await checked({ email: String(email).toUpperCase() })).toEqual([409, 'Email already registered']);
    expect(await checked({ mobile_no: '919876543210' })).toEqual([409, 'Mobile number already registered']);
    expect(await a.row('POST', REGISTER, { body: taken })).toEqual([409, 'Email already registered']);
    expect((await checked({}))[0]).toBe(201);
    expect(await notes(1)).toBe(0);
  });

  it('go to one of those who register at the same moment', async () => {
    const body = form();
    const answers = await Promise.all(
      [a, b, a, b, a, b].map(async (cell) => (await cell.row('POST', REGISTER, { body }))[0]),
    );
    expect(answers.filter((status) => status === 201)).toHaveLength(1);
    expect(answers.filter((status) => status === 409)).toHaveLength(5);
    const winner = answers[0] === 201 || answers[2] === 201 || answers[4] === 201 ? 'a' : 'b';
    expect(await cellOf(String(body['username']))).toBe(winner);
    // what the others had noted comes to nothing, and takes nothing away
    await Promise.all([sweep(0), sweep(1)]);
    expect([await notes(0), await notes(1)]).toEqual([0, 0]);
    expect(await cellOf(String(body['username']))).toBe(winner);
  });

  it('that were claimed in vain are given back', async () => {
    const name = { kind: 'username' as const, value: 'vain' };
    await part(0, NameClaims).claim([name]); // the process ends here
    expect(await b.row('POST', REGISTER, { body: form({ username: 'vain' }) })).toEqual([
      409,
      'Username already taken',
    ]);
    await sweep(0);
    expect(await cellOf('vain')).toBeUndefined();
    expect((await b.row('POST', REGISTER, { body: form({ username: 'vain' }) }))[0]).toBe(201);
  });

  it('are not taken by a process that stood still while they were given back', async () => {
    const name = { kind: 'username' as const, value: 'frozen' };
    const claim = await part(0, NameClaims).claim([name]);
    await sweep(0);
    expect((await b.row('POST', REGISTER, { body: form({ username: 'frozen' }) }))[0]).toBe(201);
    const late = inTransaction(part(0, DataSource), async (tx) => {
      await part(0, NameClaims).end(tx, claim);
      const account = { username: 'frozen', passwordHash: 'x', firstname: 'A', lastname: 'B' };
      await part(0, AccountRegistrar).create(tx, account);
    });
    await expect(late).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await cellOf('frozen')).toBe('b');
  });

  it('have a row of the cell that takes them, also when another one’s goes meanwhile', async () => {
    const name = { kind: 'username' as const, value: 'passed-on' };
    const claims = part(0, NameClaims);
    await foreignRow();
    goesAfterClaim(1);
    const claim = await claims.claim([name]);
    await inTransaction(part(0, DataSource), (tx) => claims.end(tx, claim));
    expect(await cellOf('passed-on')).toBe('a');
    await directory.query("DELETE FROM cell_names WHERE value = 'passed-on'");
    await foreignRow();
    goesAfterClaim(2);
    await expect(claims.claim([name])).rejects.toMatchObject({ kind: 'unavailable' });
    await sweep(0);
  });

  it('are given back in the end when two sweeps come to one at the same moment', async () => {
    const name = { kind: 'username' as const, value: 'twice-swept' };
    await part(0, NameClaims).claim([name]);
    const cells = part(0, CellDirectory);
    const giveBack = cells.giveBack.bind(cells);
    vi.spyOn(cells, 'giveBack').mockImplementationOnce(async (...given) => {
      await cells.adopt(name, 'a', 1); // the other one begins
      return giveBack(...given);
    });
    await sweep(0);
    await sweep(0);
    expect([await cellOf('twice-swept'), await notes(0)]).toEqual([undefined, 0]);
  });

  it('stay with a claim that comes while an earlier one is given back', async () => {
    const name = { kind: 'username' as const, value: 'again' };
    await part(0, NameClaims).claim([name]);
    const second = await part(0, NameClaims).claim([name]);
    const [older] = await part(0, DataSource).query<{ claim: number }[]>(
      'SELECT claim FROM name_claims ORDER BY claim LIMIT 1',
    );
    await part(0, DataSource).query(
      'UPDATE name_claims SET created_at = created_at - INTERVAL 1 HOUR WHERE claim = ?',
      [older?.claim],
    );
    expect(await part(0, NameClaimSweeper).sweep()).toBe(1);
    expect(await cellOf('again')).toBe('a');
    await inTransaction(part(0, DataSource), (tx) => part(0, NameClaims).end(tx, second));
    expect(await notes(0)).toBe(0);
  });

  it('that stood in a database before are written into the directory, and lost ones taken out', async () => {
    const account = await a.account({ username: 'former', email: 'former@x.example' }); // past the directory
    await directory.query("DELETE FROM cell_names WHERE value = 'again'");
    await directory.query("INSERT INTO cell_names VALUES ('username', 'nobodys', 'a', 1)");
    await b.account({ username: 'Former', email: null });
    const filled = await part(0, DirectoryFill).fill();
    expect(filled).toMatchObject({ removed: 1, foreign: [] });
    expect(await cellOf('former')).toBe('a');
    expect(await cellOf('former@x.example')).toBe('a');
    await sweep(0);
    expect(await cellOf('nobodys')).toBeUndefined();
    expect(await part(1, DirectoryFill).fill()).toMatchObject({
      foreign: [{ kind: 'username', value: account.username, cell: 'a' }],
    });
    // again: nothing changes
    expect(await part(0, DirectoryFill).fill()).toEqual({ ...filled, removed: 0 });
  });
});

describe('names of people and of staff', () => {
  let directory: DirectoryDatabase;
  let api: RunningApi;
  let accounts: Accounts;

  beforeAll(async () => {
    directory = await createDirectory();
    api = await startCell('a', directory, { USER_RATE_LIMIT: 0, USERS_PER_ACCOUNT: 1 });
    accounts = accountsOf(api);
  });
  afterAll(async () => {
    await api.stop();
    await directory.drop();
  });

  const sweep = (): Promise<number> => api.app.get(NameClaimSweeper, { strict: false }).sweep(0);
  const takenIn = (cell: string, kind: string, value: string): Promise<unknown[]> =>
    directory.query('INSERT INTO cell_names VALUES (?, ?, ?, 1)', [kind, value, cell]);
  const cellOf = async (value: string): Promise<string | undefined> =>
    (await directory.query<{ cell: string }>('SELECT cell FROM cell_names WHERE value = ?', [value]))[0]?.cell;

  it('are free for other cells once their account gives them up', async () => {
    const token = accounts.token(await accounts.account());
    const user = { username: 'person', password: PASSWORD, firstname: 'A', lastname: 'B', email: 'p1@x.example' };
    await takenIn('b', 'username', 'other');
    await takenIn('b', 'email', 'other@x.example');
    const other = { ...user, username: 'Other' };
    expect(await accounts.row('POST', USERS, { token, body: other })).toEqual([409, 'Username already taken']);
    const made = await accounts.call('POST', USERS, { token, body: user });
    expect(made.status).toBe(201);
    const path = `${USERS}/${String((made.body['data'] as { id: number }).id)}`;
    expect([await cellOf('person'), await cellOf('p1@x.example')]).toEqual(['a', 'a']);
    const change = (email: unknown) => accounts.row('PATCH', path, { token, body: { email } });
    expect(await change('other@x.example')).toEqual([409, 'Email already registered']);
    expect((await change('p2@x.example'))[0]).toBe(200);
    await sweep();
    expect([await cellOf('p1@x.example'), await cellOf('p2@x.example')]).toEqual([undefined, 'a']);
    expect((await accounts.row('DELETE', path, { token }))[0]).toBe(200);
    await sweep();
    expect([await cellOf('person'), await cellOf('p2@x.example')]).toEqual([undefined, undefined]);
    expect(await cellOf('other')).toBe('b');
  });

  it('are not claimed by what is refused all the same', async () => {
    const token = accounts.token(await accounts.account({ email: 'here@x.example' }));
    const user = { username: 'only', password: PASSWORD, firstname: 'A', lastname: 'B', email: 'only@x.example' };
    const made = await accounts.call('POST', USERS, { token, body: user });
    const path = `${USERS}/${String((made.body['data'] as { id: number }).id)}`;
    await takenIn('b', 'email', 'there@x.example');
    const change = (of: string, email: string) => accounts.row('PATCH', of, { token, body: { email } });
    const taken = [409, 'Email already registered'];
    expect(await change(`${USERS}/999999`, 'nobody@x.example')).toEqual([404, 'User not found']);
    expect(await change(path, 'here@x.example')).toEqual(taken);
    expect(await change(path, 'there@x.example')).toEqual(taken);
    const second = { ...user, username: 'second', email: 'second@x.example' };
    expect(await accounts.row('POST', USERS, { token, body: second })).toEqual([409, 'At most 1 users are allowed']);
    const names = ['nobody@x.example', 'second', 'second@x.example'];
    expect(await directory.query('SELECT value FROM cell_names WHERE value IN (?)', [names])).toEqual([]);
    expect(await sweep()).toBe(0);
  });

  it('of staff may stand in every cell, and are then no client’s', async () => {
    const token = accounts.token(await accounts.account({ userType: 'super' }));
    const create = (username: string, user_type: string) => {
      const proof = user_type === 'super' ? {} : { current_password: PASSWORD };
      const body = { username, password: PASSWORD, firstname: 'A', lastname: 'B', user_type, ...proof };
      return accounts.row('POST', '/v6/api/admin/accounts', { token, body });
    };
    await takenIn('*', 'username', 'alice');
    await takenIn('*', 'username', 'carol');
    await takenIn('b', 'username', 'bobby');
    expect((await create('alice', 'admin'))[0]).toBe(201);
    expect((await create('dave', 'super'))[0]).toBe(400); // wants a password, and claims nothing
    expect(await create('carol', 'client')).toEqual([409, 'Username already taken']);
    expect(await create('bobby', 'admin')).toEqual([409, 'Username already taken']);
    expect((await create('erin', 'admin'))[0]).toBe(201);
    expect([await cellOf('erin'), await cellOf('alice'), await cellOf('dave')]).toEqual(['*', '*', undefined]);
    await sweep();
    expect(await cellOf('alice')).toBe('*');
  });
});

describe('without the directory', () => {
  let api: RunningApi;
  let accounts: Accounts;

  beforeAll(async () => {
    api = await startApi({ CELL: 'a', CELL_TOKEN, DIRECTORY_URL: 'mysql://nobody:none@127.0.0.1:1/nothing' });
    accounts = accountsOf(api);
  });
  afterAll(() => api.stop());

  it('no name is given away, and everything else goes on', async () => {
    const manager = await accounts.account({ userType: 'super' });
    const token = accounts.token(manager);
    const user = { accountId: manager.id, username: 'person', email: 'p@x.example', firstname: 'A', lastname: 'B' };
    const users = api.app.get(AssignedUsers, { strict: false });
    const { id } = await inTransaction(api.app.get(DataSource), (tx) =>
      users.create(tx, { ...user, passwordHash: 'x' }),
    );
    const person = `${USERS}/${id}`;
    expect(await accounts.row('POST', REGISTER, { body: form() })).toEqual(AWAY);
    const proof = { current_password: PASSWORD };
    const names = { username: 'somename', password: PASSWORD, firstname: 'A', lastname: 'B', ...proof };
    expect(await accounts.row('POST', '/v6/api/admin/accounts', { token, body: names })).toEqual(AWAY);
    expect(await accounts.row('POST', USERS, { token, body: names })).toEqual(AWAY);
    const invited = { username: 'someguest', role: 'viewer' };
    expect(await accounts.row('POST', `${USERS}/invitations`, { token, body: invited })).toEqual(AWAY);
    const client = await accounts.account();
    const people = `/v6/api/admin/accounts/${client.username}/users`;
    expect(await accounts.row('POST', people, { token, body: names })).toEqual(AWAY);
    expect(await accounts.row('PATCH', person, { token, body: { email: 'x@x.example', ...proof } })).toEqual(AWAY);
    // what stands there is nobody’s to give
    const kept = { email: 'P@x.example', firstname: 'C', ...proof };
    expect((await accounts.row('PATCH', person, { token, body: kept }))[0]).toBe(200);
    expect((await accounts.row('GET', '/v6/api/account/credits', { token }))[0]).toBe(200);
    const login = { email_or_username: manager.username, password: PASSWORD };
    expect((await accounts.row('POST', '/v6/api/v1/auth/login', { body: login }))[0]).toBe(200);
  });
});
