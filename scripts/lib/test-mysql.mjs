/** The MySQL that tests run on beside MariaDB: a server that runs already, a program of the machine, or Debian's. */
import { join } from 'node:path';
import { ensureDebianMysql } from './debian-mysql.mjs';
import { startDatabase } from './mariadb.mjs';
import { Explained, say } from './progress.mjs';
import { findMysql } from './servers.mjs';

/**
 * The version that a server tells.
 * @param {string} url @param {string} name of the variable that holds it
 */
export async function serverVersion(url, name) {
  const { createConnection } = await import('mysql2/promise');
  try {
    const connection = await createConnection({ uri: url, connectTimeout: 10_000 });
    const [[row]] = await connection.query('SELECT VERSION() AS version');
    await connection.end();
    return row.version;
  } catch (error) {
    throw new Explained(`The server of ${name} does not answer: ${error.message}`);
  }
}

export const isMysql = (version) => !/mariadb/i.test(version);

/**
 * Finds or brings up a MySQL.
 * @param {Record<string, string>} environment
 * @param {string} directory where a private server keeps its data
 * @param {(stop: () => Promise<void>) => void} onStarted is told how to stop it
 * @param {{ durable?: boolean, measured?: boolean }} [options] of `startDatabase`
 * @returns {Promise<{ DATABASE_URL: string, DATABASE_PROGRAM?: string } | { reason: string }>} the environment of tests on it
 * (the program, where it is ours, for tests that start more servers); or why there is none. Rejects when a server that is
 * there does not answer, is no MySQL, or does not start.
 */
export async function ensureMysql(environment, directory, onStarted, options = { durable: false }) {
  const url = environment.DATABASE_URL_MYSQL;
  if (url !== undefined) {
    const version = await serverVersion(url, 'DATABASE_URL_MYSQL');
    if (!isMysql(version)) throw new Explained(`DATABASE_URL_MYSQL leads to ${version}, which is no MySQL`);
    say(`Using MySQL ${version} of DATABASE_URL_MYSQL`);
    return { DATABASE_URL: url };
  }
  let program = findMysql();
  if (program === null) {
    try {
      program = await ensureDebianMysql();
    } catch (error) {
      if (!(error instanceof Explained)) throw error;
      return { reason: error.message };
    }
  }
  const server = await startDatabase(program, join(directory, 'beside'), options);
  onStarted(server.stop);
  say(server.note);
  return { DATABASE_URL: server.url, DATABASE_PROGRAM: program };
}
