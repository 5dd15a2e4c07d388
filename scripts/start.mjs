/**
 * `npm start`: from nothing but Node and npm to a running service (reference/running#start).
 * `npm start -- --logs` prints every log line instead of warnings only.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import {
  ROOT,
  dataDirectory,
  developmentEnvironment,
  ensureSecrets,
  requireNode,
  writePrivate,
} from './lib/environment.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Lifetime } from './lib/lifetime.mjs';
import { freePort, isFree, nextFreePort, takeLock } from './lib/processes.mjs';
import { Explained, complain, phase, phases, print, say } from './lib/progress.mjs';
import { ensureServers } from './lib/servers.mjs';
import { startService, stopLeftovers } from './lib/services.mjs';

const lifetime = new Lifetime();

/** PORT as given, else 3000 or the next free one; the sandbox keeps the ports its routes were seeded with. */
async function choosePorts(environment, directory) {
  const host = environment.HOST ?? (environment.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1');
  if (environment.PORT !== undefined && environment.PORT !== '0' && !(await isFree(Number(environment.PORT), host))) {
    throw new Explained(`PORT ${environment.PORT} is taken: choose another, or leave PORT unset`);
  }
  const file = join(directory, 'ports.json');
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const ports = {
    PORT: environment.PORT ?? String(await nextFreePort(3000, host)),
    SANDBOX_PORT: environment.SANDBOX_PORT ?? String(await freePort(kept.SANDBOX_PORT)),
    SANDBOX_SMPP_PORT: environment.SANDBOX_SMPP_PORT ?? String(await freePort(kept.SANDBOX_SMPP_PORT)),
  };
  const { PORT, ...own } = ports;
  writePrivate(file, JSON.stringify(Object.fromEntries(Object.entries(own).map(([k, v]) => [k, Number(v)]))));
  if (environment.PORT === undefined && PORT !== '3000') say(`Port 3000 is taken, using ${PORT}`);
  return { ...ports, host };
}

/** How to log in and what to try first. */
function welcome(environment, directory, url, host) {
  const development = environment.NODE_ENV !== 'production';
  const password = join(directory, 'admin-password');
  const lines = ['', `Switchboard runs at ${url}`, ''];
  if (environment.DOCS !== 'off' && environment.DOCS !== 'false' && environment.DOCS !== '0') {
    lines.push(`  Swagger UI   ${url}/docs`);
  }
  lines.push(`  Application  ${url}/app`);
  lines.push(`  Health       ${url}/health/ready`, `  Logs         ${relative(ROOT, join(directory, 'logs'))}/`, '');
  const admin = environment.ADMIN_USERNAME ?? 'admin';
  if (environment.ADMIN_PASSWORD !== undefined) lines.push(`  Admin        ${admin}, password: ADMIN_PASSWORD`);
  else if (existsSync(password)) {
    lines.push(`  Admin        ${admin}, first password in ${relative(ROOT, password)}`);
  }
  if (development) {
    const body = {
      username: 'demo',
      broadcast_name: 'Hello',
      brodcast_service: 'sandbox',
      contacts: ['919800000001', '919800000002', '919800000404'],
      message: 'Hello from Switchboard',
    };
    lines.push(
      '  Demo         demo, password Demo-1234!, 1,000 of every credit',
      '',
      'A first broadcast:',
      '',
      `  curl -s ${url}/webhook/api/addbroadcastgsm.php -H 'content-type: application/json' \\`,
      `    -d '${JSON.stringify(body)}'`,
      '',
      'and, with the request_id of the answer, its report:',
      '',
      `  curl -s "${url}/webhook/api/getGSMreport.php?request_id=GSMCAMP_..."`,
    );
  }
  lines.push('', host === '0.0.0.0' ? 'Open to the network. Ctrl-C stops it.' : 'Ctrl-C stops everything.', '');
  print(lines.join('\n'));
}

/**
 * Starts the API, which prepares the database first. Another checkout may have taken the port since we looked; without a
 * PORT of the user's choice the next free one will do.
 * @param {() => void} onPrepared called once, when the database is as this version needs it
 * @returns {Promise<string>} the port it listens on
 */
async function startApi(environment, chosenPort, host, startOne, fail, onPrepared) {
  let port = environment.PORT;
  let prepared = false;
  for (;;) {
    let waiting = true;
    const api = startOne('api', { ...environment, PORT: port }, (text) => !waiting && fail(text));
    try {
      await phase('prepare', api.prepared);
      if (lifetime.isEnding) return port;
      if (!prepared) onPrepared();
      prepared = true;
      await phase('listen', api.ready);
      waiting = false;
      return port;
    } catch (error) {
      if (!api.lostItsPort() || chosenPort !== undefined || lifetime.isEnding) throw error;
      port = String(await nextFreePort(Number(port) + 1, host));
      say(`Using port ${port} instead`);
    }
  }
}

async function start() {
  requireNode();
  let environment = { NODE_ENV: 'development', ...developmentEnvironment() };
  const directory = dataDirectory(environment);
  const lock = takeLock(
    join(directory, 'start.lock'),
    'start.mjs',
    (left) => `Switchboard of this checkout runs already (process ${left.pid}). Stop that one first with Ctrl-C.`,
  );
  lifetime.onEnd(async () => lock.free());
  await stopLeftovers(lock.left);
  // npm and the build on one side, the servers and their packages on the other; a fault of either waits for both
  const [built, servers] = await Promise.allSettled([
    phase('install', ensureInstalled({ development: false })).then(() => phase('build', ensureBuilt())),
    phase(
      'servers',
      ensureServers(environment, directory, (stop) => lifetime.onEnd(stop), { preferred: 'mysql' }),
    ),
  ]);
  if (built.status === 'rejected') throw built.reason;
  if (servers.status === 'rejected') throw servers.reason;
  if (lifetime.isEnding) return;
  const urls = servers.value;
  // beside one thread a core for passwords, some for files and names
  const threads = { UV_THREADPOOL_SIZE: String(availableParallelism() + 4) };
  environment = { ...threads, ...ensureSecrets(environment, directory), ...urls, DATA_DIR: directory };
  const { host, ...ports } = await choosePorts(environment, directory);

  const running = [];
  // in the order of dependence: the API, which takes requests, stops first, and the carriers last
  lifetime.onEnd(async () => {
    for (const name of ['api', 'worker', 'sandbox']) {
      for (const service of running) if (service.name === name) await service.stop();
    }
  });
  const startOne = (name, settings, onEnd) => {
    const logs = join(directory, 'logs');
    const everything = process.argv.includes('--logs');
    const service = startService(name, { environment: settings, logs, everything, prepare: name === 'api', onEnd });
    running.push(service);
    lock.update({ children: running.map(({ name, pid }) => ({ name, pid })) });
    return service;
  };
  const fail = (text) => {
    if (lifetime.isEnding) return;
    complain(new Explained(text));
    void lifetime.end(1);
  };
  const settings = { ...environment, ...ports };
  const others = [];
  const startOther = (name) => others.push(startOne(name, settings, fail));
  if (environment.NODE_ENV !== 'production') startOther('sandbox');
  say('Preparing the database');
  const port = await startApi(settings, environment.PORT, host, startOne, fail, () => {
    say('Starting worker, api');
    startOther('worker');
  });
  await phase('others', Promise.all(others.map((service) => service.ready)));
  if (lifetime.isEnding) return;
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${shownHost}:${port}`;
  // where the command line finds us while we run
  const address = join(directory, 'running.json');
  writePrivate(address, JSON.stringify({ SWITCHBOARD_URL: url, ...urls }));
  lifetime.onEnd(async () => rmSync(address, { force: true }));
  writePrivate(join(directory, 'logs', 'start.json'), JSON.stringify(phases));
  say('Ready');
  welcome(environment, directory, url, host);
}

await start().catch((error) => {
  if (!lifetime.isEnding) complain(error);
  return lifetime.end(1);
});
