import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../src/platform/config/index.js';
import { Mailer, OutboundError } from '../../src/platform/outbound/index.js';
import { MailServer, textOf } from '../support/mail-server.js';

const NEEDED = {
  DATABASE_URL: 'mysql://user:password@localhost/name',
  REDIS_URL: 'redis://localhost',
  JWT_SECRET: 'abcdefghijklmnopqrstuvwxyz0123456789',
  ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
  PUBLIC_URL: 'https://send.example.com',
  MAIL_FROM: 'no-reply@example.com',
};
const MAIL = { to: 'jane@example.com', subject: 'Grüße', text: 'Line one\n.\nLine ü' };

let server: MailServer;
let plain: MailServer;

beforeAll(async () => {
  server = await MailServer.open({
    onAuth: ({ username, password }, _session, done) =>
      username === 'us er' && password === 'p@ss' ? done(null, { user: 1 }) : done(new Error('no')),
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('unknown') ? new Error(`no mailbox ${address}`) : null),
  });
  plain = await MailServer.open({ disabledCommands: ['STARTTLS', 'AUTH'] });
});
afterAll(async () => {
  await server.stop();
  await plain.stop();
});

const mailer = (more: Record<string, string>): Mailer => new Mailer(readEnvironment({ ...NEEDED, ...more }));
const over = (url: string, more: Record<string, string> = {}) => mailer({ SMTP_URL: url, SMTP_CA: server.ca, ...more });
const faultOf = async (sending: Promise<void>): Promise<OutboundError> => {
  const fault: unknown = await sending.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(OutboundError);
  return fault as OutboundError;
};

describe('an e-mail', () => {
  it('goes over TLS, with the login of the address', async () => {
    await over(`smtp://us%20er:p%40ss@localhost:${server.port}`).send(MAIL);
    const [mail] = await server.to(MAIL.to);
    expect(mail).toMatchObject({ from: 'no-reply@example.com', to: [MAIL.to], isEncrypted: true });
    expect(textOf(mail!).replaceAll('\r\n', '\n').trim()).toBe(MAIL.text);
    expect(mail?.raw).toMatch(/^Subject: =\?UTF-8\?/m);
  });

  it('is never sent to a server without TLS, with a foreign certificate, or of another name', async () => {
    const before = server.received.length;
    expect((await faultOf(over(`smtp://localhost:${plain.port}`).send(MAIL))).fault).toBe('unencrypted');
    expect((await faultOf(mailer({ SMTP_URL: `smtp://localhost:${server.port}` }).send(MAIL))).fault).toBe(
      'unencrypted',
    );
    expect((await faultOf(over(`smtp://127.0.0.1:${server.port}`).send(MAIL))).fault).toBe('unencrypted');
    expect((await faultOf(over(`smtps://localhost:${plain.port}`).send(MAIL))).fault).toBe('unencrypted');
    expect([plain.received.length, server.received.length]).toEqual([0, before]);
  });

  it('goes without TLS only where that is said, in production to opened networks only', async () => {
    const url = `smtp://127.0.0.1:${plain.port}?tls=off`;
    await over(url).send(MAIL);
    expect(await plain.to(MAIL.to)).toMatchObject([{ isEncrypted: false }]);
    expect((await faultOf(over(url, { NODE_ENV: 'production' }).send(MAIL))).fault).toBe('unencrypted');
    const named = url.replace('127.0.0.1', 'localhost');
    await faultOf(over(named, { NODE_ENV: 'production' }).send(MAIL));
    expect(plain.received).toHaveLength(1);
    await over(url, { NODE_ENV: 'production', OUTBOUND_ALLOW: '127.0.0.0/8' }).send(MAIL);
    expect(plain.received).toHaveLength(2);
  });

  it.each([
    ['two recipients', { ...MAIL, to: 'jane@example.com, mallory@example.com' }],
    ['a header in the address', { ...MAIL, to: 'jane@example.com\r\nBcc: mallory@example.com' }],
    ['a command in the address', { ...MAIL, to: 'jane@example.com>\r\nRCPT TO:<mallory@example.com' }],
    ['a display name', { ...MAIL, to: 'Jane <jane@example.com>' }],
    ['a header in the subject', { ...MAIL, subject: 'Hello\r\nBcc: mallory@example.com' }],
    ['a line break of Unicode in the subject', { ...MAIL, subject: 'Hello\u2028Bcc: mallory@example.com' }],
    ['a subject without an end', { ...MAIL, subject: 'x'.repeat(201) }],
  ])('is refused before a connection with %s', async (_, mail) => {
    const before = server.received.length;
    const fault = await faultOf(over(`smtp://localhost:${server.port}`).send(mail));
    expect([fault.fault, fault.sent, server.received.length]).toEqual(['refused', false, before]);
  });

  it('names a refusal of the server without its words', async () => {
    const fault = await faultOf(over(`smtp://localhost:${server.port}`).send({ ...MAIL, to: 'unknown@example.com' }));
    expect([fault.fault, fault.sent, fault.reason]).toEqual([
      'interrupted',
      false,
      'the mail server refused the address',
    ]);
    const login = await faultOf(over(`smtp://who:wrong@localhost:${server.port}`).send(MAIL));
    expect(login.reason).toBe('the mail server refused the login');
  });

  it('is given up when the server does not speak, or speaks for ever', async () => {
    const sockets = new Set<Socket>();
    let drip = false;
    const tarpit = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      const timer = setInterval(() => drip && socket.write('220-still here\r\n'), 200);
      socket.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => tarpit.listen(0, '127.0.0.1', resolve));
    const url = `smtp://127.0.0.1:${(tarpit.address() as AddressInfo).port}`;
    const begun = performance.now();
    await faultOf(over(url).send(MAIL));
    expect(performance.now() - begun).toBeLessThan(10_000);
    drip = true;
    await faultOf(over(url).send(MAIL));
    expect(performance.now() - begun).toBeLessThan(30_000);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => tarpit.close(resolve));
  }, 60_000);

  it('waits in a bounded queue', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const busy = over(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const sent = Array.from({ length: 120 }, () => faultOf(busy.send(MAIL)));
    const refused = await Promise.race([
      Promise.all(sent.slice(104)),
      new Promise<null>((done) => setTimeout(done, 2_000, null)),
    ]);
    expect(refused?.map(({ fault, sent: gone }) => [fault, gone])).toEqual(Array(16).fill(['timeout', false]));
    await Promise.all(sent);
    silent.close();
  }, 60_000);
});

describe('the settings of e-mail', () => {
  const base = { ...NEEDED, SMTP_URL: 'smtps://mail.example.com' };

  it('stop the start when something is missing or odd', () => {
    expect(() => readEnvironment({ ...base, MAIL_FROM: '' })).toThrow(/MAIL_FROM: needed, because SMTP_URL is set/);
    expect(() => readEnvironment({ ...base, PUBLIC_URL: '', NODE_ENV: 'production' })).toThrow(/PUBLIC_URL: needed/);
    for (const SMTP_URL of ['http://mail.example.com', 'smtp://mail.example.com?pool=true', 'mail.example.com']) {
      expect(() => readEnvironment({ ...base, SMTP_URL })).toThrow(/SMTP_URL/);
    }
    for (const MAIL_FROM of ['nobody', 'a@b.example\r\nBcc: c@d.example', 'A <a@b.example>, <c@d.example>']) {
      expect(() => readEnvironment({ ...base, MAIL_FROM })).toThrow(/MAIL_FROM/);
    }
  });

  it('send nothing where there is no server', async () => {
    const none = mailer({});
    expect(none.isConfigured).toBe(false);
    expect((await faultOf(none.send(MAIL))).sent).toBe(false);
    expect(over('smtps://mail.example.com').isConfigured).toBe(true);
  });
});
