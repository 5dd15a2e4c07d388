import type { ErrorRow } from '../../platform/http/index.js';

const INTRODUCTION = `# Errors

An error answer has the literal \`message\` that it always had, and beside it what helps a program and its author:

- \`code\`: the stable name of the error, one of those below. Judge by it, or by the status; \`message\` is literal too.
- \`field\`: the field of the request at fault, where it is one.
- \`index\`: its place where the field is a list, 0 = the first.
- \`hint\`: what to do, for people. Its words may change.
- \`doc_url\`: the place on this page.

Several codes may share one text, which older clients compare: they tell its causes apart. The public look-up of profile
requests answers its text alone.
`;

/** docs/generated/errors.md: every code with its texts, its causes and what to do. */
export function errorsPage(rows: readonly ErrorRow[]): string {
  const codes = [...new Set(rows.map(({ code }) => code))].sort();
  const sections = codes.map((code) =>
    sectionOf(
      code,
      rows.filter((row) => row.code === code),
    ),
  );
  return [INTRODUCTION, ...sections].join('\n');
}

function sectionOf(code: string, rows: readonly ErrorRow[]): string {
  const distinct = <T>(values: readonly (T | undefined)[]): T[] => [
    ...new Set(values.filter((value): value is T => value !== undefined && value !== '')),
  ];
  const texts = distinct(rows.map(({ status, message }) => `- ${status} \`${message}\``)).sort();
  const reasons = distinct(rows.map(({ reason }) => reason)).sort();
  const fields = distinct(rows.map(({ help }) => help.field)).sort();
  const hints = distinct(rows.map(({ help }) => help.hint)).sort();
  return [
    `## ${code}`,
    '',
    ...texts,
    ...(reasons.length > 0 ? ['', `When: ${reasons.join('; ')}.`] : []),
    ...(fields.length > 0 ? ['', `Field: ${fields.map((field) => `\`${field}\``).join(', ')}.`] : []),
    ...(hints.length > 0 ? ['', `What to do: ${hints.join(' ')}`] : []),
    '',
  ].join('\n');
}
