import { resolve } from 'node:path';
import { DataSource } from 'typeorm';
import { recordBackup } from '../../../modules/alarms/index.js';
import { type Environment, InvalidEnvironment, readEnvironment } from '../../../platform/config/index.js';
import { dataSourceOptions } from '../../../platform/database/index.js';
import { Sealer } from '../../../platform/security/index.js';
import { EXIT, Failure, print } from '../terminal.js';
import { checkCopy, loadCopy, type RestoreChoice } from './load-copy.js';
import { checkDump, readManifest } from './manifest.js';
import { type Fenced, onRestored } from './restored-database.js';
import { takeCopy } from './take-copy.js';

const MIB = 1024 * 1024;
const LOST =
  'Lost with what came after the copy: requests, their ids and Idempotency-Keys, cancels, grants, revoked tokens and keys.';

function environmentHere(): Environment {
  try {
    return readEnvironment();
  } catch (error) {
    if (error instanceof InvalidEnvironment) throw new Failure(error.message);
    throw error;
  }
}

// Reports the error code only: driver messages may contain addresses and statements.
async function reachable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Failure || code === undefined) throw error;
    throw new Failure(`The database cannot be reached, or refused (${code})`);
  }
}

/** Writes a copy of the database. */
export async function backup(directory: string, { verify = false }: { verify?: boolean }): Promise<void> {
  const path = resolve(directory);
  const environment = environmentHere();
  const { taken_at: at, file, binary_log: log } = await reachable(takeCopy(environment, path));
  if (verify) await checkDump(path, await readManifest(path, new Sealer(environment)));
  await recordEnd(environment).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    print(
      `The copy is whole, but its end could not be recorded (${code ?? message}): the alarm for old copies will not know of it`,
    );
  });
  print(`${path}: the database as of ${at}, ${(file.bytes / MIB).toFixed(1)} MiB, sha256 ${file.sha256}`);
  if (log) print(`Binary log: ${log.file} ${log.position}${log.gtid === null ? '' : `, GTID ${log.gtid}`}`);
  if (verify) print('Read again: whole');
  print('The copy holds secrets under ENCRYPTION_KEY, and numbers and texts in the clear: keep the key elsewhere.');
}

/** Records a copy made by other means, for the alarm about old copies. */
export async function recordCopy(): Promise<void> {
  await reachable(recordEnd(environmentHere()));
  print('Recorded: a copy of the database was made now');
}

async function recordEnd({ DATABASE_URL: url }: Environment): Promise<void> {
  const source = await new DataSource(dataSourceOptions(url, 1)).initialize();
  try {
    await recordBackup(source);
  } finally {
    await source.destroy();
  }
}

/** Loads a copy, or only checks it. */
export async function restore(
  directory: string,
  { check = false, ...choice }: { check?: boolean } & Partial<RestoreChoice>,
): Promise<void> {
  const { acceptUnsigned = false, resumeUnsent = false } = choice;
  const path = resolve(directory);
  const environment = environmentHere();
  if (check) {
    const { taken_at: at, migrations } = await checkCopy(environment, path, acceptUnsigned);
    print(`${path} is whole and can be restored here: as of ${at}, version ${migrations.at(-1)}`);
    return;
  }
  const { manifest, migrations, fenced } = await reachable(
    loadCopy(environment, path, { resumeUnsent, acceptUnsigned }),
  );
  print(`Restored the database as of ${manifest.taken_at}; ${migrations} migrations applied`);
  printFence(fenced);
}

/** Fences a database that was restored by other means. */
export async function fence(): Promise<void> {
  const environment = environmentHere();
  const others = await reachable(otherConnections(environment));
  if (others > 0) throw new Failure(`${others} other connections use this database: stop all processes first`);
  const fenced = await reachable(
    onRestored(environment, async (database) => {
      await database.migrate();
      return database.takeIntoUse(null, false);
    }),
  );
  printFence(fenced);
}

// Counts only connections that its database account may see.
async function otherConnections({ DATABASE_URL: url }: Environment): Promise<number> {
  const source = await new DataSource(dataSourceOptions(url, 1)).initialize();
  try {
    const [row] = await source.query<{ others: number }[]>(
      `SELECT COUNT(*) AS others FROM information_schema.processlist
       WHERE db = DATABASE() AND id <> CONNECTION_ID() AND user = SUBSTRING_INDEX(USER(), '@', 1) AND command <> 'Daemon'`,
    );
    return Number(row?.others);
  } finally {
    await source.destroy();
  }
}

/** Lists campaigns that a restore left undecided. */
export async function undecided(): Promise<void> {
  let count = 0;
  await reachable(
    onRestored(environmentHere(), async (database) => {
      for await (const { requestId, username, channel, state, held, mayHaveLeft } of database.undecided()) {
        count += 1;
        print(
          `${requestId}  ${username}  ${channel}  ${state}  ${held ? 'held before its schedule' : `${mayHaveLeft} may have left`}`,
        );
      }
    }),
  );
  print(`${count} campaigns undecided`);
}

/** Resumes one undecided campaign, or all of them. */
export async function resumeUnsent(requestId: string | undefined, { all = false }: { all?: boolean }): Promise<void> {
  if ((requestId === undefined) !== all) throw new Failure('Name one campaign, or --all', EXIT.usage);
  await reachable(
    onRestored(environmentHere(), async (database) => {
      if (requestId !== undefined) await database.resume(await database.one(requestId));
      else for await (const campaign of database.undecided()) await database.resume(campaign);
    }),
  );
  print(`${requestId ?? 'All'}: what no receipt has named is sent`);
}

function printFence(fenced: Fenced | null): void {
  print(LOST);
  if (!fenced) return print('What the copy had not sent is sent now: nothing has left since, as you said.');
  const { campaigns, mayHaveLeft, callsEnded, held, sessions } = fenced;
  print(`${mayHaveLeft} recipients of ${campaigns} campaigns may have been sent to since, and are not sent to again.`);
  if (callsEnded > 0) print(`${callsEnded} calls are not made again: the outcome of the last one stands.`);
  if (sessions > 0) print(`${sessions} scheduled session messages may have left since, and are not sent again.`);
  if (held > 0) print(`${held} campaigns before their schedule are paused: they may have been changed since.`);
  print('Receipts settle who was sent to; the rest fails and is refunded at the receipt deadline. Or decide yourself:');
  print('npm run cli -- undecided, npm run cli -- resume-unsent <request_id>');
}
