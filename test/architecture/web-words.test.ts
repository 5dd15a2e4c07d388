import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './house.js';

/** Riddles that pages had, and the plain words that stand there now. */
const RIDDLES: readonly [pattern: RegExp, instead: string][] = [
  [/\bhow it (?:stands|does)\b|\bwhat is the matter\b/i, 'Status, Health, Problem'],
  [/\bof late\b|^to come$|\bnothing runs\b|\bno campaign runs\b/i, 'Recent failures, Upcoming, No campaigns running'],
  [/\bwhat (?:is wrong|leaves|runs|waits|went wrong|became of|is sent|is played|it carries)\b/i, 'a noun'],
  [
    /\bleave at\b|\bleaves? (?:at once|over)\b|\b(?:have|has|had|may have) (?:not )?left\b/i,
    'send, sent, possibly sent',
  ],
  [/(?:^|[;:,.] )empty: |\bempty; /i, 'Leave empty to …'],
  [/\bone a line\b|\ba line each\b|\ba second at most\b/i, 'one per line, per second'],
  [/\btoo few$|\bcomes? more than once\b|\bleft out\b|\bat fault\b/i, 'credits short, duplicates, skipped, invalid'],
  [/\bgoes? back\b(?! to the menu)|\bgiven back\b/i, 'refunded'],
  [/\b(?:book|make|register|write|ask for) (?:it|one)\b|^ask$|\b(?:give|given|giving) (?:it )?up\b/i, 'what is done'],
  [/\bhand(?:ed)? in\b/i, 'submit, withdraw'],
  [/\bof the house\b|\bof ours\b|\bof one.s choice\b|\bit waits for its\b/i, 'system default, no limit'],
  [/\bhow it came about\b|\bhears? nothing\b|\bhears? of\b|\bhear what\b/i, 'receive'],
  [/\b(?:anybody|nobody|somebody|whoever)\b/i, 'the noun'],
  [/\b(?:no try|tries of|this try)\b|^tries$|\bmay begin\b|\bcarries\b/i, 'attempt, can start, sends'],
  [/\bthat of (?:its|the)\b(?! time zone)|\bnone of their own\b|\bof before\b|\bin vain\b/i, 'say it directly'],
  [/\bthe handset shows\b|\bas it is spoken\b|\bwalk through\b/i, 'preview, simulate'],
];
/** `kind`, `class` and the like are no words that a person reads. */
const UNSEEN = new Set(['className', 'kind', 'type', 'name', 'key', 'd', 'viewBox', 'path', 'to']);

interface Said {
  at: string;
  text: string;
}

/** What a page may show: texts of JSX, and strings that read like words. */
function saidIn(path: string): Said[] {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true);
  const said: Said[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== null && /[A-Za-z]{3}/.test(text))
      said.push({ at: `${path}:${String(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)}`, text });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return said;
}

function textOf(node: ts.Node): string | null {
  if (ts.isJsxText(node)) return node.text.trim().replaceAll(/\s+/g, ' ');
  if (ts.isTemplateExpression(node)) return node.getText().slice(1, -1);
  if (!ts.isStringLiteral(node) && !ts.isNoSubstitutionTemplateLiteral(node)) return null;
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isCallExpression(parent)) return null;
  return ts.isJsxAttribute(parent) && UNSEEN.has(parent.name.getText()) ? null : node.text;
}

const said = sourceFiles('web/src')
  .filter(({ path }) => !path.endsWith('.d.ts'))
  .flatMap(({ path }) => saidIn(path));

describe('the words of the application', () => {
  it('are read from every page', () => expect(said.length).toBeGreaterThan(2_000));

  it.each(RIDDLES)('have no %s, but: %s', (pattern) => {
    expect(said.filter(({ text }) => pattern.test(text)).map(({ at, text }) => `${at}: ${text}`)).toEqual([]);
  });
});
