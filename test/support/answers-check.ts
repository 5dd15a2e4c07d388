import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { AnswerRecord } from './answer-recorder.js';
import { ApiContract } from './api-contract.js';

/**
 * The last check of the integration tests: no answer was seen that docs/openapi.json does not tell of, and every one
 * that it tells of was seen. The latter only when every test ran. Files which the test command looks at for a second time
 * add their answers to those of the run (`ANSWERS_DIRECTORY`, `ANSWERS_OF`).
 */
export default function setup(project: TestProject): () => Promise<void> {
  const kept = process.env['ANSWERS_DIRECTORY'];
  const ofBothLooks = process.env['ANSWERS_OF'] === 'both looks';
  if (kept !== undefined && !ofBothLooks) rmSync(kept, { recursive: true, force: true });
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'switchboard-answers-'));
  project.provide('answersDirectory', directory);
  return async () => {
    const { seen, faults } = read(directory);
    if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    const problems = [...faults].map(([fault, test]) => `${fault}\n    in ${test}`);
    if (ofBothLooks || (await ranWhole(project)))
      problems.push(...unseen(seen).map((answer) => `${answer} was never seen`));
    if (problems.length === 0) return;
    project.vitest.logger.error(`\nAnswers and docs/openapi.json differ:\n  ${problems.join('\n  ')}\n`);
    process.exitCode = 1;
  };
}

function read(directory: string): { seen: Set<string>; faults: Map<string, string> } {
  const seen = new Set<string>();
  const faults = new Map<string, string>();
  for (const file of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, file), 'utf8').trimEnd().split('\n')) {
      const record = JSON.parse(line) as AnswerRecord;
      if ('seen' in record) seen.add(record.seen);
      else faults.set(record.fault, record.test);
    }
  }
  return { seen, faults };
}

/** Documented answers that no test saw. A refusal counts for every path of its handler. */
function unseen(seen: ReadonlySet<string>): string[] {
  const { operations } = ApiContract.read();
  const refusals = new Set(
    operations.flatMap(({ name, handler, responses }) =>
      Object.keys(responses).flatMap((status) => (seen.has(`${name} ${status}`) ? [`${handler} ${status}`] : [])),
    ),
  );
  return operations.flatMap(({ name, handler, responses }) =>
    Object.keys(responses)
      .filter((status) => !seen.has(`${name} ${status}`) && !(status >= '400' && refusals.has(`${handler} ${status}`)))
      .map((status) => `${name} ${status}`),
  );
}

async function ranWhole(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const ran = project.vitest.state.getTestModules().filter((module) => module.project === project);
  return ran.length === testFiles.length && !project.config.testNamePattern;
}
