import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/processes.js';
import { type BoundRoute, openRoute, TEXTS } from './smpp-route.js';

interface LarvitSms {
  from: string;
  to: string;
  message: string;
  dlr: boolean;
  smsId?: string;
  sendResp(status?: string): void;
  sendDlr(status?: string): void;
}
interface LarvitSession {
  on(event: 'sms', listener: (sms: LarvitSms) => void): void;
  closeSocket(): void;
}
const larvitsmpp = createRequire(import.meta.url)('larvitsmpp') as {
  server(options: Record<string, unknown>, onSession: (error: Error | null, session: LarvitSession) => void): void;
};
const silent = Object.fromEntries(
  ['silly', 'debug', 'verbose', 'info', 'warn', 'error'].map((level) => [level, () => undefined]),
);

/** The driver against an SMSC that nobody here wrote. */
describe('SMPP driver and larvitsmpp', () => {
  const received: LarvitSms[] = [];
  const sessions: LarvitSession[] = [];
  let route: BoundRoute;

  beforeAll(async () => {
    const port = await freePort();
    larvitsmpp.server(
      {
        host: '127.0.0.1',
        port,
        log: silent,
        checkuserpass: (name: string, password: string, answer: (error: null, ok: boolean) => void) =>
          answer(null, name === 'tester' && password === 'secret'),
      },
      (_error, session) => {
        sessions.push(session);
        session.on('sms', (sms) => {
          received.push(sms);
          sms.smsId = `larvit-${received.length}`;
          sms.sendResp();
          if (sms.dlr) sms.sendDlr(sms.to.endsWith('404') ? 'UNDELIVERABLE' : 'DELIVERED');
        });
      },
    );
    route = openRoute(port);
    await route.bound();
  });

  afterAll(async () => {
    await route.connection.close();
    for (const session of sessions) session.closeSocket();
  });

  it.each(TEXTS)('text arrives identical: %s', async (_name, text, parts) => {
    const outcome = await route.send('4915112345678', text);
    expect(outcome.kind).toBe('accepted');
    if (outcome.kind === 'accepted') expect(outcome.providerMessageIds).toHaveLength(parts);
    const sms = received.at(-1);
    expect(sms).toMatchObject({ from: 'Switchbrd', to: '4915112345678', message: text, dlr: true });
  });

  it.each([
    ['4915100000001', 'delivered', null],
    ['4915100000404', 'failed', 'Undeliverable'],
  ])('reads its receipts: %s', async (to, status, errorText) => {
    const outcome = await route.send(to, 'receipt, please');
    const id = outcome.kind === 'accepted' ? outcome.providerMessageIds[0] : 'refused';
    await expect
      .poll(() => route.receipts.find((receipt) => receipt.providerMessageId === id))
      .toMatchObject({ status, errorText });
  });

  it('is not bound with a wrong password', async () => {
    const port = await freePort();
    larvitsmpp.server(
      {
        host: '127.0.0.1',
        port,
        log: silent,
        checkuserpass: (_n: string, _p: string, answer: (e: null, ok: boolean) => void) => answer(null, false),
      },
      () => undefined,
    );
    const stranger = openRoute(port);
    expect(await stranger.send('4915112345678', 'nobody hears this')).toMatchObject({
      kind: 'unsent',
      afterMs: 0,
    });
    expect(stranger.connection.ready).toBe(false);
    await stranger.connection.close();
  });
});
