/** What vitest wrote of one run (`--reporter=json`, and its log): who failed, and with which words. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './environment.mjs';

/** @param {string} file path of a report; without one, nothing ran */
export const readReport = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null);

/** The files with a failed test or hook, or which could not be loaded, as paths from the root. */
const failedFiles = (report) =>
  (report?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => relative(ROOT, name));

/** Tests of a report that passed. */
export const passedTests = (report) => report?.numPassedTests ?? 0;

/** How many tests of these files passed: what a second look at the files counts anew. */
export const passedIn = (report, files) =>
  (report?.testResults ?? [])
    .filter(({ name }) => files.includes(relative(ROOT, name)))
    .reduce(
      (sum, { assertionResults }) => sum + assertionResults.filter(({ status }) => status === 'passed').length,
      0,
    );

const MOST_CHARACTERS = 200;

const firstLine = (text) =>
  stripVTControlCharacters(text ?? '')
    .split('\n')[0]
    .slice(0, MOST_CHARACTERS);

const UNHANDLED = ' Unhandled Errors ⎯';
const HEADING = /^⎯+ (\w[\w ]*) ⎯+$/m;
const ORIGIN = /^This error originated in "(.+)" test file\./m;

/**
 * Errors that nobody awaited, which fail a run whose tests have all passed: they stand in the log alone, and the report says
 * of them nothing.
 * @param {string} log
 * @returns {{ file: string | null, text: string }[]} with the file that was running, as far as vitest knows it
 */
export function unhandledErrors(log) {
  const text = stripVTControlCharacters(log);
  const begin = text.lastIndexOf(UNHANDLED);
  if (begin < 0) return [];
  const [, ...sections] = text.slice(begin + UNHANDLED.length).split(HEADING);
  return sections.flatMap((type, place) => {
    if (place % 2 === 1) return [];
    const body = sections[place + 1].trimStart();
    return [{ file: ORIGIN.exec(body)?.[1] ?? null, text: `${type}: ${firstLine(body)}` }];
  });
}

/** One line for each error that nobody awaited. */
export const errorLines = (errors) => errors.map(({ file, text }) => `${file ?? 'no test file is known'}: ${text}`);

/** The files that a second look may clear: none where an error belongs to no file. */
export function filesAgain(report, errors) {
  if (errors.some(({ file }) => file === null)) return [];
  return [...new Set([...failedFiles(report), ...errors.map(({ file }) => file)])];
}

/**
 * One line for each failed test, and for each file that failed outside of its tests.
 * @param {string[]} [files] paths from the root: of these files alone
 */
export function faultLines(report, files) {
  return (report?.testResults ?? [])
    .filter(({ name, status }) => status === 'failed' && (files?.includes(relative(ROOT, name)) ?? true))
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(ROOT, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${file}: ${firstLine(message) || 'failed outside of its tests'}`];
      return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
    });
}
