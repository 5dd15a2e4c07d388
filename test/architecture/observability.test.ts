import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { ALARM_KINDS } from '../../src/modules/alarms/alarm-kinds.js';
import { programPath } from '../../src/platform/config/index.js';
import { isLeftOut } from '../support/left-out.js';
import { ROOT } from './house.js';

const DIRECTORY = `${ROOT}docker/observability/`;
const text = (name: string): string => readFileSync(DIRECTORY + name, 'utf8');
const promtool = isLeftOut('observability') ? null : programPath('promtool');

interface Board {
  panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  templating: { list: { query: string }[] };
}
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { runbook_url: string } }[] }[];
}

/** Metrics that are documented, with their labels; a histogram's parts have names of their own. */
const METRICS = new Map(
  [
    ...readFileSync(`${ROOT}docs/operate/metrics.md`, 'utf8').matchAll(/^\| `(\w+)`\s+\| (\w+)\s+\| ([\w, ]*?)\s+\|/gm),
  ].flatMap(([, name = '', type, labels = '']): [string, string[]][] => {
    const own = labels.split(',').flatMap((label) => label.trim() || []);
    const parts: [string, string[]][] =
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...own, 'le']],
            [`${name}_sum`, own],
            [`${name}_count`, own],
          ]
        : [];
    return [[name, own], ...parts];
  }),
);
METRICS.set('up', ['job', 'instance']);

const rules = (load(text('rules.yml')) as Rules).groups.flatMap((group) => group.rules);
const board = JSON.parse(text('dashboard.json')) as Board;
const targets = board.panels.flatMap((panel) => panel.targets);

/** What an expression names that there is not. */
function unknownIn(expression: string): string[] {
  const faults: string[] = [];
  const names = [...expression.matchAll(/\b((?:switchboard|database|http|front|up)\w*)\b(?:\{([^}]*)\})?/g)];
  const known = new Set<string>();
  for (const [, name = '', selector = ''] of names) {
    const labels = METRICS.get(name);
    if (!labels) faults.push(name);
    for (const label of labels ?? []) known.add(label);
    for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!labels?.includes(label)) faults.push(`${name}{${label}}`);
    }
  }
  if (names.length === 0) faults.push('no metric');
  for (const [, labels = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of labels.split(',')) if (!known.has(label.trim())) faults.push(`by (${label.trim()})`);
  }
  return faults;
}

/** What operators watch the service by (docs/operate/metrics.md). */
describe('docker/observability', () => {
  it.skipIf(promtool === null)('has rules that ring when they should, and only then', () => {
    const run = (...args: string[]): string => execFileSync(promtool ?? '', args, { cwd: DIRECTORY, encoding: 'utf8' });
    expect(run('check', 'rules', 'rules.yml')).toContain('SUCCESS');
    expect(run('test', 'rules', 'rules.test.yml')).toContain('SUCCESS');
    expect(run('check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS');
  });

  it('has a test of every rule, and a place in the runbook', () => {
    const tests = text('rules.test.yml');
    for (const { alert, annotations } of rules) {
      expect(tests).toContain(alert);
      expect(annotations.runbook_url).toMatch(/^\/docs\/guide\/operate\/runbook#(\{\{|\w)/);
      const [, place = ''] = annotations.runbook_url.split('#');
      if (!place.startsWith('{{')) expect(ALARM_KINDS).toContain(place);
    }
  });

  it.each([
    ...rules.map(({ alert, expr }) => [alert, expr]),
    ...board.panels.flatMap(({ title, targets: own }) => own.map(({ expr }) => [title, expr])),
    ...board.templating.list.slice(1).map(({ query }) => ['route', query]),
  ])('%s names metrics and labels that there are', (_name, expression) => {
    expect(unknownIn(expression.replaceAll('$route', '.*'))).toEqual([]);
  });

  it('finds what is no metric or no label', () => {
    expect(unknownIn('switchboard_messages_total')).toEqual(['switchboard_messages_total']);
    expect(unknownIn('sum by (kind) (switchboard_due_lanes{city="x"})')).toEqual([
      'switchboard_due_lanes{city}',
      'by (kind)',
    ]);
  });

  it('has a board whose legends are labels of their panels', () => {
    for (const { expr, legendFormat } of targets) {
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect(expr).toMatch(new RegExp(`\\b${label}\\b`));
    }
  });
});
