import { start } from './stage.mjs';

/** messages without an answer on one session */
export const WINDOW = 200;

/** A carrier of the bench's own: `bench/smsc.mjs`, which says what it keeps and what may be asked. */
export async function startCarrier(environment, prefix) {
  const { child, next, stop } = await start(
    'bench/smsc.mjs',
    prefix === undefined ? [] : [prefix],
    environment,
    'pipe',
  );
  const { port } = await next();
  const ask = (command) => {
    const answer = next();
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return answer;
  };
  /** Every message that was kept: number to moments at which it came. */
  const seen = async () => new Map((await ask({ seen: true })).seen);
  return { port, ask, seen, stop };
}

/** A route over SMPP to a carrier of the bench. @param settings of the route, such as `messages_per_second` */
export const addRoute = (admin, { port }, name = 'bench', settings = {}) =>
  admin.call('PUT', `/v6/api/admin/routes/${name}`, {
    channel: 'sms',
    driver: 'smpp',
    config: { host: '127.0.0.1', port, system_id: name, password: 'bench', window: WINDOW },
    ...settings,
  });
