import { startScript } from './script.mjs';

/** messages without an answer on one session */
export const WINDOW = 200;

/**
 * A carrier that takes messages faster than anybody sends them: `test/stage/smsc.mjs`, which says what may be asked.
 * @param prefix of the numbers whose messages it keeps
 */
export async function startCarrier(prefix) {
  const { child, next, stop } = await startScript('test/stage/smsc.mjs', prefix === undefined ? [] : [prefix]);
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

/** A route over SMPP to such a carrier. @param settings of the route, such as `messages_per_second` */
export const addRoute = (admin, { port }, name = 'bench', settings = {}) =>
  admin.call('PUT', `/v6/api/admin/routes/${name}`, {
    channel: 'sms',
    driver: 'smpp',
    config: { host: '127.0.0.1', port, system_id: name, password: 'bench', window: WINDOW },
    ...settings,
  });
