/** The end of the output of `npm test`, which a log that is cut keeps: each check with its first faults, and the sums. */
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { seconds } from './progress.mjs';
import { errorLines, faultLines, passedIn, passedTests } from './test-report.mjs';

/** The first faults of a check that the summary tells. */
const MOST_FAULT_LINES = 10;

/** Files that fail beside others and pass alone: more of them than this fail the run. */
export const MOST_RACES = 3;

/**
 * What one look at a check found. A second look is one at the files that failed in the first.
 * @typedef {{ ok: boolean, took: number, log: string | null, report: object | null,
 *   errors: { file: string | null, text: string }[], second?: Look, files?: string[] }} Look
 */

/**
 * @param {Map<string, Look>} results by the name of the check, in the order of the summary
 * @param {Map<string, string>} titles
 * @returns {{ lines: string[], sums: { passed: number, failed: number } }} the run has failed unless `failed` is 0
 */
export function summary(results, titles) {
  const sums = { passed: 0, failed: 0 };
  const lines = [];
  let races = 0;
  for (const [name, first] of results) {
    const { took, report, second, files = [] } = first;
    const last = second ?? first;
    lines.push(`  ${last.ok ? 'ok    ' : 'FAILED'} ${titles.get(name)} (${seconds(took)})`);
    const passed = second === undefined ? [] : files.filter((file) => !faultsIn(second, [file]).length);
    races += passed.length;
    const notes = passed.flatMap((file) => [
      `${file} failed beside the others, and passed alone. What failed first:`,
      ...faultsIn(first, [file])
        .slice(0, 1)
        .map((fault) => `  ${fault}`),
    ]);
    if (!last.ok) notes.unshift(...faultsOf(last));
    lines.push(...notes.map((note) => `         ${note}`));
    sums.passed += passedTests(report) + (second ? passedTests(second.report) - passedIn(report, files) : 0);
    // a check without tests, a file that could not be loaded, a hook, a check of all tests together
    sums.failed += last.ok ? 0 : Math.max(1, last.report?.numFailedTests ?? 0);
  }
  if (races > MOST_RACES) {
    sums.failed += 1;
    lines.push(`  FAILED ${races} files failed beside the others and passed alone, more than ${MOST_RACES}`);
  }
  return { lines, sums };
}

/** The faults of these files, one line each. */
const faultsIn = ({ report, errors }, files) => [
  ...faultLines(report, files),
  ...errorLines(errors.filter(({ file }) => files.includes(file))),
];

/** The first faults of a check; the end of what it said when it failed outside of tests. */
function faultsOf({ log, report, errors }) {
  const faults = [...faultLines(report), ...errorLines(errors)];
  if (faults.length > 0 || log === null || !existsSync(log)) return faults.slice(0, MOST_FAULT_LINES);
  return stripVTControlCharacters(readFileSync(log, 'utf8')).trimEnd().split('\n').slice(-MOST_FAULT_LINES);
}

/** What did not run, said so that nobody takes the run for a whole one. @param {string[]} leftOut */
export const leftOutLines = (leftOut) =>
  leftOut.length === 0
    ? []
    : ['', '  LEFT OUT of this run:', ...leftOut.map((what) => `         ${what.replaceAll('\n', '\n           ')}`)];
