import { get } from './api.js';
import { el, empty, number, showList } from './dom.js';

export const ROUTES = '/v6/api/admin/routes?limit=1000';

const HEALTH = {
  up: 'Connected',
  degraded: 'Not on every worker',
  down: 'Not connected',
  unknown: 'No worker reports it',
};

/** The ways to the carriers and whether the workers reach them. */
export function routesView(root) {
  const body = el('tbody', {});
  const heads = ['Route', 'Health', 'Channel', 'Driver', 'Pace', 'Binds'].map((text) =>
    el('th', { scope: 'col' }, text),
  );
  const table = el('table', {}, el('thead', {}, el('tr', {}, heads)), body);
  const rest = el('div', { hidden: true });
  root.replaceChildren(
    el(
      'div',
      { class: 'head' },
      el('h1', {}, 'Routes'),
      el('p', { class: 'muted' }, 'As the workers see them, at most 15 seconds ago.'),
    ),
    rest,
    el('div', { class: 'card scroll', tabindex: 0, role: 'region', 'aria-label': 'Routes' }, table),
  );
  const parts = new Map();
  return async () => {
    const { data } = await get(ROUTES);
    const shown = data.map(
      ({
        name,
        channel,
        driver,
        messages_per_second: speed,
        is_default: isDefault,
        health,
        last_error: fault,
        ...rest
      }) => ({
        ...{ name, channel, driver, speed, isDefault, health, fault, binds: rest.binds, held: rest.held_binds },
      }),
    );
    showList(body, shown, ({ name }) => name, row, parts);
    rest.hidden = shown.length > 0;
    rest.replaceChildren(
      ...(shown.length === 0 ? [empty('No routes', 'PUT /v6/api/admin/routes/:name makes one.')] : []),
    );
    table.parentElement.hidden = shown.length === 0;
  };
}

/** Binds that are wanted, those that stand, and who holds them. */
const bindsOf = (binds, held) =>
  binds === null
    ? 'one a worker'
    : [
        `${number(held.filter(({ bound }) => bound).length)} of ${number(binds)}`,
        held.map(({ place, worker, bound }) =>
          el('div', { class: 'muted' }, `${place}: ${worker}${bound ? '' : ' (not bound)'}`),
        ),
      ].flat();

const row = ({ name, channel, driver, speed, isDefault, health, fault, binds, held }) =>
  el(
    'tr',
    { 'data-id': name },
    el('th', { scope: 'row' }, name, isDefault ? el('span', { class: 'chip' }, 'default') : null),
    el(
      'td',
      {},
      el('span', { class: `health ${health}` }, HEALTH[health] ?? health),
      fault ? el('div', { class: 'muted' }, fault) : null,
    ),
    el('td', {}, channel),
    el('td', {}, driver),
    el('td', {}, speed === null ? 'no limit' : `${number(speed)} / s`),
    el('td', {}, bindsOf(binds, held)),
  );
