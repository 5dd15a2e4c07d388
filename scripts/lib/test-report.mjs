/** What vitest wrote of one run (`--reporter=json`): who failed, and with which words. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ROOT } from './environment.mjs';

/** @param {string} file path of a report; without one, nothing ran */
export const readReport = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null);

/** The files with a failed test or hook, or which could not be loaded, as paths from the root. */
export const failedFiles = (report) =>
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

/** One line for each failed test, and for each file that failed outside of its tests. */
export function faultLines(report) {
  return (report?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(ROOT, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${file}: ${firstLine(message)}`];
      return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
    });
}
