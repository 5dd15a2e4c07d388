import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { InvalidEnvironment, readEnvironment } from '../../../platform/config/index.js';
import { EXIT, Failure } from '../failure.js';
import { OperatorActions } from '../operator-actions.js';
import { OperatorModule } from '../operator.module.js';
import { print, readPassword } from '../terminal.js';

/** The relays are notified a few milliseconds after `notify`. */
const NOTIFIED_MS = 100;

export interface NewAdminOptions {
  type: 'super' | 'admin';
  firstname: string;
  lastname: string;
}

/** Makes a member of the staff; the password is asked for. */
export async function createAdmin(username: string, options: NewAdminOptions): Promise<void> {
  const password = await readPassword(`Password of the new account ${username}: `);
  const { type: userType, firstname, lastname } = options;
  await withActions((actions) => actions.createAdmin({ username, password, userType, firstname, lastname }));
  print(`Created the ${userType} account ${username}`);
}

/** Wakes what is due or stuck of a campaign. */
export async function requeue(requestId: string): Promise<void> {
  const { state, lanes } = await withActions(async (actions) => {
    const woken = await actions.requeue(requestId);
    await sleep(NOTIFIED_MS);
    return woken;
  });
  print(`${requestId} is ${state}: ${lanes} ${lanes === 1 ? 'lane' : 'lanes'} woken`);
}

/** Makes the days to come, and removes what is no longer kept. */
export async function keepTables(): Promise<void> {
  await withActions((actions) => actions.keepTables());
  print('Days to come are made, and what is no longer kept is gone');
}

/** Writes the names of this cell into the directory. */
export async function fillDirectory(): Promise<void> {
  const { written, removed, foreign } = await withActions((actions) => actions.fillDirectory());
  for (const { kind, value, cell } of foreign) print(`${kind} ${value} is taken in cell ${cell}`);
  print(`${written} names stand in the directory, ${removed} are being taken out`);
  if (foreign.length > 0) throw new Failure('Some names are taken by other cells: see above', EXIT.notAsItShould);
}

async function withActions<T>(work: (actions: OperatorActions) => Promise<T>): Promise<T> {
  try {
    readEnvironment();
  } catch (error) {
    if (error instanceof InvalidEnvironment) throw new Failure(error.message);
    throw error;
  }
  const app = await NestFactory.createApplicationContext(OperatorModule, { logger: false, abortOnError: false }).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : new Failure(`The database cannot be reached (${code})`);
    },
  );
  try {
    return await work(app.get(OperatorActions));
  } finally {
    await app.close();
  }
}
