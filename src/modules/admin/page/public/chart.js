import { el, number, svg } from './dom.js';
import { GROUPS } from './statuses.js';

const KEPT = 'switchboard.samples';
const MOST = 240;
const EDGE = { left: 40, right: 4, top: 8, bottom: 22 };
const HEIGHT = 210;
const NARROWEST = 240;

/** What this tab has seen: [{ at: milliseconds, sums: { group: recipients } }], oldest first. */
let samples = read();

function read() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Adds what was seen now. The older half loses every second sample when there are too many. */
export function addSample(sums) {
  samples.push({ at: Date.now(), sums });
  if (samples.length > MOST) samples = samples.filter((_, index) => index > MOST / 2 || index % 2 === 0);
  sessionStorage.setItem(KEPT, JSON.stringify(samples));
}

/** Recipients by status over time, as stacked areas with a legend. @param room pixels there are for it */
export function chart(room) {
  const last = samples.at(-1);
  const shown = samples.length === 1 ? [{ ...last, at: last.at - 1000 }, last] : samples;
  return el(
    'figure',
    { class: 'chart card' },
    el('figcaption', {}, el('h2', {}, 'Recipients by status'), el('span', { class: 'muted' }, spanText(shown))),
    last ? plot(shown, Math.max(NARROWEST, Math.floor(room))) : null,
    legend(last?.sums ?? {}),
  );
}

function spanText(shown) {
  if (shown.length === 0) return '';
  const minutes = Math.round((shown.at(-1).at - shown[0].at) / 60_000);
  return `live and newest campaigns, ${minutes < 1 ? 'since a moment ago' : `last ${minutes} min`}`;
}

function legend(sums) {
  const items = GROUPS.map(({ key, title }) =>
    el(
      'li',
      {},
      el('span', { class: `dot ${key}`, 'aria-hidden': 'true' }),
      `${title} `,
      el('b', {}, number(sums[key] ?? 0)),
    ),
  );
  return el('ul', { class: 'legend' }, items);
}

function plot(shown, width) {
  const inner = { width: width - EDGE.left - EDGE.right, height: HEIGHT - EDGE.top - EDGE.bottom };
  const begin = shown[0].at;
  const length = Math.max(1, shown.at(-1).at - begin);
  const most = niceCeiling(Math.max(1, ...shown.map(({ sums }) => total(sums))));
  const x = (at) => EDGE.left + ((at - begin) / length) * inner.width;
  const y = (value) => EDGE.top + inner.height - (value / most) * inner.height;
  const below = shown.map(() => 0);
  const areas = GROUPS.map(({ key }) => {
    const lower = shown.map(({ at }, index) => [x(at), y(below[index])]);
    const upper = shown.map(({ at, sums }, index) => [x(at), y((below[index] += sums[key] ?? 0))]);
    const points = [...upper, ...lower.reverse()].map((point) => point.map((value) => value.toFixed(1)).join(','));
    return svg('polygon', { class: `area ${key}`, points: points.join(' ') });
  });
  const lines = [0, 0.25, 0.5, 0.75, 1].map((part) =>
    svg(
      'g',
      {},
      svg('line', { class: 'rule', x1: EDGE.left, x2: width - EDGE.right, y1: y(part * most), y2: y(part * most) }),
      svg('text', { class: 'tick', x: EDGE.left - 6, y: y(part * most) + 4, 'text-anchor': 'end' }, short(part * most)),
    ),
  );
  const times = [0, 0.5, 1].map((part) =>
    svg(
      'text',
      {
        class: 'tick',
        x: x(begin + part * length),
        y: HEIGHT - 6,
        'text-anchor': part === 0 ? 'start' : part === 1 ? 'end' : 'middle',
      },
      new Date(begin + part * length).toLocaleTimeString('en-GB'),
    ),
  );
  const { sums } = shown.at(-1);
  const words = GROUPS.map(({ key, title }) => `${title} ${number(sums[key] ?? 0)}`).join(', ');
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': `Now: ${words}` },
    lines,
    areas,
    times,
  );
}

const total = (sums) => Object.values(sums).reduce((sum, value) => sum + value, 0);

function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 10].find((candidate) => candidate * power >= value) ?? 10;
  return Math.max(4, step * power);
}

const short = (value) => Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
