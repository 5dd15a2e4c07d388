import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configureApi, ApiModule } from '../../src/apps/api/api.module.js';
import { ENVIRONMENT } from '../../src/platform/config/index.js';
import { ExpressServer } from '../../src/platform/http/index.js';
import {
  type Account,
  AccountDirectory,
  AccountsModule,
  type Actor,
  Admin,
  Authenticated,
  CurrentActor,
  Needs,
  Open,
  PathUsername,
} from '../../src/modules/accounts/index.js';
import { accountsOf, type Accounts, type Call } from '../support/accounts.js';
import { type RunningApi, testEnvironment } from '../support/api.js';
import { createTestDatabase } from '../support/database.js';

const shown = ({ account, via }: Actor): object => ({ username: account.username, via });

/** One route for each way of authentication; the features' own routes use the same decorators. */
@Controller('probe')
class ProbeController {
  @Get('header')
  @Authenticated()
  header(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Post('legacy')
  @Needs('read')
  @HttpCode(200)
  @Authenticated({ cookie: true })
  legacy(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Post('broadcast')
  @Needs('read')
  @HttpCode(200)
  @Authenticated({ cookie: true, bodyUsername: true })
  broadcast(@CurrentActor() actor: Actor, @Body() _: unknown): object {
    return shown(actor);
  }

  @Get('chat/:username/messages')
  @Authenticated({ cookie: true, failureStatus: 400 })
  @PathUsername()
  chat(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Get('v5')
  @Authenticated({ scheme: 'v5' })
  v5(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Get('staff')
  @Admin()
  staff(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Get('managers')
  @Admin({ resellers: true })
  managers(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Get('super')
  @Admin({ superOnly: true })
  top(@CurrentActor() actor: Actor): object {
    return shown(actor);
  }

  @Get('open')
  @Open('a test')
  open(): object {
    return {};
  }
}

const REFUSED = [401, 'Invalid Authorization token'];

let api: RunningApi;
let accounts: Accounts;
let alice: Account;
let bob: Account;
let token: string;

const actor = async (method: string, path: string, call: Call): Promise<unknown> => {
  const { status, body } = await accounts.call(method, path, call);
  return status === 200 ? body : [status, body.message];
};

beforeAll(async () => {
  const database = await createTestDatabase();
  const environment = testEnvironment(database.url, {
    TRUST_PROXY: '1',
    CORS_ORIGINS: ['https://friend.example'],
    PUBLIC_URL: 'https://sms.example',
    OPEN_MISS_LIMIT: 3,
  });
  const module = await Test.createTestingModule({
    imports: [ApiModule, AccountsModule],
    controllers: [ProbeController],
  })
    .overrideProvider(ENVIRONMENT)
    .useValue(environment)
    .compile();
  const app = module.createNestApplication<NestExpressApplication>(new ExpressServer(), { bodyParser: false });
  configureApi(app);
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  const stop = async () => {
    app.getHttpServer().closeAllConnections();
    await app.close();
    await database.drop();
  };
  api = { url, app, database, environment, stop };
  accounts = accountsOf(api);
  alice = await accounts.account({ username: 'alice' });
  bob = await accounts.account({ username: 'bob' });
  token = accounts.token(alice);
});
afterAll(() => api.stop());

describe('tokens', () => {
  const signed = (
    claims: object | null,
    header: object = { alg: 'HS256', typ: 'JWT' },
    secret = api.environment.JWT_SECRET,
  ) => signedText(JSON.stringify(claims), header, secret);
  /** A payload that JSON.stringify would not write, such as `1e999`. */
  const signedText = (payload: string, header: object = { alg: 'HS256' }, secret = api.environment.JWT_SECRET) => {
    const head = [JSON.stringify(header), payload].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const algorithm = (header as { alg: string }).alg === 'HS512' ? 'sha512' : 'sha256';
    return `${head}.${createHmac(algorithm, secret).update(head).digest('base64url')}`;
  };
  const soon = (): { iat: number; exp: number } => {
    const iat = Math.floor(Date.now() / 1000) + 1;
    return { iat, exp: iat + 60 };
  };
  const get = (value: string) => actor('GET', '/probe/header', { token: value });

  it('lets data.username act when present, else data.name', async () => {
    expect(await get(token)).toEqual({ username: 'alice', via: 'header' });
    const data = { name: 'alice' };
    expect(await get(signed({ ...soon(), data }))).toEqual({ username: 'alice', via: 'header' });
    expect(await get(signed({ ...soon(), data: { ...data, username: 'bob' } }))).toMatchObject({ username: 'bob' });
  });

  it('refuses every other token', async () => {
    const data = { username: 'alice' };
    const good = { ...soon(), data };
    const refused = {
      'no exp': signed({ iat: good.iat, data }),
      'no iat': signed({ exp: good.exp, data }),
      expired: signed({ ...good, exp: Math.floor(Date.now() / 1000) - 1 }),
      'another issuer': signed({ ...good, iss: 'somebody' }),
      'another key': signed(good, { alg: 'HS256' }, 'x'.repeat(40)),
      HS512: signed(good, { alg: 'HS512' }),
      none: `${signed(good, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
      'no data': signed(soon()),
      'data is text': signed({ ...soon(), data: 'alice' }),
      'name at the top': signed({ ...soon(), username: 'alice' }),
      'empty username': signed({ ...soon(), data: { username: '', name: 'alice' } }),
      'number as username': signed({ ...soon(), data: { username: 1 } }),
      'object as username': signed({ ...soon(), data: { username: { $ne: '' } } }),
      'other case': signed({ ...soon(), data: { username: 'ALICE' } }),
      'trailing space': signed({ ...soon(), data: { username: 'alice ' } }),
      unknown: signed({ ...soon(), data: { username: 'nobody' } }),
      garbage: 'garbage',
      cut: token.slice(0, -2),
    };
    for (const [name, value] of Object.entries(refused)) expect([name, await get(value)]).toEqual([name, REFUSED]);
  });

  it('refuses odd tokens that carry our signature, on every kind of route', async () => {
    const data = { username: 'alice' };
    const { iat, exp } = soon();
    const odd = {
      'null as payload': signed(null),
      'a list as payload': signed([]),
      'a text as payload': signedText('"alice"'),
      'a number as payload': signedText('1'),
      'no JSON as payload': signedText('{'),
      'a critical extension': signed({ iat, exp, data }, { alg: 'HS256', crit: ['b64'], b64: true }),
      'an empty crit': signed({ iat, exp, data }, { alg: 'HS256', crit: [] }),
      'an expiry beyond every date': signed({ iat, exp: 8_640_000_000_001, data }),
      'an endless expiry': signedText(`{"iat":${iat},"exp":1e999,"data":{"username":"alice"}}`),
      'an issue beyond every date': signed({ iat: 1e300, exp, data }),
      'an endless issue': signedText(`{"iat":1e999,"exp":${exp},"data":{"username":"alice"}}`),
    };
    for (const [name, value] of Object.entries(odd)) {
      expect([name, await get(value)]).toEqual([name, REFUSED]);
      expect([name, await actor('GET', '/probe/chat/alice/messages', { token: value })]).toEqual([
        name,
        [400, 'Invalid Authorization token'],
      ]);
      const headers = { cookie: `admin_session=${value}`, accept: 'application/json' };
      expect([name, await accounts.row('GET', '/admin/queues', { headers })]).toEqual([name, REFUSED]);
    }
    expect(await get(signed({ iat, exp: 8_640_000_000_000, data }))).toMatchObject({ username: 'alice' });
  });

  it('wants a bearer header', async () => {
    for (const authorization of [token, `Basic ${token}`, 'Bearer', `Bearer ${token} x`, `Token ${token}`]) {
      expect(await actor('GET', '/probe/header', { headers: { authorization } })).toEqual(REFUSED);
    }
    expect(await actor('GET', '/probe/header', { headers: { authorization: `bearer ${token}` } })).toMatchObject({
      username: 'alice',
    });
    expect(await actor('GET', '/probe/header', {})).toEqual(REFUSED);
  });

  it('refuses tokens of closed and expired accounts', async () => {
    const closed = await accounts.account({ isActive: false });
    const late = await accounts.account({ expiresAt: new Date(Date.now() - 1000) });
    expect(await get(accounts.token(closed))).toEqual(REFUSED);
    expect(await get(accounts.token(late))).toEqual(REFUSED);
  });

  it('takes the bare token on v5 routes', async () => {
    for (const authorization of [token, `Bearer ${token}`]) {
      expect(await actor('GET', '/probe/v5', { headers: { authorization } })).toMatchObject({ username: 'alice' });
    }
    expect(await actor('GET', '/probe/v5', { headers: { authorization: `x${token}` } })).toEqual(REFUSED);
  });
});

describe('cookies', () => {
  const post = (headers: Record<string, string>, path = '/probe/legacy') =>
    actor('POST', path, { headers: { cookie: `auth_token=${token}`, ...headers } });

  it('count where the route takes them, and from our own pages', async () => {
    const host = new URL(api.url).host;
    const accepted: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'same-origin', origin: `http://${host}` },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://friend.example' },
      { origin: 'https://sms.example' },
    ];
    for (const headers of accepted) expect(await post(headers)).toEqual({ username: 'alice', via: 'cookie' });
    const refused: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://friend.example' },
      { origin: 'https://evil.example' },
      { origin: `http://${host}.evil.example` },
      { origin: 'null' },
    ];
    for (const headers of refused) expect(await post(headers)).toEqual(REFUSED);
    expect(await actor('GET', '/probe/header', { headers: { cookie: `auth_token=${token}` } })).toEqual(REFUSED);
    expect(await post({ cookie: 'auth_token=j:{"a":1}' })).toEqual(REFUSED);
  });

  it('give way to the header', async () => {
    expect(await post({ authorization: `Bearer ${accounts.token(bob)}` })).toEqual({ username: 'bob', via: 'header' });
    for (const authorization of ['Bearer bad', 'Basic YTpi', token])
      expect(await post({ authorization })).toEqual(REFUSED);
  });
});

describe('path username', () => {
  it('must be the acting one, byte for byte, after authentication', async () => {
    const chat = (name: string, call: Call) => actor('GET', `/probe/chat/${name}/messages`, call);
    expect(await chat('alice', { token })).toEqual({ username: 'alice', via: 'header' });
    for (const name of ['bob', 'ALICE', 'alice%20']) {
      expect(await chat(name, { token })).toEqual([401, 'Route username does not match authenticated user']);
    }
    expect(await chat('bob', {})).toEqual([400, 'Invalid Authorization token']);
  });
});

describe('username in the body', () => {
  const post = (body: unknown, call: Call = {}) => actor('POST', '/probe/broadcast', { body, ...call });

  it('acts without a token and before it', async () => {
    expect(await post({ username: 'bob' })).toEqual({ username: 'bob', via: 'body' });
    expect(await post({ username: 'bob' }, { token })).toEqual({ username: 'bob', via: 'body' });
    expect(await post({ username: 'bob' }, { token: 'bad' })).toEqual({ username: 'bob', via: 'body' });
    for (const username of [undefined, null, '', '  ']) {
      expect(await post({ username }, { token })).toEqual({ username: 'alice', via: 'header' });
      expect(await post({ username })).toEqual(REFUSED);
    }
  });

  it('is not looked for in a form where the route takes none', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    // /probe takes no forms: the body is then without fields, and the token decides
    expect(await post('username=bob', { headers })).toEqual(REFUSED);
  });

  it('is refused when it is no text, whatever the token', async () => {
    for (const username of [true, false, {}, [], ['bob'], { name: 'bob' }]) {
      expect(await post({ username }, { token })).toEqual(REFUSED);
    }
  });

  it('never names staff, closed or expired accounts', async () => {
    for (const userType of ['super', 'admin', 'reseller']) {
      const staff = await accounts.account({ userType });
      expect(await post({ username: staff.username })).toEqual(REFUSED);
      expect(await post({ username: staff.username }, { token: accounts.token(staff) })).toEqual(REFUSED);
    }
    const closed = await accounts.account({ isActive: false });
    expect(await post({ username: closed.username })).toEqual(REFUSED);
  });

  it('is closed by require_token, but for the account’s own token', async () => {
    const careful = await accounts.account({ username: 'careful' });
    await api.database.dataSource.query('UPDATE accounts SET require_token = 1 WHERE id = ?', [careful.id]);
    api.app.get(AccountDirectory).forget(careful.id);
    expect(await post({ username: 'careful' })).toEqual(REFUSED);
    expect(await post({ username: 'careful' }, { token })).toEqual(REFUSED);
    expect(await post({ username: 'careful' }, { token: accounts.token(careful) })).toMatchObject({ via: 'header' });
  });

  it('counts unknown names as misses of the address', async () => {
    const ip = '10.2.0.1';
    for (const name of ['BOB', 'bob ', 'nobody']) expect(await post({ username: name }, { ip })).toEqual(REFUSED);
    expect(await post({ username: 'bob' }, { ip })).toEqual([429, 'Too many requests. Please try again later.']);
    expect(await post({}, { token, ip })).toMatchObject({ username: 'alice' });
    expect(await post({ username: 'bob' }, { ip: '10.2.0.2' })).toMatchObject({ username: 'bob' });
  });
});

describe('misses of usernames in the body', () => {
  it('are told to no more guesses that come at the same moment', async () => {
    const ip = '10.2.0.9';
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        accounts.row('POST', '/probe/broadcast', { body: { username: `guess${i}` }, ip }),
      ),
    );
    expect(answers.filter(([status]) => status === 401)).toHaveLength(3);
    expect(answers.filter(([status]) => status === 429)).toHaveLength(9);
  });
});

describe('roles', () => {
  it('open the admin routes to whom they are for', async () => {
    const matrix: Record<string, [string, string, string]> = {
      super: ['pass', 'pass', 'pass'],
      admin: ['pass', 'pass', 'Forbidden'],
      reseller: ['Forbidden', 'pass', 'Forbidden'],
      client: ['Forbidden', 'Forbidden', 'Forbidden'],
    };
    for (const [userType, expected] of Object.entries(matrix)) {
      const own = accounts.token(await accounts.account({ userType }));
      for (const [index, path] of ['staff', 'managers', 'super'].entries()) {
        const { status, body } = await accounts.call('GET', `/probe/${path}`, { token: own });
        expect([userType, path, status === 200 ? 'pass' : body.message]).toEqual([userType, path, expected[index]]);
        expect([200, 403]).toContain(status);
      }
    }
  });

  it('come from the database at once', async () => {
    const account = await accounts.account({ userType: 'super' });
    const own = accounts.token(account);
    expect((await accounts.call('GET', '/probe/staff', { token: own })).status).toBe(200);
    await api.database.dataSource.query("UPDATE accounts SET user_type = 'client' WHERE id = ?", [account.id]);
    api.app.get(AccountDirectory).forget(account.id);
    expect(await accounts.row('GET', '/probe/staff', { token: own })).toEqual([403, 'Forbidden']);
    expect(await accounts.row('GET', '/probe/staff')).toEqual(REFUSED);
    expect((await accounts.call('GET', '/probe/open')).status).toBe(200);
  });
});
